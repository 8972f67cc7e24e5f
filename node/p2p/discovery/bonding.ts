/**
 * Bonding: two nodes ping each other, so that each knows that the other is where it says. Then they are kept in the
 * table of their type. Bonds that others begin are bounded, so that pings with false senders make little of us.
 */
import { equalBytes } from "../../bytes/compare.ts";
import { mapKey } from "../../bytes/hex.ts";
import type { NodeType } from "../node-type.ts";
import type { Bonds } from "./bonds.ts";
import type { Exchange } from "./exchange.ts";
import type { FoundNode } from "./packets.ts";
import type { NodeTable } from "./tables.ts";

/** What bonding works on. */
export interface BondingParts {
  readonly ownId: Uint8Array;
  readonly exchange: Exchange;
  readonly bonds: Bonds;
  readonly tables: ReadonlyMap<NodeType, NodeTable>;
  /** Whether a node is one of the boot nodes that the operator named; others that say so are not kept. */
  readonly isBootNode: (id: Uint8Array) => boolean;
}

const AT_ONCE = 16;
const MOST_WAITING = 128;

/** Bonds under way. */
export class Bonding {
  readonly #parts: BondingParts;
  readonly #running = new Map<string, Promise<FoundNode | undefined>>();
  readonly #waiting: FoundNode[] = [];
  #begunByOthers = 0;

  constructor(parts: BondingParts) {
    this.#parts = parts;
  }

  /** The node as it proved to be, now or before; undefined when it did not. It is in its table then if there is room. */
  async bond(node: FoundNode): Promise<FoundNode | undefined> {
    const sound = this.#parts.bonds.sound(node.id, node.ip);
    return sound === undefined ? this.#once(node, true) : this.#keep(sound);
  }

  /** A node pinged us: bonds with it when there is time, at once if it is bonded already. */
  pinged(node: FoundNode): void {
    if (this.#begunByOthers < AT_ONCE) void this.#answer(node);
    else if (this.#waiting.length < MOST_WAITING) this.#waiting.push(node);
  }

  async #answer(node: FoundNode): Promise<void> {
    this.#begunByOthers++;
    const { bonds } = this.#parts;
    if (bonds.sound(node.id, node.ip) === undefined) await this.#once(node, false);
    else this.#keep(node);
    this.#begunByOthers--;
    const next = this.#waiting.shift();
    if (next !== undefined) void this.#answer(next);
  }

  #once(node: FoundNode, begunByUs: boolean): Promise<FoundNode | undefined> {
    if (equalBytes(node.id, this.#parts.ownId) || node.tcpPort === 0) return Promise.resolve(undefined);
    const key = mapKey(node.id);
    const running = this.#running.get(key);
    if (running !== undefined) return running;
    const bond = this.#exchangePings(node, begunByUs).finally(() => this.#running.delete(key));
    this.#running.set(key, bond);
    return bond;
  }

  async #exchangePings(node: FoundNode, begunByUs: boolean): Promise<FoundNode | undefined> {
    const { exchange, bonds } = this.#parts;
    const theirs = begunByUs ? exchange.pingOf(node.id) : undefined;
    if (!(await exchange.ping(node))) return undefined;
    bonds.prove(node);
    const { tcpPort, type } = (await theirs) ?? node; // its own word counts for more than another node's
    return this.#keep({ ...node, tcpPort, type });
  }

  #keep(said: FoundNode): FoundNode {
    const { tables, isBootNode, bonds } = this.#parts;
    const named = isBootNode(said.id);
    const node: FoundNode = named ? { ...said, type: "bn" } : said;
    bonds.know(node);
    for (const [type, table] of tables) if (type !== node.type) table.remove(node.id);
    if (named || node.type !== "bn") tables.get(node.type)?.add(node);
    return node;
  }
}
