/**
 * - `no-data`: the directory holds no chain of a Go node;
 * - `engine`: its databases are of an engine that is not read;
 * - `in-use`: a Go node has it open, or has written to it meanwhile;
 * - `missing`: a row that the import needs is not there;
 * - `damaged`: a row fails its hash or cannot be decoded;
 * - `exists`: the target holds a chain already.
 */
export type GoDataErrorCode = "no-data" | "engine" | "in-use" | "missing" | "damaged" | "exists";

/** Thrown by this room; `code` is stable, the message names the directory, the block or the node. */
export class GoDataError extends Error {
  override readonly name = "GoDataError";
  readonly code: GoDataErrorCode;
  constructor(code: GoDataErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
