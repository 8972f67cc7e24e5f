/** Errors of the peer-to-peer room. */
import type { DisconnectReason } from "./disconnect-reasons.ts";

/** Stable codes of `P2pError`. */
export type P2pErrorCode =
  | "bad-node-url"
  | "bad-node-list"
  | "bad-handshake"
  | "bad-frame"
  | "bad-message"
  | "too-large"
  | "rate-exceeded"
  | "memory-exceeded"
  | "refused"
  | "disconnected"
  | "timeout"
  | "closed"
  | "cannot-listen";

/** Error of this room; `code` is stable. `reason` is sent to the peer in a disconnect, if defined. */
export class P2pError extends Error {
  override readonly name = "P2pError";
  readonly code: P2pErrorCode;
  readonly reason: DisconnectReason | undefined;
  constructor(code: P2pErrorCode, message: string, options?: ErrorOptions & { reason?: DisconnectReason }) {
    super(message, options);
    this.code = code;
    this.reason = options?.reason;
  }
}
