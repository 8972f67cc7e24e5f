/** Random reveals that were checked ahead: what was found counts for one header and one key, and nothing else. */
import { readFile } from "node:fs/promises";
import { expect, test } from "@jest/globals";
import { readBlockFile } from "../../../node/chain/block-file.ts";
import { importInto } from "../../../node/compose/consensus-chain.ts";
import { parseGenesis } from "../../../node/config/genesis.ts";
import {
  rememberKey,
  revealMessage,
  verifiedReveal,
  verifyReveals,
} from "../../../node/consensus/reveals.ts";
import type { BlsClaim } from "../../../node/crypto/bls-curve.ts";
import { openRecoverer } from "../../../node/crypto/recoverer.ts";
import { silentLog } from "../../../node/observe/log.ts";
import { systemClock } from "../../../node/runtime/clock.ts";
import { aChain } from "../../support/chain.ts";
import { aGenesisBlock, aHeader, aValidator } from "../../support/headers.ts";

/** No validator of other tests, whose keys this process may have seen. */
const author = aValidator(77).address;
const key = new Uint8Array(48).fill(1);
const header = { ...aHeader(aGenesisBlock([]), []), randomReveal: new Uint8Array(96).fill(2) };

function aRecoverer(answer: boolean | undefined) {
  const asked: BlsClaim[] = [];
  return {
    asked,
    recover: () => Promise.resolve([]),
    recoverKeys: () => Promise.resolve([]),
    verifyClaims: (batch: readonly BlsClaim[]) => {
      asked.push(...batch);
      return Promise.resolve(batch.map(() => answer));
    },
    start: () => undefined,
    [Symbol.asyncDispose]: () => Promise.resolve(),
  };
}

test("a reveal is verified with the last key of its author", async () => {
  const recoverer = aRecoverer(true);
  await verifyReveals(recoverer, [{ header, author }]);
  expect(recoverer.asked).toEqual([]);
  rememberKey(author, key);
  await verifyReveals(recoverer, [
    { header, author },
    { header: { ...header, randomReveal: undefined }, author },
  ]);
  expect(recoverer.asked).toEqual([
    expect.objectContaining({ publicKey: key, message: revealMessage(1), signature: header.randomReveal }),
  ]);
  expect(verifiedReveal(header, key)).toBe(true);
});

test("the result holds for its key and header only", () => {
  expect(verifiedReveal(header, new Uint8Array(48).fill(3))).toBeUndefined();
  expect(verifiedReveal({ ...header }, key)).toBeUndefined();
});

test("a reveal that no thread verified has no result", async () => {
  const other = { ...header };
  await verifyReveals(aRecoverer(undefined), [{ header: other, author }]);
  expect(verifiedReveal(other, key)).toBeUndefined();
  await verifyReveals(aRecoverer(false), [{ header: other, author }]);
  expect(verifiedReveal(other, key)).toBe(false);
});

test("an import verifies reveals with the keys registered at its start", async () => {
  const folder = "test/vectors/chains/osaka-randao";
  await using open = await aChain(parseGenesis(await readFile(`${folder}/genesis.json`, "utf8")));
  const { asked, verifyClaims } = aRecoverer(undefined);
  await using recoverer = openRecoverer(silentLog);
  const files = readBlockFile(`${folder}/chain.rlp.gz`);
  const parts = { recoverer: { ...recoverer, verifyClaims }, clock: systemClock, files };
  const done = await importInto(open, parts, {});
  expect(done.failure).toBeUndefined();
  expect(asked.map(({ message }) => message)).toEqual(
    Array.from({ length: done.imported }, (_, i) => revealMessage(i + 1)),
  );
});
