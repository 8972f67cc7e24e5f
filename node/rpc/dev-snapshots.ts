/**
 * Snapshots of a development chain: the number of its newest block, its clock and its edits of the state. A revert
 * takes the chain back as `debug_setHead` does, so earlier blocks keep their hashes.
 */
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
}

/** The methods of snapshots. The ids count from 1. */
export function devSnapshotMethods({ miner, clock, head, edits, goBack }: DevSnapshotDeps): Method[] {
  let snapshots: readonly Snapshot[] = [];
  let nextId = 1;
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
        const snapshot = { id: nextId++, number, offsetMs, edits: edits.count, timeMs: time * 1000 };
        snapshots = [...snapshots, snapshot];
        return snapshot.id;
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
        const snapshot = snapshots.find((each) => each.id === id);
        if (snapshot === undefined) return false;
        await goBack(snapshot);
        snapshots = snapshots.filter((each) => each.id < id);
        return true;
      },
    }),
  ];
}
