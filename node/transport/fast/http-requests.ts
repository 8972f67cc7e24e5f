import { type HeadReader, MAX_HEAD_BYTES } from "./http-head.ts";

/** Takes requests out of bytes, one after the other. */
export class RequestReader {
  at = 0;
  readonly #bytes: Buffer;
  readonly #heads: HeadReader;
  /** All bytes as text, when every byte became one character: then text and bytes have the same indices. */
  readonly #text: string | undefined;

  constructor(bytes: Buffer, heads: HeadReader) {
    this.#bytes = bytes;
    this.#heads = heads;
    const text = bytes.toString("utf8");
    this.#text = text.length === bytes.length ? text : undefined;
  }

  /** The next body; the bytes that are needed for it when it is not all there (0 when not known yet). */
  next(): { readonly text: string } | number | "foreign" {
    const left = this.#bytes.length - this.at;
    const head = this.#head();
    if (head === undefined) return left > MAX_HEAD_BYTES ? "foreign" : 0;
    const plain = this.#heads.read(head);
    if (plain === "foreign") return "foreign";
    const needed = head.length + plain.bodyLength;
    if (needed > left) return needed;
    const text = this.#slice(this.at + head.length, this.at + needed);
    this.at += needed;
    return { text };
  }

  #slice(from: number, to: number): string {
    return this.#text === undefined ? this.#bytes.toString("utf8", from, to) : this.#text.slice(from, to);
  }

  /** The head with its empty line; undefined when it is not all there. */
  #head(): string | undefined {
    const whole = this.#text;
    if (whole !== undefined) return headText(whole, this.at);
    return headText(this.#bytes.toString("latin1", this.at, this.at + MAX_HEAD_BYTES), 0);
  }
}

function headText(text: string, at: number): string | undefined {
  const end = text.indexOf("\r\n\r\n", at);
  return end < 0 || end - at > MAX_HEAD_BYTES ? undefined : text.slice(at, end + 4);
}
