/** Recorded chains of the Go node: who proposed, agreed and was paid, votes and governance data included. */
import { fileURLToPath } from "node:url";
import { expect, test } from "@jest/globals";
import { toHex } from "../../../node/bytes/hex.ts";
import { decodeBlock } from "../../../node/model/block.ts";
import { readRecordedChain } from "../../support/recorded-chain.ts";
import { Tally } from "../../support/tally.ts";
import { compareElections, replayGovernance } from "../../support/vectors-consensus.ts";

const recording = (name: string) =>
  readRecordedChain(fileURLToPath(new URL(`../../vectors/chains/${name}`, import.meta.url)));

test.each(["none", "osaka-randao", "four-validators"])(
  "committees, proposers and rewards of the chain %s are the recorded ones",
  (name) => {
    const tally = new Tally();
    const chain = recording(name);
    compareElections(tally, chain);
    expect(tally.comparison.failures).toEqual([]);
    expect(tally.comparison.passed).toBe((chain.blocks.length - 1) * 6);
  },
);

const chain = recording("four-validators");
const blocks = chain.blocks.map((item) => decodeBlock(item));

test("votes take effect an epoch after they were collected, also after a restart", () => {
  const { governance, accept, reopened } = replayGovernance(chain, blocks);
  for (const block of blocks.slice(1)) accept(block);
  const again = reopened();
  const facts = (of: typeof governance) =>
    blocks.map(({ header: { number } }) => {
      const { committeeSize, mintingAmount, unitPrice } = of.parameters(number);
      return { number, committeeSize, mintingAmount, unitPrice, council: of.council(number).map(toHex) };
    });
  expect(facts(again)).toEqual(facts(governance));
  const changes = facts(governance).filter(
    ({ committeeSize, mintingAmount }, i, all) =>
      i > 0 && (committeeSize !== all[i - 1]?.committeeSize || mintingAmount !== all[i - 1]?.mintingAmount),
  );
  expect(
    changes.map(({ number, committeeSize, mintingAmount }) => ({ number, committeeSize, mintingAmount })),
  ).toEqual([{ number: 50, committeeSize: 4, mintingAmount: 9_700_000_000_000_000_000n }]);
});

test("a database without the row of votes is searched for them", () => {
  const { governance, accept, reopened, forget } = replayGovernance(chain, blocks);
  for (const block of blocks.slice(1)) accept(block);
  forget();
  expect(reopened().parameters(77)).toEqual(governance.parameters(77));
});
