/** Tests of the methods of `admin` about the node's configuration. */
import { expect, test } from "@jest/globals";
import { type ProfileName, rpcProfiles } from "../../../node/compat/profiles.ts";
import { adminNodeMethods } from "../../../node/rpc/admin-node.ts";
import { adaptRows } from "../../support/adapt-rows.ts";
import { askRow } from "../../support/ask-row.ts";

const KAIA = "staking info recovery is only available before Kaia fork block (from: 1, to: 2)";
const KLAYTN = "there is no staking info to be synced";

test.each<[ProfileName, string, string, boolean]>([
  ["service", KAIA, KAIA, false],
  ["klaytn", KLAYTN, KLAYTN, false],
  // Kaia v2.2.2 never takes back that a refused sync runs
  ["kaia", KAIA, "already syncing", true],
])(
  "the status of staking information after a refused sync in the profile %s",
  async (name, first, second, syncing) => {
    const { keepsRefusedSync } = rpcProfiles[name].options;
    const rows = adaptRows(name, adminNodeMethods({ nodeConfig: {}, keepsRefusedSync }));
    const status = { pending: [], total: 0, completed: 0 };
    expect(await askRow(rows, "admin_syncStakingInfoStatus")).toEqual({ ...status, syncing: false });
    for (const message of [first, second])
      await expect(askRow(rows, "admin_syncStakingInfo", "peer", 1, 2)).rejects.toThrow(message);
    expect(await askRow(rows, "admin_syncStakingInfoStatus")).toEqual({ ...status, syncing });
  },
);
