/**
 * Disconnect reasons of the devp2p RLPx specification, with the Go node's texts
 * (networks/p2p/peer_error.go@v2.2.2).
 */
const ROWS = [
  { code: 0x00, reason: "requested", text: "disconnect requested" },
  { code: 0x01, reason: "network-error", text: "network error" },
  { code: 0x02, reason: "protocol-error", text: "breach of protocol" },
  { code: 0x03, reason: "useless-peer", text: "useless peer" },
  { code: 0x04, reason: "too-many-peers", text: "too many peers" },
  { code: 0x05, reason: "already-connected", text: "already connected" },
  { code: 0x06, reason: "incompatible-version", text: "incompatible p2p protocol version" },
  { code: 0x07, reason: "invalid-identity", text: "invalid node identity" },
  { code: 0x08, reason: "quitting", text: "client quitting" },
  { code: 0x09, reason: "unexpected-identity", text: "unexpected identity" },
  { code: 0x0a, reason: "self", text: "connected to self" },
  { code: 0x0b, reason: "read-timeout", text: "read timeout" },
  { code: 0x10, reason: "subprotocol-error", text: "subprotocol error" },
] as const;

/** Name of a disconnect reason. */
export type DisconnectReason = (typeof ROWS)[number]["reason"];

const BY_REASON = new Map<DisconnectReason, (typeof ROWS)[number]>(ROWS.map((row) => [row.reason, row]));
const BY_CODE = new Map<number, (typeof ROWS)[number]>(ROWS.map((row) => [row.code, row]));

/** Returns the wire code of a reason. */
export function reasonCode(reason: DisconnectReason): number {
  return BY_REASON.get(reason)?.code ?? 0; // every name has a row
}

/** Returns the text of a wire code. */
export function reasonText(code: number): string {
  return BY_CODE.get(code)?.text ?? `unknown disconnect reason ${code}`;
}
