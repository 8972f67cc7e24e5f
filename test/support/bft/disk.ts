/** Durable state of a validator of the simulation after a step. */

import type { DurableState, RoundState } from "../../../node/consensus/bft/round-state.ts";
import { lockWrittenAhead, reservationOf } from "../../../node/consensus/bft/signing-record.ts";
import { compareViews } from "../../../node/consensus/bft/view.ts";
import type { SimulatedBlock } from "./simulated.ts";

/** The signed messages, or with them the state that was written ahead; the votes of a lock may be written later. */
export function drawDisk(
  state: RoundState<SimulatedBlock>,
  random: () => number,
): DurableState<SimulatedBlock> {
  const { signed, lock, view } = state;
  if (random() < 0.5) return { signed, lock };
  if (compareViews(signed.view, view) < 0) return { signed: reservationOf(view), lock };
  const isLate = lock?.round === 0 && view.round === 0;
  return lockWrittenAhead(state) ?? { signed, lock: isLate ? { ...lock, proof: [] } : lock };
}
