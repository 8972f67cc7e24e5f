/** What a caller of the chain may have to tell apart. */
export type ChainErrorCode =
  | "bad-block"
  | "bad-file"
  /** Not the block's fault: disk, state or a defect of this program. */
  | "failed"
  | "genesis-mismatch"
  | "no-block"
  | "no-genesis"
  /** So little of the disk is free that nothing is written. */
  | "no-room"
  | "unsupported";

/** Thrown by this room; `block` is the number of the block that was refused. */
export class ChainError extends Error {
  override readonly name = "ChainError";
  readonly code: ChainErrorCode;
  readonly block: number | undefined;
  constructor(code: ChainErrorCode, message: string, options: { block?: number; cause?: unknown } = {}) {
    super(message, { cause: options.cause });
    this.code = code;
    this.block = options.block;
  }
}
