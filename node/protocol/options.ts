/** Options of the chain protocol. */
import { secondsKind } from "../options/kinds.ts";
import { NODE, optionGroup, type ValuesOf } from "../options/rows.ts";

const pool = optionGroup("Transaction pool", NODE);

/** Rows of the resends of pending transactions. */
export const resendOptions = {
  resendMs: pool({
    flag: "txresend.interval",
    kind: secondsKind(1, 3_600),
    default: 4_000,
    summary: "seconds between resends of pending transactions to peers",
  }),
};

/** Interval between resends of pending transactions. */
export type ResendOptions = ValuesOf<typeof resendOptions>;
