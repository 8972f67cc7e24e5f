/** Node types: consensus node (CN), proxy node (PN) and endpoint node (EN). */
export const nodeTypes = ["core", "proxy", "endpoint"] as const;

/** Type of a node. */
export type NodeType = (typeof nodeTypes)[number];
