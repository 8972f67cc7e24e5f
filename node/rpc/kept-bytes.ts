/** Long texts that are answered again and again, as bytes too: these are written without being copied or looked through. */

/** A text of fewer characters is as quickly written as text. */
export const LONG_TEXT = 16 * 1024;

/** Bytes by their text; whoever keeps the texts says which. */
export class KeptBytes {
  readonly #bytes = new Map<string, Buffer>();

  /** Undefined for a text that is not kept. */
  of(text: string): Buffer | undefined {
    return text.length < LONG_TEXT ? undefined : this.#bytes.get(text);
  }

  /** Returns how many bytes that takes. */
  keep(text: string): number {
    const bytes = Buffer.from(text);
    this.#bytes.set(text, bytes);
    return bytes.length;
  }

  drop(text: string): void {
    this.#bytes.delete(text);
  }
}
