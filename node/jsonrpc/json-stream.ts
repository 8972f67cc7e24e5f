/**
 * Framing of IPC: JSON values one after another with any white space between them. A complete value is framed
 * by its brackets alone, because the envelope reader validates it. Truncated values and text that is not JSON
 * go through the scanner.
 */
import { JsonScanError, JsonScanner, UNEXPECTED_EOF } from "./json-scanner.ts";

/** Receives the text of a value. Returns false, without any effect, when it is not JSON. */
export type OnValue = (text: string) => boolean;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/** Cuts a stream of text into JSON values. */
export class JsonStream {
  readonly #limit: number;
  readonly #onValue: OnValue;
  #scanner = new JsonScanner();
  readonly #value = new GrowingText();

  constructor(limit: number, onValue: OnValue) {
    this.#limit = limit;
    this.#onValue = onValue;
  }

  /** Accepts the next text. Throws `JsonScanError` when it is not JSON or a value exceeds the limit. */
  push(text: string): void {
    let start = this.#scanner.started ? 0 : this.#whole(text);
    for (let end = this.#scanner.scan(text, start); end >= 0; end = this.#scanner.scan(text, start)) {
      this.#value.append(text.slice(start, end));
      const value = this.#value.take();
      this.#scanner = new JsonScanner();
      start = end;
      if (!this.#onValue(value)) throw new JsonScanError(UNEXPECTED_EOF);
    }
    if (!this.#scanner.started) return;
    this.#value.append(text.slice(start));
    if (this.#value.length > this.#limit) throw new JsonScanError("message too large");
  }

  /** Passes on the complete values at the beginning of `text`. Returns the index behind the last one. */
  #whole(text: string): number {
    for (let start = 0; ; ) {
      const begin = valueStart(text, start);
      const end = bracketEnd(text, begin);
      if (end < 0 || !this.#onValue(text.slice(begin, end))) return start;
      start = end;
    }
  }
}

const MAX_PIECES = 512;

/**
 * A text that arrives in chunks. Every few hundred chunks are joined, so that memory stays near the length of
 * the text.
 */
class GrowingText {
  readonly #joined: string[] = [];
  readonly #pieces: string[] = [];
  #length = 0;

  get length(): number {
    return this.#length;
  }

  append(piece: string): void {
    this.#length += piece.length;
    this.#pieces.push(piece);
    if (this.#pieces.length >= MAX_PIECES) this.#joined.push(this.#pieces.splice(0).join(""));
  }

  /** Returns the whole text and clears it. */
  take(): string {
    this.#length = 0;
    const pieces = [...this.#joined.splice(0), ...this.#pieces.splice(0)];
    return pieces.length === 1 ? (pieces[0] ?? "") : pieces.join("");
  }
}

/** Returns the index of the next character that is not white space. */
function valueStart(text: string, from: number): number {
  let at = from;
  for (; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code !== 0x20 && code !== 0x0a && code !== 0x0d && code !== 0x09) break;
  }
  return at;
}

/** Returns the index behind the bracket that closes the one at `from`; -1 when the text has none. */
function bracketEnd(text: string, from: number): number {
  let depth = 0;
  for (let at = from; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) at = stringEnd(text, at + 1);
    else if (code === 0x7b || code === 0x5b) depth++;
    else if ((code === 0x7d || code === 0x5d) && --depth <= 0) return depth === 0 ? at + 1 : -1;
    if (depth === 0) return -1;
  }
  return -1;
}

/** Returns the index of the quote that ends a string; the end of the text when there is none. */
function stringEnd(text: string, from: number): number {
  let at = from;
  for (; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) break;
    if (code === BACKSLASH) at++;
  }
  return at;
}
