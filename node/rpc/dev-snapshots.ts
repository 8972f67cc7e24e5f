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
import { wholeNumber } from "./dev-mining.ts";
import type { DevStateDeps, Edits } from "./dev-state.ts";

/** Parts of a development chain that a snapshot brings back. */
export interface DevSnapshotDeps {
  readonly miner: Pick<Miner, "idle">;
  readonly clock: AdjustableClock;
  readonly head: () => Block;
  /** Takes the chain back to a block. Rejects when its state is no longer kept. */
  readonly setHead: (number: number) => Promise<void>;
  readonly edits: Edits;
  readonly amend: DevStateDeps["amend"];
}

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
export function devSnapshotMethods({ miner, clock, head, setHead, edits, amend }: DevSnapshotDeps): Method[] {
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
        await miner.idle();
        await setHead(snapshot.number);
        const undo = edits.undoAfter(snapshot.edits, snapshot.number);
        if (undo !== undefined) await amend(undo);
        snapshots = snapshots.filter((each) => each.id < id);
        clock.move(snapshot.offsetMs - clock.offsetMs);
        clock.releaseTo(snapshot.timeMs);
        return true;
      },
    }),
  ];
}
