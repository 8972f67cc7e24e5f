/** Rows of a range one after the other, fetched a page at a time. */
import type { Range, Row, Snapshot } from "../../store/store.ts";

/** Stands at one row after the other. */
export class RowCursor implements AsyncDisposable {
  /** The row that it stands at; undefined before the first `load` and behind the last row. */
  row: Row | undefined;
  readonly #pages: AsyncIterator<readonly Row[]>;
  #page: readonly Row[] = [];
  #at = 0;
  #isEnded = false;

  constructor(rows: Snapshot, range: Range) {
    this.#pages = rows.pages(range)[Symbol.asyncIterator]();
  }

  /** Goes to the next row; false where `load` must do so, since the next page is not here yet. */
  advance(): boolean {
    this.row = this.#page[++this.#at];
    return this.row !== undefined || this.#isEnded;
  }

  /** Goes to the first row of the next page. */
  async load(): Promise<void> {
    const { done, value } = await this.#pages.next();
    this.#isEnded = done === true;
    this.#page = done === true ? [] : value;
    this.#at = 0;
    this.row = this.#page[0];
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#pages.return?.();
  }
}
