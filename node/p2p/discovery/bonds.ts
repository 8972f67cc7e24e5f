/**
 * Endpoint proofs: a node that answered a ping from an address is bonded there for 24 hours. Only bonded
 * nodes get answers that are larger than their questions. Bounded; the least recently proved bond is dropped
 * first. The order is exact, unlike that of a `RecentMap`, whose look-ups would prolong bonds.
 */
import type { NodeId } from "../../bytes/brands.ts";
import { mapKey } from "../../bytes/hex.ts";
import type { Clock } from "../../runtime/clock.ts";
import type { FoundNode } from "./packets.ts";

/** Lifetime of a bond, in milliseconds. */
const LIFETIME_MS = 24 * 3_600_000;

interface Bond {
  node: FoundNode;
  readonly provenAt: number;
  /** Number of unanswered questions in a row. */
  failures: number;
}

/** Bonds by node id. */
export class Bonds {
  readonly #clock: Clock;
  readonly #max: number;
  readonly #bonds = new Map<string, Bond>();

  constructor(clock: Clock, max: number) {
    this.#clock = clock;
    this.#max = max;
  }

  get size(): number {
    return this.#bonds.size;
  }

  /** Records a pong of a node from its address. */
  prove(node: FoundNode): void {
    const key = mapKey(node.id);
    this.#bonds.delete(key);
    this.#bonds.set(key, { node, provenAt: this.#clock.now(), failures: 0 });
    if (this.#bonds.size > this.#max) this.#bonds.delete(this.#bonds.keys().next().value ?? "");
  }

  /** Updates the TCP port and type of a bonded node. */
  update(node: FoundNode): void {
    const bond = this.#bonds.get(mapKey(node.id));
    if (bond !== undefined) bond.node = node;
  }

  /** Returns true when the node has a valid bond at this address. */
  isBonded(id: NodeId, ip: string): boolean {
    return this.#bonds.get(mapKey(id))?.node.ip === ip && this.ageMs(id) < LIFETIME_MS;
  }

  /** Returns the bonded node at this address, unless its last question went unanswered. */
  responsiveNode(id: NodeId, ip: string): FoundNode | undefined {
    const bond = this.#bonds.get(mapKey(id));
    return this.isBonded(id, ip) && bond?.failures === 0 ? bond.node : undefined;
  }

  /** Returns the milliseconds since the endpoint was proved. */
  ageMs(id: NodeId): number {
    const bond = this.#bonds.get(mapKey(id));
    return bond === undefined ? Number.POSITIVE_INFINITY : this.#clock.now() - bond.provenAt;
  }

  /** Counts an unanswered question. Returns the number of failures in a row. */
  countFailure(id: NodeId): number {
    const bond = this.#bonds.get(mapKey(id));
    return bond === undefined ? Number.POSITIVE_INFINITY : ++bond.failures;
  }

  resetFailures(id: NodeId): void {
    const bond = this.#bonds.get(mapKey(id));
    if (bond !== undefined) bond.failures = 0;
  }

  delete(id: NodeId): void {
    this.#bonds.delete(mapKey(id));
  }
}
