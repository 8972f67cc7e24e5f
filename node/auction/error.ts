/** Reasons for which a bid is refused. */
export type AuctionErrorCode =
  | "paused"
  | "known"
  | "sender-taken"
  | "wrong-block"
  | "zero-bid"
  | "too-much-data"
  | "too-much-gas"
  | "bad-signature"
  | "low-bid"
  | "full";

/** Thrown by this room. Messages are the Go node's, which clients compare; `code` is stable. */
export class AuctionError extends Error {
  override readonly name = "AuctionError";
  readonly code: AuctionErrorCode;
  constructor(code: AuctionErrorCode, message: string) {
    super(message);
    this.code = code;
  }
}
