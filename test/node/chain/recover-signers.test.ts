/** Signers found ahead are the very ones that would be found on the spot, and are what is found then. */
import { expect, test } from "@jest/globals";
import { fromHex } from "../../../node/bytes/hex.ts";
import { recoverSigners } from "../../../node/chain/recover-signers.ts";
import { openRecoverer, type Recoverer, type Signers } from "../../../node/crypto/recoverer.ts";
import { authorityOf } from "../../../node/model/authorization.ts";
import { decodeTransaction, senderOf, type Transaction } from "../../../node/model/transaction.ts";
import { payerKeys, senderKeys } from "../../../node/model/transaction-signers.ts";
import { silentLog } from "../../../node/observe/log.ts";
import { transactionSamples } from "../model/samples.ts";

/** One of each kind that has real signatures, by chain. */
function signedSamples(): Map<bigint, Transaction[]> {
  const chains = new Map<bigint, Transaction[]>();
  for (const { raw, chainId, sender } of transactionSamples()) {
    if (!sender) continue;
    const id = BigInt(chainId ?? 0);
    chains.set(id, [...(chains.get(id) ?? []), decodeTransaction(fromHex(raw))]);
  }
  return chains;
}

function signersOf(tx: Transaction, chainId: bigint): unknown[] {
  const payers = tx.fields.feePayer === undefined ? [] : payerKeys(tx, chainId);
  const givers = (tx.fields.authorizationList ?? []).map(authorityOf);
  return [senderOf(tx, chainId), tx.fields.from && senderKeys(tx, chainId), payers, givers];
}

test("what is found ahead is what would be found on the spot, for every kind", async () => {
  await using recoverer = openRecoverer(silentLog);
  const onTheSpot = signedSamples();
  for (const [chainId, ahead] of signedSamples()) {
    await recoverSigners(recoverer, chainId, ahead);
    const expected = onTheSpot.get(chainId)?.map((tx) => signersOf(tx, chainId));
    expect(ahead.map((tx) => signersOf(tx, chainId))).toEqual(expected);
  }
});

const marked =
  (length: number) =>
  (batch: readonly unknown[]): Promise<Signers> =>
    Promise.resolve(batch.map(() => new Uint8Array(length).fill(7)));

function never(batch: readonly unknown[]): Promise<Signers> {
  expect(batch).toEqual([]);
  return Promise.resolve([]);
}

test("nothing is recovered again after that", async () => {
  const marking: Recoverer = {
    recover: marked(20),
    recoverKeys: marked(64),
    verifyClaims: (batch) => Promise.resolve(batch.map(() => undefined)),
    start: () => undefined,
    [Symbol.asyncDispose]: () => Promise.resolve(),
  };
  const found: unknown[] = [];
  for (const [chainId, ahead] of signedSamples()) {
    await recoverSigners(marking, chainId, ahead);
    await recoverSigners({ ...marking, recover: never, recoverKeys: never }, chainId, ahead);
    for (const tx of ahead)
      found.push(
        ...signersOf(tx, chainId)
          .slice(tx.fields.from && 1)
          .flat(),
      );
  }
  const signers = found.filter((signer) => signer !== undefined);
  expect(signers.length).toBeGreaterThan(40);
  expect(new Set(signers.flatMap((signer) => [...(signer as Uint8Array)]))).toEqual(new Set([7]));
});

/** Recovers nothing of the last input of a batch. */
const failing: Recoverer["recover"] = async (batch) =>
  batch.map((_, i) => (i < batch.length - 1 ? new Uint8Array(64) : undefined));

test("a signature that is nobody's is not recovered again", async () => {
  const recoverer = { recover: failing, recoverKeys: failing } as unknown as Recoverer; // asked for nothing else
  const all = [...signedSamples()].flatMap(([chainId, some]) => some.map((tx) => ({ chainId, tx })));
  for (const { chainId, tx } of all) await recoverSigners(recoverer, chainId, [tx]);
  const failed = all.filter(({ tx }) => (tx.fields.authorizationList ?? []).length === 0);
  expect(failed.length).toBeGreaterThan(20);
  for (const { chainId, tx } of failed) expect(() => signersOf(tx, chainId)).toThrow("recovery failed"); // on the spot they all recover
});

test("what has no signer is left alone, and keeps nobody else from being found", async () => {
  await using recoverer = openRecoverer(silentLog);
  const all = [...signedSamples().values()].flat();
  await recoverSigners(recoverer, 999_999n, all);
  for (const tx of all) {
    if (tx.chainId === undefined || tx.fields.from !== undefined) continue;
    expect(() => senderOf(tx, 999_999n)).toThrow("invalid chain id for signer");
  }
});
