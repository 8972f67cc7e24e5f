/** Tests of `knit dumpgenesis`. */
import { expect, test } from "@jest/globals";
import { toHex } from "../../../node/bytes/hex.ts";
import { runCli } from "../../../node/cli/cli.ts";
import { checkGenesis, type Genesis, parseGenesis } from "../../../node/config/genesis.ts";
import { kairos, mainnet } from "../../../node/config/presets/networks.ts";
import { rulesAt } from "../../../node/config/rules.ts";
import { fakeShell } from "../../support/shell.ts";
import { blockOfGenesis } from "../../support/vectors-genesis.ts";

async function dump(...flags: string[]) {
  const { shell, out, err } = fakeShell();
  const code = await runCli(["dumpgenesis", ...flags], shell);
  return { code, out: out(), err: err() };
}

async function kairosGenesis(): Promise<Genesis> {
  const { code, out } = await dump("--kairos");
  expect(code).toBe(0);
  return parseGenesis(out);
}

test("the test network's genesis gives its block 0: state root, hash and all", async () => {
  const { out } = await dump("--kairos");
  checkGenesis(parseGenesis(out));
  const block = await blockOfGenesis(out);
  expect(toHex(block.header.stateRoot)).toBe(
    "0xbe751ffacf5fcf9998d4f90b87164ff95166d55e445c8d27cfecbe0e67a032b6",
  );
  expect(toHex(block.hash)).toBe(kairos.genesisHash);
});

test("its forks begin where they did", async () => {
  const { config } = await kairosGenesis();
  expect(rulesAt(config, 98_347_375).baseFee).toBe(false);
  expect(rulesAt(config, 98_347_376).baseFee).toBe(true);
  expect(rulesAt(config, 141_367_000).randao).toBe(true);
  expect(rulesAt(config, 187_929_999).delegations).toBe(false);
  expect(rulesAt(config, 187_930_000).delegations).toBe(true);
  expect(rulesAt(config, 209_134_000).blobGas).toBe(true);
});

test("the main network's genesis is the default and gives its block 0", async () => {
  for (const flags of [[], ["--mainnet"]]) {
    const { code, out } = await dump(...flags);
    expect(code).toBe(0);
    checkGenesis(parseGenesis(out));
    expect(toHex((await blockOfGenesis(out)).hash)).toBe(mainnet.genesisHash);
  }
  expect((await dump("--mainnet", "--kairos")).err).toContain("one network at a time");
});
