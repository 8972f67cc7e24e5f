/**
 * Who has proved to be where: a node that answered our ping from an address is bonded there for a day. Only bonded
 * nodes are answered at length. Bounded: the bond that was renewed longest ago is forgotten first.
 */
import { mapKey } from "../../bytes/hex.ts";
import type { Clock } from "../../runtime/clock.ts";
import type { FoundNode } from "./packets.ts";

/** A bond is good for so long. */
const GOOD_MS = 24 * 3_600_000;

interface Bond {
  node: FoundNode;
  readonly provenAt: number;
  /** Questions in a row that had no answer. */
  failures: number;
}

/** The bonds of a node. */
export class Bonds {
  readonly #clock: Clock;
  readonly #most: number;
  readonly #bonds = new Map<string, Bond>();

  constructor(clock: Clock, most: number) {
    this.#clock = clock;
    this.#most = most;
  }

  get size(): number {
    return this.#bonds.size;
  }

  /** The node answered a ping where it is. */
  prove(node: FoundNode): void {
    const key = mapKey(node.id);
    this.#bonds.delete(key);
    this.#bonds.set(key, { node, provenAt: this.#clock.now(), failures: 0 });
    if (this.#bonds.size > this.#most) this.#bonds.delete(this.#bonds.keys().next().value ?? "");
  }

  /** A bonded node says more of itself: its port for peers, its type. */
  know(node: FoundNode): void {
    const bond = this.#bonds.get(mapKey(node.id));
    if (bond !== undefined) bond.node = node;
  }

  /** True when the node has proved to be at this address within the last day. */
  holds(id: Uint8Array, ip: string): boolean {
    return this.#bonds.get(mapKey(id))?.node.ip === ip && this.ageMs(id) < GOOD_MS;
  }

  /** What it proved to be, if that is so and it answered what it was asked last. */
  sound(id: Uint8Array, ip: string): FoundNode | undefined {
    const bond = this.#bonds.get(mapKey(id));
    return this.holds(id, ip) && bond?.failures === 0 ? bond.node : undefined;
  }

  /** Milliseconds since it proved where it is. */
  ageMs(id: Uint8Array): number {
    const bond = this.#bonds.get(mapKey(id));
    return bond === undefined ? Number.POSITIVE_INFINITY : this.#clock.now() - bond.provenAt;
  }

  /** It did not answer: how many times in a row by now. */
  failed(id: Uint8Array): number {
    const bond = this.#bonds.get(mapKey(id));
    return bond === undefined ? Number.POSITIVE_INFINITY : ++bond.failures;
  }

  answered(id: Uint8Array): void {
    const bond = this.#bonds.get(mapKey(id));
    if (bond !== undefined) bond.failures = 0;
  }

  forget(id: Uint8Array): void {
    this.#bonds.delete(mapKey(id));
  }
}
