/**
 * The framing of IPC: JSON values one after another, any white space between them. A value that is all there is framed
 * by its brackets alone, because whoever takes it reads it anyway; what is cut off, or turns out not to be JSON, goes
 * through the scanner.
 */
import { JsonScanError, JsonScanner } from "./json-scanner.ts";

/** Takes the text of a value; false when that is not JSON, and then it has done nothing. */
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

  /** Takes the next text. Throws `JsonScanError` when it is not JSON or a value passes the limit. */
  push(text: string): void {
    let start = this.#scanner.started ? 0 : this.#whole(text);
    for (let end = this.#scanner.scan(text, start); end >= 0; end = this.#scanner.scan(text, start)) {
      this.#value.append(text.slice(start, end));
      const value = this.#value.take();
      this.#scanner = new JsonScanner();
      start = end;
      if (!this.#onValue(value)) throw new JsonScanError("unexpected EOF");
    }
    if (!this.#scanner.started) return;
    this.#value.append(text.slice(start));
    if (this.#value.length > this.#limit) throw new JsonScanError("message too large");
  }

  /** Hands over the values at the beginning of `text` that are all there; where the first other thing begins. */
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

/** A text that arrives in pieces. Every few hundred are joined, so that they cost little besides their characters. */
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

  /** The whole text, which is empty then. */
  take(): string {
    this.#length = 0;
    const pieces = [...this.#joined.splice(0), ...this.#pieces.splice(0)];
    return pieces.length === 1 ? (pieces[0] ?? "") : pieces.join("");
  }
}

/** The next character that is not white space. */
function valueStart(text: string, from: number): number {
  let at = from;
  for (; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code !== 0x20 && code !== 0x0a && code !== 0x0d && code !== 0x09) break;
  }
  return at;
}

/** Behind the bracket that closes the one at `from`; -1 when there is none, here or at all. */
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

/** The quote that ends a string; the end of the text when that is not there. */
function stringEnd(text: string, from: number): number {
  let at = from;
  for (; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) break;
    if (code === BACKSLASH) at++;
  }
  return at;
}
