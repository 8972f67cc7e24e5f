/** The flags of making blocks: rows of the flag table. */
import { account, duration, integer, shortText } from "./flags-kinds.ts";
import { NODE, rows } from "./flags-rows.ts";

const consensus = rows("Consensus", NODE);

/** What blocks made here are like. */
export const consensusFlags = {
  rewardbase: consensus.maybe(
    account,
    "the account that earns the rewards of blocks made here",
    "common.rewardbase",
  ),
  "block-generation-interval": consensus.flag(
    integer(1),
    1,
    "seconds between blocks",
    "experimental.block-generation-interval",
  ),
  "block-generation-time-limit": consensus.flag(
    duration,
    250,
    "how long transactions are put into a block",
    "experimental.block-generation-time-limit",
  ),
  extradata: consensus.maybe(
    shortText(31), // the last of 32 bytes is the round
    "what blocks made here say of themselves; knit's version by default",
    "common.block-extra-data",
  ),
};
