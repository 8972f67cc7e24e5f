/** Options of the auction (KIP-249). */
import { booleanKind, duration, integerKind, type Kind } from "../options/kinds.ts";
import { NODE, optionGroup, type ValuesOf } from "../options/rows.ts";

const consensus = optionGroup("Consensus", NODE);

const MAX_DEADLINE_MS = 1_000;

const deadlineKind: Kind<number> = {
  ...duration,
  parse: (value) => {
    const ms = duration.parse(value);
    if (ms > MAX_DEADLINE_MS) throw new Error("a time of up to 1s");
    return ms;
  },
};

/** Rows of the auction. */
export const auctionOptions = {
  isDisabled: consensus({
    flag: "auction.disable",
    kind: booleanKind,
    default: false,
    summary: "take no bids of an auctioneer for places in blocks (KIP-249)",
    aliases: ["kaiax.module.auction.disable"],
  }),
  maxBids: consensus({
    flag: "auction.max-bid-pool-size",
    kind: integerKind(0),
    summary: "maximum number of bids",
    aliases: ["kaiax.module.auction.max-bid-pool-size"],
    differs: "bids take at most 16 MiB",
  }),
  earlyDeadlineMs: consensus({
    flag: "auction.ed-offset",
    kind: deadlineKind,
    default: 200,
    summary: "transactions this late before a proposal wait, except targets of bids",
    aliases: ["kaiax.module.auction.ed-offset"],
  }),
};

/** Options of the auction. */
export type AuctionOptions = ValuesOf<typeof auctionOptions>;
