/** Messages of transactions, taken in without holding anything up. */

import { afterAll, expect, test } from "@jest/globals";
import { concatBytes } from "../../../node/bytes/compare.ts";
import { fromHex } from "../../../node/bytes/hex.ts";
import { integerBytes } from "../../../node/bytes/integer.ts";
import { encodeRlp, encodeRlpList } from "../../../node/bytes/rlp.ts";
import { recoverSigners } from "../../../node/chain/recover-signers.ts";
import { openRecoverer } from "../../../node/crypto/recoverer.ts";
import { silentLog } from "../../../node/observe/log.ts";
import type { ChainPeer } from "../../../node/protocol/chain-peer.ts";
import { createKnownSet } from "../../../node/protocol/chain-peer.ts";
import { importTransactions, type TransactionImportDeps } from "../../../node/protocol/transactions-in.ts";
import { UNLIMITED_TIME } from "../../../node/runtime/fair-time.ts";
import { PoolError, type PoolErrorCode } from "../../../node/txpool/error.ts";
import { aTransfer } from "../../support/protocol-node.ts";
import { transactionSamples } from "../model/samples.ts";

const recoverer = openRecoverer(silentLog);
afterAll(async () => recoverer[Symbol.asyncDispose]());

function aPeer(signal = new AbortController().signal): ChainPeer {
  const link = { time: UNLIMITED_TIME, signal };
  return { link, knownTransactions: createKnownSet(100) } as unknown as ChainPeer; // nothing else is looked at
}

/** A pool that takes everything, and a pause that counts how often it was asked for. */
function anIntake(): {
  readonly intake: TransactionImportDeps;
  readonly taken: number[];
  readonly pauses: () => number;
} {
  const taken: number[] = [];
  let pauses = 0;
  const intake: TransactionImportDeps = {
    pool: {
      get: () => undefined,
      addAll: (transactions) => {
        taken.push(transactions.length);
        return transactions.map(() => undefined);
      },
      addWithBlobs: () => Promise.reject(new Error("no blobs here")),
      recover: (transactions) => recoverSigners(recoverer, 1337n, transactions),
    },
    pause: () => {
      pauses++;
      return undefined;
    },
  };
  return { intake, taken, pauses: () => pauses };
}

test("there is a pause before each transaction, also before unreadable ones", async () => {
  const { intake, taken, pauses } = anIntake();
  const unknown = Uint8Array.of(0x07, 0xc0);
  const { count } = await importTransactions(
    aPeer(),
    encodeRlpList([unknown, unknown, aTransfer(0).raw]),
    intake,
  );
  expect([count, pauses(), taken]).toEqual([3, 3, [1]]);
});

test("transactions enter the pool in batches, and their message is not retained in memory", async () => {
  const { intake, taken } = anIntake();
  const message = encodeRlpList(Array.from({ length: 300 }, (_, i) => aTransfer(i).raw));
  const kept: Uint8Array[] = [];
  const pool: TransactionImportDeps["pool"] = {
    get: () => undefined,
    addAll: (transactions) => {
      kept.push(...transactions.map(({ raw }) => raw));
      return intake.pool.addAll(transactions, "remote");
    },
    addWithBlobs: intake.pool.addWithBlobs,
    recover: intake.pool.recover,
  };
  await importTransactions(aPeer(), message, { ...intake, pool });
  expect(taken).toEqual([128, 128, 44]);
  expect(kept.every(({ buffer }) => buffer.byteLength < 300)).toBe(true);
});

test("transactions of a peer that has left meanwhile are not taken in", async () => {
  const { intake, taken } = anIntake();
  const left = new AbortController();
  const recover: typeof intake.pool.recover = async () => left.abort();
  const message = encodeRlpList(Array.from({ length: 300 }, (_, i) => aTransfer(i).raw));
  await importTransactions(aPeer(left.signal), message, { ...intake, pool: { ...intake.pool, recover } });
  expect(taken).toEqual([128]);
});

/** A value transfer (type 0x08) with as many signatures as asked for. */
function signedBy(count: number): Uint8Array {
  const one = Uint8Array.of(1);
  const address = new Uint8Array(20).fill(1);
  const scalar = new Uint8Array(32).fill(0x11);
  const signatures = Array.from({ length: count }, () => [integerBytes(1337 * 2 + 35), scalar, scalar]);
  const list = encodeRlp([new Uint8Array(0), one, one, address, one, address, signatures]);
  return concatBytes(Uint8Array.of(0x08), list);
}

test("transactions cost their signatures, and one that is too large is not decoded", async () => {
  const { intake, taken } = anIntake();
  const message = encodeRlpList([signedBy(100), signedBy(100), signedBy(100), signedBy(3_000)]);
  expect(await importTransactions(aPeer(), message, intake)).toEqual({ count: 4, signatures: 300 });
  expect(taken).toEqual([2, 1]);
});

test("transactions before a damaged one are in the pool nevertheless", async () => {
  const { intake, taken } = anIntake();
  const raws = Array.from({ length: 128 }, (_, i) => aTransfer(i).raw);
  const message = encodeRlpList([...raws, Uint8Array.of(0xc1, 0x01)]);
  await expect(importTransactions(aPeer(), message, intake)).rejects.toMatchObject({ code: "bad-message" });
  expect(taken).toEqual([128]);
});

test("blobs that do not match their commitments end the connection; other refusals do not", async () => {
  const { intake } = anIntake();
  const codes: PoolErrorCode[] = ["nonce-too-low", "bad-sidecar"];
  const pool = {
    ...intake.pool,
    addWithBlobs: () => Promise.reject(new PoolError(codes.shift() ?? "full", "no")),
  };
  const sample = transactionSamples().find(({ name }) => name === "sidecar/blob/one");
  const message = encodeRlpList([fromHex(sample?.raw ?? "0x")]);
  expect(await importTransactions(aPeer(), message, { ...intake, pool })).toEqual({
    count: 1,
    signatures: 1,
  });
  await expect(importTransactions(aPeer(), message, { ...intake, pool })).rejects.toMatchObject({
    code: "bad-message",
  });
});
