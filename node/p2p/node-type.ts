/**
 * Node types. The byte that opens a TCP connection (common/types.go@v2.2.2) and the number in discovery
 * packets (networks/p2p/discover/node.go@v2.2.2) differ. Node URLs and RPC use the two letters.
 */
const ROWS = [
  { type: "cn", connection: 0, discovery: 1 },
  { type: "en", connection: 1, discovery: 3 },
  { type: "pn", connection: 2, discovery: 2 },
  { type: "bn", connection: 3, discovery: 4 },
  { type: "unknown", connection: 4, discovery: 0 },
] as const;

/** Consensus, endpoint, proxy or boot node, or an unknown claim. */
export type NodeType = (typeof ROWS)[number]["type"];

/** Returns the byte that opens a connection of this node type. */
export function connectionByte(type: NodeType): number {
  return ROWS.find((row) => row.type === type)?.connection ?? 4;
}

/** Returns the type that a connection byte claims; `unknown` for any other byte. */
export function typeOfConnectionByte(byte: number): NodeType {
  return ROWS.find((row) => row.connection === byte)?.type ?? "unknown";
}

/** Returns the type of a URL's `ntype`; `unknown` for any other text. */
export function typeOfText(text: string): NodeType {
  return ROWS.find((row) => row.type === text)?.type ?? "unknown";
}

/** Returns the number of this type in discovery packets. */
export function discoveryByte(type: NodeType): number {
  return ROWS.find((row) => row.type === type)?.discovery ?? 0;
}

/** Returns the type that a discovery packet claims; `unknown` for any other number. */
export function typeOfDiscoveryByte(byte: number): NodeType {
  return ROWS.find((row) => row.discovery === byte)?.type ?? "unknown";
}
