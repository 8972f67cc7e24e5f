/**
 * Charges for messages that serve nobody: answers without a request, empty announcements, requests for blocks that do
 * not exist. Honest peers send a few of them, when both sides change their minds at once.
 */
import { createRate } from "../p2p/budget.ts";
import type { Clock } from "../runtime/clock.ts";
import { ProtocolError } from "./error.ts";
import { RATES } from "./limits.ts";

/** Bytes that count as much as a message. */
const BYTES_A_MESSAGE = 256 * 1024;

/** Charges a useless message. Throws `ProtocolError` `useless` when the peer has sent too many. */
export type ChargeUseless = (what: string, bytes: number) => void;

/** Creates the account of one peer. */
export function createUselessAccount(clock: Clock): ChargeUseless {
  const rate = createRate(RATES.useless, clock);
  return (what, bytes) => {
    if (rate(1 + bytes / BYTES_A_MESSAGE) === 0) return;
    throw new ProtocolError("useless", `too many useless messages, at last ${what}`);
  };
}
