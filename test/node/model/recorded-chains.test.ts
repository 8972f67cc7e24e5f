/** Tests of the recorded chains: bytes, hashes, roots, signers. */
import { expect, test } from "@jest/globals";
import { compareRecordedChain } from "../../support/chain-vectors.ts";
import { readRecordedChain } from "../../support/recorded-chain.ts";
import { chainFolder } from "./samples.ts";

test.each(["none", "osaka-randao"])(
  "every byte, hash, root, answer and signer of the recorded chain %s is as the Go node had it",
  async (name) => {
    const { passed, failures } = await compareRecordedChain(chainFolder(name));
    expect(failures).toEqual([]);
    expect(passed).toBeGreaterThan(1_000);
  },
);

test("the recorded chains hold every kind of transaction", () => {
  const types = new Set<unknown>();
  for (const { transactions } of readRecordedChain(chainFolder("osaka-randao")).blockAnswers) {
    for (const tx of transactions as readonly { typeInt: number }[]) types.add(tx.typeInt);
  }
  expect(types.size).toBe(26);
});
