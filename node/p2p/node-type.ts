/**
 * The kinds of node. Two numberings exist and differ: the byte that opens a TCP connection, and the one that
 * discovery uses; in text (node URLs, RPC) a kind is its two letters.
 */
const ROWS = [
  { type: "cn", connection: 0 },
  { type: "en", connection: 1 },
  { type: "pn", connection: 2 },
  { type: "bn", connection: 3 },
  { type: "unknown", connection: 4 },
] as const;

/** Consensus, endpoint, proxy, boot node, or a claim that is none of them. */
export type NodeType = (typeof ROWS)[number]["type"];

/** The byte that opens a connection of a node of this type. */
export function connectionByte(type: NodeType): number {
  return ROWS.find((row) => row.type === type)?.connection ?? 4;
}

/** The type that such a byte claims; bytes without a meaning are `unknown`. */
export function typeOfConnectionByte(byte: number): NodeType {
  return ROWS.find((row) => row.connection === byte)?.type ?? "unknown";
}

/** The type of a URL's `ntype`; `unknown` for any other text. */
export function typeOfText(text: string): NodeType {
  return ROWS.find((row) => row.type === text)?.type ?? "unknown";
}
