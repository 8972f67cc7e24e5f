/** The framing of IPC: JSON values one after another, any white space between them. */
import { JsonScanError, JsonScanner } from "./json-scanner.ts";

/** Cuts a stream of text into JSON values. */
export class JsonStream {
  readonly #limit: number;
  readonly #onValue: (text: string) => void;
  #scanner = new JsonScanner();
  #pieces: string[] = [];
  #size = 0;

  constructor(limit: number, onValue: (text: string) => void) {
    this.#limit = limit;
    this.#onValue = onValue;
  }

  /** Takes the next text. Throws `JsonScanError` when it is not JSON or a value passes the limit. */
  push(text: string): void {
    let start = 0;
    for (let end = this.#scanner.scan(text, 0); end >= 0; end = this.#scanner.scan(text, start)) {
      this.#pieces.push(text.slice(start, end));
      const value = this.#pieces.length === 1 ? text.slice(start, end) : this.#pieces.join("");
      this.#pieces = [];
      this.#size = 0;
      this.#scanner = new JsonScanner();
      start = end;
      this.#onValue(value);
    }
    if (!this.#scanner.started) return;
    this.#pieces.push(text.slice(start));
    this.#size += text.length - start;
    if (this.#size > this.#limit) throw new JsonScanError("message too large");
  }
}
