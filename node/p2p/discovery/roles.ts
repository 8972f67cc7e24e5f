/** What each type of node keeps of the others, and how many nodes it tells who asks. */
import type { NodeType } from "../node-type.ts";
import { type Chance, createBucketTable, createListTable, type NodeTable } from "./tables.ts";

interface Kept {
  readonly type: NodeType;
  /** Buckets when undefined. */
  readonly most?: number;
}

const BOOT_NODES: Kept = { type: "bn", most: 3 };

const KEPT: Readonly<Record<NodeType, readonly Kept[]>> = {
  cn: [{ type: "cn", most: 100 }, BOOT_NODES],
  pn: [{ type: "pn", most: 1 }, { type: "en" }, BOOT_NODES],
  en: [{ type: "pn", most: 2 }, { type: "en" }, BOOT_NODES],
  bn: [{ type: "cn", most: 100 }, { type: "pn", most: 100 }, { type: "en" }, BOOT_NODES],
  unknown: [],
};

/** So many nodes of a type are told at most. */
export const MOST_TOLD: Readonly<Record<NodeType, number>> = { cn: 100, pn: 2, en: 16, bn: 16, unknown: 0 };

/** The empty tables of a node. */
export function createTables(
  type: NodeType,
  ownId: Uint8Array,
  chance: Chance,
): ReadonlyMap<NodeType, NodeTable> {
  return new Map(
    KEPT[type].map(({ type: kept, most }) => [
      kept,
      most === undefined ? createBucketTable(ownId, chance) : createListTable(most, chance),
    ]),
  );
}
