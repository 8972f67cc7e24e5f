/** Tests of the credit of the main network. */
import { createHash } from "node:crypto";
import { expect, test } from "@jest/globals";
import { rpcProfiles } from "../../../node/compat/profiles.ts";
import { exactJsonText } from "../../../node/config/exact-json.ts";
import { parseGenesis } from "../../../node/config/genesis.ts";
import { kairos, mainnet } from "../../../node/config/presets/networks.ts";
import { chainGovernanceMethods } from "../../../node/rpc/chain-governance.ts";
import { ethConfigMethods } from "../../../node/rpc/eth-config.ts";
import { adaptRows } from "../../support/adapt-rows.ts";
import { askRow } from "../../support/ask-row.ts";
import { aChain, type TestChain } from "../../support/chain.ts";

/** SHA-256 of the texts in `api/cypress_credit_data.go@v2.2.2`. */
const TEXTS = {
  photo: "5223391d5e6dbe274d3bae8770f3ec03d5a1c48d4e85b0ed1fcb72ac6859cedf",
  names: "216cf328d9d93987b27dfc5b72a680849f7babd32ec74e477074a97736f26692",
  endingPhoto: "b234a02f512678dab3498029be24dbbbe16a3fe66d35f241192578adb1de38e4",
  endingNames: "10ed437c33fd7597dffefaf273863704a1cc626eaab7ba23354100add5903ed0",
};

const sidecars = { sidecarAt: () => undefined };

async function creditOf({ chain, governance }: TestChain, profile: "kaia" | "klaytn"): Promise<object> {
  const deps = { chain, governance, ...rpcProfiles[profile].options };
  const rows = adaptRows(profile, chainGovernanceMethods(deps));
  const texts = (await askRow(rows, "chain_getCypressCredit")) as Record<string, string>;
  return Object.fromEntries(
    Object.entries(texts).map(([name, text]) => [name, createHash("sha256").update(text).digest("hex")]),
  );
}

test("the main network's credit is that of the Go node of each line, and its contract ends with Osaka", async () => {
  await using open = await aChain(parseGenesis(exactJsonText(mainnet.genesis())));
  expect(await creditOf(open, "kaia")).toEqual(TEXTS);
  const { photo, names } = TEXTS;
  expect(await creditOf(open, "klaytn")).toEqual({ photo, names });
  const credit = `0x${"0".repeat(40)}`;
  const config = await askRow(ethConfigMethods({ chain: open.chain, sidecars }), "eth_config");
  expect(config).toMatchObject({ current: { systemContracts: { MAINNET_CREDIT: credit } } });
  expect(config).not.toMatchObject({ last: { systemContracts: { MAINNET_CREDIT: credit } } });
});

test("another network has no credit", async () => {
  await using open = await aChain(parseGenesis(exactJsonText(kairos.genesis())));
  await expect(creditOf(open, "kaia")).rejects.toThrow("no mainnet credit contract");
});
