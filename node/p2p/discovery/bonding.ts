/**
 * Endpoint proof by mutual pings, after which a node enters the table of its type (`Bond` in
 * networks/p2p/discover/table.go@v2.2.2). Bonds that other nodes start are bounded, so that pings with forged
 * senders cause little traffic.
 */
import type { NodeId } from "../../bytes/brands.ts";
import { equalBytes } from "../../bytes/compare.ts";
import { mapKey } from "../../bytes/hex.ts";
import type { NodeType } from "../node-type.ts";
import type { Bonds } from "./bonds.ts";
import type { Exchange } from "./exchange.ts";
import type { FoundNode } from "./packets.ts";
import type { NodeTable } from "./tables.ts";

/** Dependencies of bonding. */
export interface BondingDeps {
  readonly ownId: NodeId;
  readonly exchange: Exchange;
  readonly bonds: Bonds;
  readonly tables: ReadonlyMap<NodeType, NodeTable>;
  /** True for a boot node that the operator named. Other nodes that claim to be boot nodes are not kept. */
  readonly isBootNode: (id: NodeId) => boolean;
}

const MAX_CONCURRENT = 16;
const MAX_WAITING = 128;

/** Bonds in progress. */
export class Bonding {
  readonly #deps: BondingDeps;
  readonly #running = new Map<string, Promise<FoundNode | undefined>>();
  readonly #waiting: FoundNode[] = [];
  #theirs = 0;

  constructor(deps: BondingDeps) {
    this.#deps = deps;
  }

  /**
   * Bonds with a node. Resolves with the node as it described itself, or with undefined when it did not
   * answer. A bonded node is in its table if the table has room.
   */
  async bond(node: FoundNode): Promise<FoundNode | undefined> {
    const bonded = this.#deps.bonds.responsiveNode(node.id, node.ip);
    return bonded === undefined ? this.#once(node, true) : this.#keep(bonded);
  }

  /** Handles an unexpected ping: bonds with its sender when a slot is free. */
  onPing(node: FoundNode): void {
    if (this.#theirs < MAX_CONCURRENT) void this.#answer(node);
    else if (this.#waiting.length < MAX_WAITING) this.#waiting.push(node);
  }

  async #answer(node: FoundNode): Promise<void> {
    this.#theirs++;
    const { bonds } = this.#deps;
    if (bonds.responsiveNode(node.id, node.ip) === undefined) await this.#once(node, false);
    else this.#keep(node);
    this.#theirs--;
    const next = this.#waiting.shift();
    if (next !== undefined) void this.#answer(next);
  }

  #once(node: FoundNode, isOurs: boolean): Promise<FoundNode | undefined> {
    if (equalBytes(node.id, this.#deps.ownId) || node.tcpPort === 0) return Promise.resolve(undefined);
    const key = mapKey(node.id);
    const running = this.#running.get(key);
    if (running !== undefined) return running;
    const bond = this.#exchangePings(node, isOurs).finally(() => this.#running.delete(key));
    this.#running.set(key, bond);
    return bond;
  }

  async #exchangePings(node: FoundNode, isOurs: boolean): Promise<FoundNode | undefined> {
    const { exchange, bonds } = this.#deps;
    const theirs = isOurs ? exchange.nextPing(node.id) : undefined;
    if (!(await exchange.ping(node))) return undefined;
    bonds.prove(node);
    const { tcpPort, type } = (await theirs) ?? node; // its own word counts for more than another node's
    return this.#keep({ ...node, tcpPort, type });
  }

  #keep(said: FoundNode): FoundNode {
    const { tables, isBootNode, bonds } = this.#deps;
    const named = isBootNode(said.id);
    const node: FoundNode = named ? { ...said, type: "bn" } : said;
    bonds.update(node);
    for (const [type, table] of tables) if (type !== node.type) table.remove(node.id);
    if (named || node.type !== "bn") tables.get(node.type)?.add(node);
    return node;
  }
}
