/**
 * State that reconciliations share while the operator runs. None of it is needed after a restart: it saves repeated
 * requests, and keeps concurrent workers from starting two operations at once.
 */
import { keyOf, type ObjectMeta } from "../api/resource.ts";
import { nodeOfMember } from "../build/names.ts";
import type { AddAttempts } from "../plan/mesh.ts";
import type { BlockMark } from "../plan/production.ts";
import { AddressBook } from "./address-book.ts";

/** Peers that the operator added to a running node. */
export interface AddedPeers {
  /** Incarnation of the pod at that time; another one has lost the added peers. */
  readonly incarnation: string;
  readonly attempts: AddAttempts;
}

/** A volume expansion that the API server refused. */
export interface RefusedGrowth {
  /** The requested size, and the claim that it was requested for. */
  readonly request: string;
  readonly message: string;
  /** Time of the next attempt, milliseconds since the epoch. */
  readonly againAt: number;
}

/** The state. Keys are `namespace/name` of members and Nodes, and those of groups and chains. */
export class ReconcileMemory {
  readonly addresses = new AddressBook();
  readonly #addedPeers = new Map<string, AddedPeers>();
  readonly #refusedGrowths = new Map<string, RefusedGrowth>();
  readonly #blockMarks = new Map<string, BlockMark>();
  readonly #heights = new Map<string, number>();
  readonly #staleFigures = new Set<string>();
  readonly #lockedGroups = new Set<string>();
  readonly #deletions = new Map<string, { readonly uid: string; readonly at: number }>();

  /** Returns the time of the first look at a deletion, which is `now` for a new one. */
  startDeletion(meta: Pick<ObjectMeta, "namespace" | "name" | "uid">, now: number): number {
    const { uid } = meta;
    const known = this.#deletions.get(keyOf(meta));
    if (known?.uid === uid) return known.at;
    this.#deletions.set(keyOf(meta), { uid, at: now });
    return now;
  }

  /** Forgets the start of a deletion. */
  endDeletion(node: string): void {
    this.#deletions.delete(node);
  }

  /** Returns the peers that were added to a member's node. */
  addedPeers(member: string): AddedPeers | undefined {
    return this.#addedPeers.get(member);
  }

  /** Records the peers that were added to a member's node. */
  recordAddedPeers(member: string, added: AddedPeers): void {
    this.#addedPeers.set(member, added);
  }

  /** Returns the highest block of a network, and the time of its first report. */
  blockMark(network: string): BlockMark | undefined {
    return this.#blockMarks.get(network);
  }

  /** Records the highest block of a network; undefined deletes the record. */
  recordBlockMark(network: string, mark: BlockMark | undefined): void {
    if (mark === undefined) this.#blockMarks.delete(network);
    else this.#blockMarks.set(network, mark);
  }

  /** Returns the last refusal of a member's volume expansion. */
  refusedGrowth(member: string): RefusedGrowth | undefined {
    return this.#refusedGrowths.get(member);
  }

  /** Records a refusal, or with undefined that the expansion was accepted. */
  recordRefusedGrowth(member: string, refused: RefusedGrowth | undefined): void {
    if (refused === undefined) this.#refusedGrowths.delete(member);
    else this.#refusedGrowths.set(member, refused);
  }

  /** Returns the common height of a chain at its last reading. */
  commonHeight(chain: string): number | undefined {
    return this.#heights.get(chain);
  }

  /** Records a reading of a chain; undefined deletes the record. */
  recordCommonHeight(chain: string, height: number | undefined): void {
    if (height === undefined) this.#heights.delete(chain);
    else this.#heights.set(chain, height);
  }

  /** True when the figures in a Node's status are due to be written, even without another change. */
  areFiguresStale(node: string): boolean {
    return this.#staleFigures.has(node);
  }

  /** Marks the figures of a Node as due to be written. */
  markFiguresStale(node: string): void {
    this.#staleFigures.add(node);
  }

  /** Marks the figures of a Node as written. */
  markFiguresWritten(node: string): void {
    this.#staleFigures.delete(node);
  }

  /** True while a worker writes the start of an operation in this group to a status. */
  isGroupLocked(group: string): boolean {
    return this.#lockedGroups.has(group);
  }

  /** Locks a group until the result is disposed. A group that is locked already stays with its first holder. */
  lockGroup(group: string): Disposable {
    const isHolder = !this.#lockedGroups.has(group);
    this.#lockedGroups.add(group);
    return {
      [Symbol.dispose]: () => {
        if (isHolder) this.#lockedGroups.delete(group);
      },
    };
  }

  /** Forgets a deleted Node. */
  deleteNode(node: string): void {
    for (const memory of [this.#addedPeers, this.#refusedGrowths])
      for (const member of memory.keys()) if (nodeOfMember(member) === node) memory.delete(member);
    this.#staleFigures.delete(node);
    this.endDeletion(node);
    this.addresses.forget((member) => nodeOfMember(member) === node);
  }
}
