/**
 * Tables of discovered nodes: for each type a list or, for endpoint nodes, Kademlia buckets. Nodes stay as
 * long as they respond, newcomers never evict them. Bounded in number and in nodes of one subnet.
 */
import type { NodeId } from "../../bytes/brands.ts";
import { mapKey } from "../../bytes/hex.ts";
import { subnetOf } from "../../bytes/ip.ts";
import { keccak256 } from "../../crypto/keccak.ts";
import { isLan } from "../ip.ts";
import type { NodeType } from "../node-type.ts";
import type { FoundNode } from "./packets.ts";

/** Nodes of one type. */
export interface NodeTable {
  readonly size: number;
  /** Number of nodes on the replacement lists. */
  readonly waiting: number;
  /**
   * Adds a node, or moves it to the front as the most recent responder. Returns false when there is no room.
   */
  add(node: FoundNode): boolean;
  remove(id: NodeId): void;
  list(): FoundNode[];
  /** Returns up to `max` nodes for a query: the closest to the target, or random ones of a list. */
  answer(target: NodeId, max: number): FoundNode[];
  /** Returns the least recent responder, of a random bucket. */
  oldest(): FoundNode | undefined;
}

/** Returns a random number in [0, 1). */
export type RandomFraction = () => number;

const BUCKET_SIZE = 16;
const MAX_REPLACEMENTS = 10;
const BUCKET_COUNT = 17;
/** Limits for public addresses of one subnet. */
const MAX_SUBNET_IN_TABLE = 10;
const MAX_SUBNET_IN_BUCKET = 2;

/** Nodes in order of their last response, the most recent first. */
class Row {
  nodes: FoundNode[] = [];
  readonly #max: number;

  constructor(max: number) {
    this.#max = max;
  }

  get isFull(): boolean {
    return this.nodes.length >= this.#max;
  }

  /** Moves a node to the front. Returns false when it is not present. */
  moveToFront(node: FoundNode): boolean {
    const count = this.nodes.length;
    this.remove(node.id);
    if (this.nodes.length === count) return false;
    this.nodes.unshift(node);
    return true;
  }

  remove(id: NodeId): boolean {
    const key = mapKey(id);
    const count = this.nodes.length;
    this.nodes = this.nodes.filter((node) => mapKey(node.id) !== key);
    return this.nodes.length < count;
  }

  countSubnet(ip: string): number {
    const wanted = subnetOf(ip);
    return this.nodes.filter((node) => subnetOf(node.ip) === wanted).length;
  }
}

/** Creates a list table of at max `max` nodes. */
export function createListTable(max: number, randomFraction: RandomFraction): NodeTable {
  const row = new Row(max);
  return {
    get size() {
      return row.nodes.length;
    },
    waiting: 0,
    add(node) {
      if (row.moveToFront(node)) return true;
      const crowded = !isLan(node.ip) && row.countSubnet(node.ip) >= MAX_SUBNET_IN_TABLE;
      if (row.isFull || crowded) return false;
      row.nodes.unshift(node);
      return true;
    },
    remove: (id) => void row.remove(id),
    list: () => [...row.nodes],
    answer: (_, count) => shuffle(row.nodes, randomFraction).slice(0, count),
    oldest: () => row.nodes.at(-1),
  };
}

/** Returns the items in random order. */
export function shuffle<T>(items: readonly T[], randomFraction: RandomFraction): T[] {
  const drawn = items.map((item) => ({ item, order: randomFraction() }));
  return drawn.sort((a, b) => a.order - b.order).map(({ item }) => item);
}

interface Bucket {
  readonly row: Row;
  /** Nodes that replace those that stop responding. */
  readonly replacements: Row;
}

/** Creates a bucket table by the XOR distance of hashed ids from `ownId`. */
export function createBucketTable(ownId: NodeId, randomFraction: RandomFraction): NodeTable {
  const ownHash = keccak256(ownId);
  const buckets: readonly Bucket[] = Array.from({ length: BUCKET_COUNT }, () => ({
    row: new Row(BUCKET_SIZE),
    replacements: new Row(MAX_REPLACEMENTS),
  }));
  const bucketOf = (id: NodeId): Bucket => buckets[bucketIndex(ownHash, keccak256(id))] as Bucket; // 0 to 16
  const all = (): FoundNode[] => buckets.flatMap(({ row }) => row.nodes);
  const hasRoom = (row: Row, { ip }: FoundNode): boolean => {
    if (row.isFull) return false;
    if (isLan(ip)) return true;
    const inTable = buckets.reduce((sum, each) => sum + each.row.countSubnet(ip), 0);
    return inTable < MAX_SUBNET_IN_TABLE && row.countSubnet(ip) < MAX_SUBNET_IN_BUCKET;
  };
  return {
    get size() {
      return all().length;
    },
    get waiting() {
      return buckets.reduce((sum, { replacements }) => sum + replacements.nodes.length, 0);
    },
    add(node) {
      const { row, replacements } = bucketOf(node.id);
      if (row.moveToFront(node)) return true;
      if (hasRoom(row, node)) {
        replacements.remove(node.id);
        row.nodes.unshift(node);
        return true;
      }
      if (!replacements.moveToFront(node) && !replacements.isFull) replacements.nodes.unshift(node);
      return false;
    },
    remove(id) {
      const { row, replacements } = bucketOf(id);
      replacements.remove(id);
      if (!row.remove(id)) return;
      const next = replacements.nodes.find((node) => hasRoom(row, node));
      if (next === undefined) return;
      replacements.remove(next.id);
      row.nodes.push(next);
    },
    list: all,
    answer: (target, max) => closest(all(), target).slice(0, max),
    oldest: () =>
      shuffle(buckets, randomFraction)
        .find(({ row }) => row.nodes.length > 0)
        ?.row.nodes.at(-1),
  };
}

/** Sorts nodes by the XOR distance of their hashed ids from the hashed target. */
export function closest(nodes: readonly FoundNode[], target: NodeId): FoundNode[] {
  const hash = keccak256(target);
  const measured = nodes.map((node) => ({ node, away: xor(keccak256(node.id), hash) }));
  return measured.sort((a, b) => Buffer.compare(a.away, b.away)).map(({ node }) => node);
}

function xor(a: Uint8Array, b: Uint8Array): Uint8Array {
  return a.map((byte, index) => byte ^ (b[index] ?? 0));
}

/**
 * Returns 16 for hashes that differ in their first bit, one less for each shared bit. All near nodes share
 * bucket 0.
 */
function bucketIndex(a: Uint8Array, b: Uint8Array): number {
  const away = xor(a, b);
  const byte = away.findIndex((each) => each !== 0);
  if (byte < 0) return 0;
  const shared = byte * 8 + Math.clz32(away[byte] ?? 0) - 24;
  return Math.max(0, BUCKET_COUNT - 1 - shared);
}

interface TableSpec {
  readonly type: NodeType;
  /** Capacity of a list table. A bucket table is used when undefined. */
  readonly max?: number;
}

const BOOT_NODES: TableSpec = { type: "bn", max: 3 };

const TABLES: Readonly<Record<NodeType, readonly TableSpec[]>> = {
  cn: [{ type: "cn", max: 100 }, BOOT_NODES],
  pn: [{ type: "pn", max: 1 }, { type: "en" }, BOOT_NODES],
  en: [{ type: "pn", max: 2 }, { type: "en" }, BOOT_NODES],
  bn: [{ type: "cn", max: 100 }, { type: "pn", max: 100 }, { type: "en" }, BOOT_NODES],
  unknown: [],
};

/** Maximum number of nodes of each type in an answer. */
export const MAX_NEIGHBORS: Readonly<Record<NodeType, number>> = {
  cn: 100,
  pn: 2,
  en: 16,
  bn: 16,
  unknown: 0,
};

/**
 * Creates the empty tables of a node: one for each type that a node of this type keeps
 * (networks/p2p/discover/table.go@v2.2.2).
 */
export function createTables(
  type: NodeType,
  ownId: NodeId,
  randomFraction: RandomFraction,
): ReadonlyMap<NodeType, NodeTable> {
  return new Map(
    TABLES[type].map(({ type: kept, max }) => [
      kept,
      max === undefined ? createBucketTable(ownId, randomFraction) : createListTable(max, randomFraction),
    ]),
  );
}
