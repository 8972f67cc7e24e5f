/**
 * Newest blocks whose rows a damaged directory has lost, while the rest of the chain database has gone on: the chain goes
 * back to the newest whole block. No crash leaves such blocks, since their rows are synced first (`store/chain-store.ts`).
 */
import { rewindGovernance } from "../governance/governance.ts";
import type { Log } from "../observe/log.ts";
import type { State } from "../state/state.ts";
import type { Store } from "../store/store.ts";
import { tables } from "../store/tables.ts";
import { amendedRoot } from "./amended.ts";
import { storedHeader } from "./block-rows.ts";
import { gap, isWhole, markRecordIncomplete } from "./continuity.ts";
import { rewindMarks } from "./rewind.ts";

/**
 * Takes the chain back to the newest whole block. Does nothing where that is the head. Throws `ChainError` `bad-block` when
 * the state of that block cannot be restored any more.
 */
export async function dropLostBlocks(store: Store, state: State, log: Log): Promise<void> {
  const head = state.number;
  const { oldestRewind } = state.figures();
  let number = head;
  while (number >= 0 && !isWhole(store, number)) {
    if (number <= oldestRewind) throw gap(number, "is missing");
    number--;
  }
  if (number === head) return;
  const header = storedHeader(store, number);
  if (header === undefined) throw gap(number, "is missing");
  log.warn({ head, number }, "rows of the newest blocks are lost, going back to the newest whole block");
  await state.ready;
  const batch = store.createBatch();
  rewindMarks(store, batch, { head, number });
  markRecordIncomplete(batch);
  rewindGovernance(store, batch, { head, number });
  for (let each = number + 1; each <= head; each++) batch.delete(tables.supply.key(each));
  const root = amendedRoot(store, number) ?? header.stateRoot;
  await state.rewind({ number, root }, batch, () => store.write(batch, { sync: true }));
}
