/** Long texts that are answered again and again, as bytes too: these are written without being copied or looked through. */

/** A text of fewer characters is as quickly written as text. */
const LONG_TEXT = 16 * 1024;

/** Bytes kept. */
const MAX_KEPT = 8 * 1024 * 1024;

/** Bytes by their text; whoever keeps the texts says which. */
export class KeptBytes {
  readonly #max: number;
  readonly #bytes = new Map<string, Buffer>();
  #kept = 0;

  constructor(max = MAX_KEPT) {
    this.#max = max;
  }

  /** Undefined for a text that is not kept. */
  of(text: string): Buffer | undefined {
    return text.length < LONG_TEXT ? undefined : this.#bytes.get(text);
  }

  /** A long text's bytes are made; the oldest go. */
  keep(text: string): void {
    if (text.length < LONG_TEXT || this.#bytes.has(text)) return;
    const bytes = Buffer.from(text);
    this.#bytes.set(text, bytes);
    this.#kept += bytes.length;
    for (const oldest of this.#bytes.keys()) {
      if (this.#kept <= this.#max || oldest === text) return;
      this.drop(oldest);
    }
  }

  drop(text: string): void {
    this.#kept -= this.#bytes.get(text)?.length ?? 0;
    this.#bytes.delete(text);
  }
}
