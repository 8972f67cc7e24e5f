/** Options of the compatibility with the two Go lines. */
import { choice } from "../options/kinds.ts";
import { NODE, optionGroup, type ValuesOf } from "../options/rows.ts";

const rpc = optionGroup("RPC", NODE);

/** Rows of the implementation to follow. */
export const profileOptions = {
  profile: rpc({
    flag: "rpc.profile",
    kind: choice(["service", "klaytn", "kaia"]),
    default: "service",
    summary: "implementation to follow where nodes differ",
    own: true,
  }),
};

/** Implementation to follow. */
export type ProfileOptions = ValuesOf<typeof profileOptions>;
