/**
 * What can be wrong with a store: `in-use` another process holds it, `corrupt` its files do not hold together,
 * `failed` the engine or the disk refused an operation, `closed` it was used after closing.
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
