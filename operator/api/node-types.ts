/** What a node is in its network. */
export const nodeTypes = ["core", "proxy", "endpoint"] as const;

/** What a node is in its network. */
export type NodeType = (typeof nodeTypes)[number];
