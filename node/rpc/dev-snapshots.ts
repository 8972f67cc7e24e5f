/**
 * Snapshots of a development chain: the number of its newest block, its clock and its edits of the state. A revert
 * takes the chain back as `debug_setHead` does, so earlier blocks keep their hashes.
 */
import type { NextHeader } from "../chain/next-header.ts";
import type { Miner } from "../consensus/miner.ts";
import { numberQuantity } from "../jsonrpc/codecs/hex.ts";
import { boolean } from "../jsonrpc/codecs/plain.ts";
import { type Method, method } from "../jsonrpc/method.ts";
import type { Block } from "../model/block.ts";
import type { AdjustableClock } from "../runtime/adjustable-clock.ts";
import type { Edits } from "./dev-state.ts";
import { wholeNumber } from "./whole-number.ts";

/** Parts of a development chain that a snapshot brings back. */
export interface DevSnapshotDeps {
  readonly miner: Pick<Miner, "idle">;
  readonly clock: AdjustableClock;
  readonly head: () => Block;
  readonly edits: Edits;
  readonly snapshots: Snapshots;
  readonly nextHeader: Pick<NextHeader, "gasLimitAt">;
  readonly goBack: GoBack;
}

/**
 * Takes the chain back to a block, its state to the first `edits` edits and its clock to an offset. Rejects when the
 * state of the block is no longer kept.
 */
export type GoBack = (point: Omit<Snapshot, "id">) => Promise<void>;

interface Snapshot {
  readonly id: number;
  readonly number: number;
  readonly offsetMs: number;
  /** Edits of the state before the snapshot. */
  readonly edits: number;
  /** Time of the snapshot's block in milliseconds. */
  readonly timeMs: number;
  /** Limit of gas that was set for the next block; undefined for the one that holds for its number. */
  readonly gasLimit?: bigint | undefined;
}

/** The snapshots of a chain. Their ids count from 1, again after a reset. */
export class Snapshots {
  #kept: readonly Snapshot[] = [];
  #lastId = 0;

  /** Returns its id. */
  add(point: Omit<Snapshot, "id">): number {
    const id = ++this.#lastId;
    this.#kept = [...this.#kept, { ...point, id }];
    return id;
  }

  find(id: number): Snapshot | undefined {
    return this.#kept.find((each) => each.id === id);
  }

  /** Forgets a snapshot and all later ones. */
  forgetSince(id: number): void {
    this.#kept = this.#kept.filter((each) => each.id < id);
  }

  /** Forgets snapshots of blocks that the chain has left. */
  forgetAfter(number: number): void {
    this.#kept = this.#kept.filter((each) => each.number <= number);
  }

  clear(): void {
    this.#kept = [];
    this.#lastId = 0;
  }
}

/** The methods of snapshots. */
export function devSnapshotMethods(deps: DevSnapshotDeps): Method[] {
  const { miner, clock, head, edits, snapshots, nextHeader, goBack } = deps;
  return [
    method({
      name: "evm_snapshot",
      aliases: ["anvil_snapshot", "dev_snapshot"],
      summary: "Takes a snapshot of the chain and returns its id.",
      params: {},
      result: numberQuantity,
      handle: async () => {
        await miner.idle();
        const { number, time } = head().header;
        const { offsetMs } = clock;
        const gasLimit = nextHeader.gasLimitAt(number + 1);
        return snapshots.add({ number, offsetMs, edits: edits.count, timeMs: time * 1000, gasLimit });
      },
    }),
    method({
      name: "evm_revert",
      aliases: ["anvil_revert", "dev_revert"],
      summary:
        "Takes the chain back to a snapshot, which is used up with all later ones. Returns false for an unknown id.",
      params: { id: wholeNumber },
      result: boolean,
      handle: async ({ id }) => {
        const snapshot = snapshots.find(id);
        if (snapshot === undefined) return false;
        await goBack(snapshot);
        snapshots.forgetSince(id);
        return true;
      },
    }),
  ];
}
