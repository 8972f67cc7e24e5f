/**
 * Lookups: ask known nodes for others, bond with the nodes in their answers and return those that respond.
 */
import type { NodeId } from "../../bytes/brands.ts";
import { equalBytes } from "../../bytes/compare.ts";
import { mapKey } from "../../bytes/hex.ts";
import type { NodeType } from "../node-type.ts";
import type { Bonding } from "./bonding.ts";
import type { Bonds } from "./bonds.ts";
import type { Exchange, FindNodeQuery } from "./exchange.ts";
import type { FoundNode } from "./packets.ts";
import { closest, type NodeTable, type RandomFraction, shuffle } from "./tables.ts";

/** Dependencies of lookups. */
export interface LookupDeps {
  readonly ownId: NodeId;
  readonly exchange: Exchange;
  readonly bonding: Bonding;
  readonly bonds: Bonds;
  readonly tables: ReadonlyMap<NodeType, NodeTable>;
  /**
   * True on endpoint nodes, which walk the buckets for each other. Other types only keep the endpoint nodes
   * that ping them.
   */
  readonly walks: boolean;
  /** Resolves the current addresses of the boot nodes. */
  readonly bootNodes: () => Promise<readonly FoundNode[]>;
  readonly random: (length: number) => Uint8Array;
  readonly randomFraction: RandomFraction;
}

const CONCURRENCY = 3;
const MAX_CLOSEST = 16;
/** Bound of one walk, for nodes that keep naming nearer ones. */
const MAX_QUERIED = 48;
const MAX_CONCURRENT_BONDS = 16;
const MAX_FAILURES = 5;
const RANDOM_WALKS = 3;

/** Lookups of one node. */
export class Lookups {
  readonly #deps: LookupDeps;

  constructor(deps: LookupDeps) {
    this.#deps = deps;
  }

  /** Looks up nodes of a type. Endpoint nodes are found by a walk, others are asked of the boot nodes. */
  find(type: NodeType): Promise<FoundNode[]> {
    return type === "en" ? this.#walk(this.#deps.random(64)) : this.#askBootNodes(type);
  }

  /** Bonds with the boot nodes, and fills the buckets on nodes that walk. */
  async refresh(): Promise<void> {
    const { ownId, random, walks } = this.#deps;
    await this.#servers();
    if (!walks) return;
    await this.#walk(ownId);
    for (let count = 0; count < RANDOM_WALKS; count++) await this.#walk(random(64));
  }

  /** Returns up to three boot nodes that respond. */
  async #servers(): Promise<FoundNode[]> {
    const { tables, randomFraction, bootNodes, bonding } = this.#deps;
    const table = tables.get("bn");
    if (table === undefined) return [];
    if (table.size === 0) await Promise.all((await bootNodes()).map((node) => bonding.bond(node)));
    return shuffle(table.list(), randomFraction).slice(0, CONCURRENCY);
  }

  async #askBootNodes(wanted: NodeType): Promise<FoundNode[]> {
    const question = { target: new Uint8Array(64), wanted };
    const servers = await this.#servers();
    const answers = await Promise.all(servers.map((server) => this.#ask(server, question)));
    return this.#bondWith(distinct(answers.flat()));
  }

  /** Queries nearer and nearer nodes until the nearest ones have all been asked (Kademlia lookup). */
  async #walk(target: NodeId): Promise<FoundNode[]> {
    const { tables } = this.#deps;
    let near = tables.get("en")?.answer(target, MAX_CLOSEST) ?? [];
    const asked = new Set<string>();
    let next = [...near.slice(0, CONCURRENCY), ...(await this.#servers())];
    while (next.length > 0 && asked.size < MAX_QUERIED) {
      for (const { id } of next) asked.add(mapKey(id));
      const answers = await Promise.all(next.map((node) => this.#ask(node, { target, wanted: "en" })));
      const seen = new Set(near.map(({ id }) => mapKey(id)));
      const fresh = distinct(answers.flat()).filter(({ id }) => !seen.has(mapKey(id)));
      near = closest([...near, ...(await this.#bondWith(fresh))], target).slice(0, MAX_CLOSEST);
      next = near.filter(({ id }) => !asked.has(mapKey(id))).slice(0, CONCURRENCY);
    }
    return near;
  }

  /** Queries one node. A node that fails repeatedly is removed from its table. */
  async #ask(node: FoundNode, question: FindNodeQuery): Promise<FoundNode[]> {
    const { bonding, bonds, exchange, tables } = this.#deps;
    const bonded = await bonding.bond(node);
    const found = bonded ? await exchange.find(bonded, question) : undefined;
    if (found !== undefined) {
      bonds.resetFailures(node.id);
      return found;
    }
    if (bonds.countFailure(node.id) >= MAX_FAILURES) tables.get(node.type)?.remove(node.id);
    return [];
  }

  async #bondWith(nodes: readonly FoundNode[]): Promise<FoundNode[]> {
    const { bonding, ownId } = this.#deps;
    const others = nodes.filter(({ id }) => !equalBytes(id, ownId));
    const bonded: FoundNode[] = [];
    for (let at = 0; at < others.length; at += MAX_CONCURRENT_BONDS) {
      const some = others.slice(at, at + MAX_CONCURRENT_BONDS);
      const answers = await Promise.all(some.map((node) => bonding.bond(node)));
      bonded.push(...answers.filter((answer) => answer !== undefined));
    }
    return bonded;
  }
}

function distinct(nodes: readonly FoundNode[]): FoundNode[] {
  return [...new Map(nodes.map((node) => [mapKey(node.id), node])).values()];
}
