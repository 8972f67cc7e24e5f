/**
 * The kinds of node. Two numberings exist and differ: the byte that opens a TCP connection, and the one that
 * discovery uses; in text (node URLs, RPC) a kind is its two letters.
 */
const ROWS = [
  { type: "cn", connection: 0, discovery: 1 },
  { type: "en", connection: 1, discovery: 3 },
  { type: "pn", connection: 2, discovery: 2 },
  { type: "bn", connection: 3, discovery: 4 },
  { type: "unknown", connection: 4, discovery: 0 },
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

/** The number of this type in discovery packets. */
export function discoveryByte(type: NodeType): number {
  return ROWS.find((row) => row.type === type)?.discovery ?? 0;
}

/** The type that a discovery packet claims; numbers without a meaning are `unknown`. */
export function typeOfDiscoveryByte(byte: number): NodeType {
  return ROWS.find((row) => row.discovery === byte)?.type ?? "unknown";
}
