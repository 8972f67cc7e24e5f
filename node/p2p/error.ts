import type { DisconnectReason } from "./reasons.ts";

/** What can go wrong between two nodes. */
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

/** Thrown by this room; `code` is stable. `reason` is what the other node is told, nothing when undefined. */
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
