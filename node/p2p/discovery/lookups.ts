/** Lookups: asks who may know, bonds with who was named, and gives those that answered. */
import { equalBytes } from "../../bytes/compare.ts";
import { mapKey } from "../../bytes/hex.ts";
import type { NodeType } from "../node-type.ts";
import type { Bonding } from "./bonding.ts";
import type { Bonds } from "./bonds.ts";
import type { Exchange, Question } from "./exchange.ts";
import type { FoundNode } from "./packets.ts";
import { type Chance, closest, type NodeTable, shuffled } from "./tables.ts";

/** What lookups work on. */
export interface LookupParts {
  readonly ownId: Uint8Array;
  readonly exchange: Exchange;
  readonly bonding: Bonding;
  readonly bonds: Bonds;
  readonly tables: ReadonlyMap<NodeType, NodeTable>;
  /** Whether this node looks for endpoint nodes: those look for each other, others keep the ones that come. */
  readonly walks: boolean;
  /** The boot nodes with their addresses of now. */
  readonly bootNodes: () => Promise<readonly FoundNode[]>;
  readonly random: (length: number) => Uint8Array;
  readonly chance: Chance;
}

const AT_ONCE = 3;
const CLOSEST = 16;
/** Nodes that name nearer and nearer ones are not followed for ever. */
const MOST_ASKED = 48;
const BONDS_AT_ONCE = 16;
const MOST_FAILURES = 5;
const RANDOM_WALKS = 3;

/** The lookups of a node. */
export class Lookups {
  readonly #parts: LookupParts;

  constructor(parts: LookupParts) {
    this.#parts = parts;
  }

  /** Nodes of a type. Endpoint nodes are walked for, the others are asked of the boot nodes. */
  find(type: NodeType): Promise<FoundNode[]> {
    return type === "en" ? this.#walk(this.#parts.random(64)) : this.#askBootNodes(type);
  }

  /** Bonds with the boot nodes, and fills the buckets if this node walks. */
  async refresh(): Promise<void> {
    const { ownId, random, walks } = this.#parts;
    await this.#servers();
    if (!walks) return;
    await this.#walk(ownId);
    for (let count = 0; count < RANDOM_WALKS; count++) await this.#walk(random(64));
  }

  /** Up to three boot nodes that answer. */
  async #servers(): Promise<FoundNode[]> {
    const { tables, chance, bootNodes, bonding } = this.#parts;
    const table = tables.get("bn");
    if (table === undefined) return [];
    if (table.size === 0) await Promise.all((await bootNodes()).map((node) => bonding.bond(node)));
    return shuffled(table.list(), chance).slice(0, AT_ONCE);
  }

  async #askBootNodes(wanted: NodeType): Promise<FoundNode[]> {
    const question = { target: new Uint8Array(64), wanted };
    const servers = await this.#servers();
    const answers = await Promise.all(servers.map((server) => this.#ask(server, question)));
    return this.#bondWith(distinct(answers.flat()));
  }

  /** Asks nearer and nearer nodes until the nearest of all have been asked. */
  async #walk(target: Uint8Array): Promise<FoundNode[]> {
    const { tables } = this.#parts;
    let near = tables.get("en")?.answer(target, CLOSEST) ?? [];
    const asked = new Set<string>();
    let next = [...near.slice(0, AT_ONCE), ...(await this.#servers())];
    while (next.length > 0 && asked.size < MOST_ASKED) {
      for (const { id } of next) asked.add(mapKey(id));
      const answers = await Promise.all(next.map((node) => this.#ask(node, { target, wanted: "en" })));
      const seen = new Set(near.map(({ id }) => mapKey(id)));
      const fresh = distinct(answers.flat()).filter(({ id }) => !seen.has(mapKey(id)));
      near = closest([...near, ...(await this.#bondWith(fresh))], target).slice(0, CLOSEST);
      next = near.filter(({ id }) => !asked.has(mapKey(id))).slice(0, AT_ONCE);
    }
    return near;
  }

  /** What a node tells; nothing when it does not answer, and it is forgotten when it did not for some times. */
  async #ask(node: FoundNode, question: Question): Promise<FoundNode[]> {
    const { bonding, bonds, exchange, tables } = this.#parts;
    const bonded = await bonding.bond(node);
    const found = bonded ? await exchange.find(bonded, question) : undefined;
    if (found !== undefined) {
      bonds.answered(node.id);
      return found;
    }
    if (bonds.failed(node.id) >= MOST_FAILURES) tables.get(node.type)?.remove(node.id);
    return [];
  }

  async #bondWith(nodes: readonly FoundNode[]): Promise<FoundNode[]> {
    const { bonding, ownId } = this.#parts;
    const others = nodes.filter(({ id }) => !equalBytes(id, ownId));
    const bonded: FoundNode[] = [];
    for (let at = 0; at < others.length; at += BONDS_AT_ONCE) {
      const some = others.slice(at, at + BONDS_AT_ONCE);
      const answers = await Promise.all(some.map((node) => bonding.bond(node)));
      bonded.push(...answers.filter((answer) => answer !== undefined));
    }
    return bonded;
  }
}

function distinct(nodes: readonly FoundNode[]): FoundNode[] {
  return [...new Map(nodes.map((node) => [mapKey(node.id), node])).values()];
}
