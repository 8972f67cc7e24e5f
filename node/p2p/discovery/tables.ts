/**
 * What a node keeps of the others: by type a list, or buckets by distance (Kademlia). Nodes that are there stay as
 * long as they answer; newcomers never push them out. Bounded in number, and in nodes of one neighbourhood.
 */
import { mapKey } from "../../bytes/hex.ts";
import { keccak256 } from "../../crypto/keccak.ts";
import { isLan, neighbourhood } from "../ip.ts";
import type { FoundNode } from "./packets.ts";

/** Nodes of one type. */
export interface NodeTable {
  readonly size: number;
  /** How many wait for a place. */
  readonly waiting: number;
  /** Takes a node, or moves it to the front of those that answered; false when there is no room for it. */
  add(node: FoundNode): boolean;
  remove(id: Uint8Array): void;
  list(): FoundNode[];
  /** Up to so many for a question: the closest to the target, or any where distance has no meaning. */
  answer(target: Uint8Array, most: number): FoundNode[];
  /** The one that answered longest ago, of some bucket. */
  oldest(): FoundNode | undefined;
}

/** Between 0 and 1. */
export type Chance = () => number;

const IN_BUCKET = 16;
const REPLACEMENTS = 10;
const BUCKETS = 17;
/** Nodes of one neighbourhood, private networks excepted. */
const NEIGHBOURS_IN_TABLE = 10;
const NEIGHBOURS_IN_BUCKET = 2;

/** Nodes, the one that answered last first. */
class Row {
  nodes: FoundNode[] = [];
  readonly #most: number;

  constructor(most: number) {
    this.#most = most;
  }

  get isFull(): boolean {
    return this.nodes.length >= this.#most;
  }

  /** Puts it first; false when it was not there. */
  renew(node: FoundNode): boolean {
    const count = this.nodes.length;
    this.remove(node.id);
    if (this.nodes.length === count) return false;
    this.nodes.unshift(node);
    return true;
  }

  remove(id: Uint8Array): boolean {
    const key = mapKey(id);
    const count = this.nodes.length;
    this.nodes = this.nodes.filter((node) => mapKey(node.id) !== key);
    return this.nodes.length < count;
  }

  neighboursOf(ip: string): number {
    const wanted = neighbourhood(ip);
    return this.nodes.filter((node) => neighbourhood(node.ip) === wanted).length;
  }
}

/** A list of at most so many nodes. */
export function createListTable(most: number, chance: Chance): NodeTable {
  const row = new Row(most);
  return {
    get size() {
      return row.nodes.length;
    },
    waiting: 0,
    add(node) {
      if (row.renew(node)) return true;
      const crowded = !isLan(node.ip) && row.neighboursOf(node.ip) >= NEIGHBOURS_IN_TABLE;
      if (row.isFull || crowded) return false;
      row.nodes.unshift(node);
      return true;
    },
    remove: (id) => void row.remove(id),
    list: () => [...row.nodes],
    answer: (_, count) => shuffled(row.nodes, chance).slice(0, count),
    oldest: () => row.nodes.at(-1),
  };
}

/** The list in an order of chance. */
export function shuffled<T>(items: readonly T[], chance: Chance): T[] {
  const drawn = items.map((item) => ({ item, order: chance() }));
  return drawn.sort((a, b) => a.order - b.order).map(({ item }) => item);
}

interface Bucket {
  readonly row: Row;
  /** Nodes that take the places of those that do not answer any more. */
  readonly replacements: Row;
}

/** Buckets by the distance of the nodes' hashed ids from `ownId`'s. */
export function createBucketTable(ownId: Uint8Array, chance: Chance): NodeTable {
  const ownHash = keccak256(ownId);
  const buckets: readonly Bucket[] = Array.from({ length: BUCKETS }, () => ({
    row: new Row(IN_BUCKET),
    replacements: new Row(REPLACEMENTS),
  }));
  const bucketOf = (id: Uint8Array): Bucket => buckets[bucketIndex(ownHash, keccak256(id))] as Bucket; // 0 to 16
  const all = (): FoundNode[] => buckets.flatMap(({ row }) => row.nodes);
  const hasRoom = (row: Row, { ip }: FoundNode): boolean => {
    if (row.isFull) return false;
    if (isLan(ip)) return true;
    const inTable = buckets.reduce((sum, each) => sum + each.row.neighboursOf(ip), 0);
    return inTable < NEIGHBOURS_IN_TABLE && row.neighboursOf(ip) < NEIGHBOURS_IN_BUCKET;
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
      if (row.renew(node)) return true;
      if (hasRoom(row, node)) {
        replacements.remove(node.id);
        row.nodes.unshift(node);
        return true;
      }
      if (!replacements.renew(node) && !replacements.isFull) replacements.nodes.unshift(node);
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
    answer: (target, most) => closest(all(), target).slice(0, most),
    oldest: () =>
      shuffled(buckets, chance)
        .find(({ row }) => row.nodes.length > 0)
        ?.row.nodes.at(-1),
  };
}

/** Sorted by the distance of their hashed ids from the hashed target. */
export function closest(nodes: readonly FoundNode[], target: Uint8Array): FoundNode[] {
  const hash = keccak256(target);
  const measured = nodes.map((node) => ({ node, away: xor(keccak256(node.id), hash) }));
  return measured.sort((a, b) => Buffer.compare(a.away, b.away)).map(({ node }) => node);
}

function xor(a: Uint8Array, b: Uint8Array): Uint8Array {
  return a.map((byte, index) => byte ^ (b[index] ?? 0));
}

/** 16 for hashes that differ in their first bit, one less for each bit they share; the nearest share bucket 0. */
function bucketIndex(a: Uint8Array, b: Uint8Array): number {
  const away = xor(a, b);
  const byte = away.findIndex((each) => each !== 0);
  if (byte < 0) return 0;
  const shared = byte * 8 + Math.clz32(away[byte] ?? 0) - 24;
  return Math.max(0, BUCKETS - 1 - shared);
}
