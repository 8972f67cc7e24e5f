/** Options of the commands about checkpoints. */
import { booleanKind } from "../options/kinds.ts";
import { optionGroup } from "../options/rows.ts";

const verification = optionGroup("Checkpoint", ["checkpoint-verify"]);

/** Rows of `knit checkpoint verify`. */
export const checkpointOptions = {
  full: verification({
    flag: "full",
    kind: booleanKind,
    default: false,
    summary: "verify every table file, account, slot and trie node as `knit db verify` does",
    own: true,
  }),
};
