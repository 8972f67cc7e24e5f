/** Tests of block 0: its header. */
import { expect, test } from "@jest/globals";
import { fromHex, toHex } from "../../../node/bytes/hex.ts";
import { genesisHeader } from "../../../node/chain/genesis-block.ts";
import { type Genesis, parseGenesis } from "../../../node/config/genesis.ts";
import { blockHash } from "../../../node/model/header.ts";
import { genesisSamples } from "../model/samples.ts";

function magmaGenesis(governance: object): Genesis {
  return parseGenesis(
    JSON.stringify({ config: { chainId: 1, magmaCompatibleBlock: 0, governance }, alloc: {} }),
  );
}

test.each(genesisSamples())("the genesis of $name has its recorded hash", ({ text, stateRoot, hash }) => {
  expect(toHex(blockHash(genesisHeader(parseGenesis(text), fromHex(stateRoot))))).toBe(hash);
});

test("a genesis without a block score has 131072 in its header", () => {
  const genesis = parseGenesis('{"config":{"chainId":1},"alloc":{}}');
  expect(genesisHeader(genesis, new Uint8Array(32)).blockScore).toBe(131_072n);
});

test("a chain that begins with a base fee begins at its lower bound", () => {
  const root = new Uint8Array(32);
  expect(genesisHeader(magmaGenesis({}), root).baseFee).toBe(25_000_000_000n);
  expect(genesisHeader(magmaGenesis({ kip71: { lowerboundbasefee: 7 } }), root).baseFee).toBe(7n);
});
