/**
 * Faults of a store: `in-use` another process holds it, `corrupt` its files are inconsistent, `failed` the
 * engine or the disk refused an operation, `closed` it was used after closing.
 */
export type StoreErrorCode = "in-use" | "corrupt" | "failed" | "closed";

/** Thrown by this room; `code` is stable, the message names the directory or the table. */
export class StoreError extends Error {
  override readonly name = "StoreError";
  readonly code: StoreErrorCode;
  constructor(code: StoreErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
