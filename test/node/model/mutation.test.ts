/** Tests of damaged headers, transactions and account keys. */
import { expect, test } from "@jest/globals";
import { concatBytes } from "../../../node/bytes/compare.ts";
import { fromHex, toHex } from "../../../node/bytes/hex.ts";
import { decodeRlp } from "../../../node/bytes/rlp.ts";
import { decodeAccount, emptyAccount, encodeAccount } from "../../../node/model/account.ts";
import { encodeAccountKey } from "../../../node/model/account-key.ts";
import { decodeAccountKey } from "../../../node/model/account-key-decode.ts";
import { decodeBlock, encodeBlock } from "../../../node/model/block.ts";
import { blockHash, decodeHeader, encodeHeader } from "../../../node/model/header.ts";
import { decodeStoredReceipts, encodeStoredReceipts } from "../../../node/model/receipt.ts";
import { decodeTransaction, senderOf } from "../../../node/model/transaction.ts";
import { transactionJson } from "../../../node/model/transaction-json.ts";
import { payerKeys, senderKeys } from "../../../node/model/transaction-signers.ts";
import { readRecordedChain } from "../../support/recorded-chain.ts";
import { fuzz } from "./fuzz.ts";
import type { Random } from "./random.ts";
import { chainFolder, headerSamples, sampleBlock, transactionSamples } from "./samples.ts";

const CASES = 400;

/** Bits flipped, bytes changed, cut off, doubled or filled with the largest length. */
function mutate(random: Random, bytes: Uint8Array): Uint8Array {
  const copy = Uint8Array.from(bytes);
  const at = random.number(copy.length);
  for (let i = random.number(3); i >= 0; i--) {
    const place =
      random.number(2) === 0 ? random.number(copy.length) : random.number(Math.min(8, copy.length));
    copy[place] = random.number(2) === 0 ? (copy[place] ?? 0) ^ (1 << random.number(8)) : random.number(256);
  }
  const kind = random.number(8);
  if (kind === 0) return copy.subarray(0, at);
  if (kind === 1) return concatBytes(copy.subarray(0, at), copy.subarray(Math.max(0, at - 5)));
  if (kind === 2) copy.fill(0xff, at, at + 9);
  return copy;
}

const OUR_ERRORS = new Set(["BytesError", "ModelError", "TransactionError"]);

/** Decoding either throws one of our coded errors, or encoding gives back what was read. */
function survives(bytes: Uint8Array, roundTrip: (bytes: Uint8Array) => Uint8Array): boolean {
  let back: Uint8Array;
  try {
    back = roundTrip(bytes);
  } catch (error) {
    const { name, code, message } = error as { name?: string; code?: unknown; message?: unknown };
    if (OUR_ERRORS.has(name ?? "") && typeof code === "string" && typeof message === "string") return false;
    throw new Error(`${toHex(bytes.subarray(0, 4_096))} broke the decoder`, { cause: error });
  }
  if (Buffer.compare(back, bytes) === 0) return true;
  throw new Error(`${toHex(bytes.subarray(0, 4_096))} came back as ${toHex(back.subarray(0, 4_096))}`);
}

/** All tests of this file share the seconds of a timed run. */
const SHARE = 1 / 6;

async function attack(
  seed: number,
  seeds: readonly Uint8Array[],
  roundTrip: (bytes: Uint8Array) => Uint8Array,
): Promise<void> {
  const outcomes = { refused: 0, kept: 0 };
  for (const bytes of seeds) expect(survives(bytes, roundTrip)).toBe(true);
  await fuzz({ seed, cases: CASES, share: SHARE }, (random) => {
    const kept = survives(mutate(random, random.pick(seeds)), roundTrip);
    outcomes[kept ? "kept" : "refused"]++;
  });
  expect(outcomes.refused).toBeGreaterThan(0);
  expect(outcomes.kept).toBeGreaterThan(0);
}

test("damaged headers", async () => {
  const seeds = headerSamples().map(({ rlp }) => fromHex(rlp));
  await attack(11, seeds, (bytes) => {
    const header = decodeHeader(decodeRlp(bytes));
    blockHash(header);
    return encodeHeader(header);
  });
});

/** Short blocks that hold the chain's own kinds. */
function blocksOfAllKinds(): Uint8Array[] {
  const { blocks } = readRecordedChain(chainFolder("osaka-randao"));
  return blocks.map(({ raw }) => raw).filter(({ length }) => length > 1_500 && length < 8_000);
}

test("damaged blocks", async () => {
  await attack(12, [sampleBlock("prague"), sampleBlock("fork-ladder"), ...blocksOfAllKinds()], (bytes) =>
    encodeBlock(decodeBlock(bytes)),
  );
});

test("damaged transactions of every kind, asked for their signers and JSON too", async () => {
  const seeds = transactionSamples()
    .filter(({ name, sender }) => sender !== null && name !== "00_Legacy")
    .map(({ raw }) => fromHex(raw));
  await attack(13, seeds, (bytes) => {
    const tx = decodeTransaction(bytes);
    const chainId = tx.chainId ?? 1n;
    for (const ask of [senderOf, senderKeys, payerKeys]) {
      try {
        ask(tx, chainId);
      } catch (error) {
        if ((error as Error).name !== "TransactionError") throw error;
      }
    }
    expect(tx.hash).toHaveLength(32);
    expect(tx.senderTxHash).toHaveLength(32);
    expect(JSON.stringify(transactionJson(tx))).toContain("0x");
    return tx.type.encode(tx, tx.signatures);
  });
});

test("damaged accounts", async () => {
  const plain = encodeAccount({ ...emptyAccount(), nonce: 7n, balance: 10n ** 24n });
  const contract = encodeAccount({
    ...emptyAccount(),
    kind: "contract",
    codeHash: new Uint8Array(32).fill(5),
    codeInfo: 16,
  });
  await attack(14, [plain, contract], (bytes) => encodeAccount(decodeAccount(bytes)));
});

test("damaged account keys", async () => {
  const point = "a1038318535b54105d4a7aae60c08fc45f9687181b4fdfc625bd1a753fa7397fed75";
  const seeds = [`0x02${point}`, "0x01c0", `0x04e601e4e301${point}`].map(fromHex);
  await attack(15, seeds, (bytes) => encodeAccountKey(decodeAccountKey(bytes)));
});

test("damaged receipts", async () => {
  const log = {
    address: new Uint8Array(20).fill(1),
    topics: [new Uint8Array(32).fill(2)],
    data: new Uint8Array(70),
  };
  const receipt = {
    status: 9,
    gasUsed: 50_000n,
    bloom: new Uint8Array(256),
    logs: [log, log],
    transactionHash: new Uint8Array(32).fill(3),
    contractAddress: new Uint8Array(20).fill(4),
  };
  const seed = encodeStoredReceipts([receipt, { ...receipt, logs: [], contractAddress: undefined }]);
  await attack(16, [seed], (bytes) => encodeStoredReceipts(decodeStoredReceipts(bytes)));
});
