/** Reasons of this room's errors. */
export type ChainErrorCode =
  | "bad-block"
  | "bad-file"
  /** A sealed block that was committed, discarded or superseded. */
  | "busy"
  /** Not the block's fault: disk, state or a defect of this program. */
  | "failed"
  | "genesis-mismatch"
  | "no-block"
  | "no-genesis"
  /** So little of the disk is free that nothing is written. */
  | "no-room"
  /** The body or the receipts of a block were pruned. */
  | "pruned-history"
  | "unsupported";

/** Details of an error. */
interface ChainErrorOptions {
  readonly block?: number;
  readonly oldest?: number;
  readonly cause?: unknown;
}

/**
 * Thrown by this room; `block` is the number of the block that was refused, `oldest` of a `pruned-history` the first
 * block after block 0 that is whole.
 */
export class ChainError extends Error {
  override readonly name = "ChainError";
  readonly code: ChainErrorCode;
  readonly block: number | undefined;
  readonly oldest: number | undefined;
  constructor(code: ChainErrorCode, message: string, options: ChainErrorOptions = {}) {
    super(message, { cause: options.cause });
    this.code = code;
    this.block = options.block;
    this.oldest = options.oldest;
  }
}
