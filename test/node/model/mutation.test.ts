import { expect, test } from "@jest/globals";
import { fromHex, toHex } from "../../../node/bytes/hex.ts";
import { decodeRlp } from "../../../node/bytes/rlp.ts";
import { decodeAccount, encodeAccount, newAccount } from "../../../node/model/account.ts";
import { encodeAccountKey } from "../../../node/model/account-key.ts";
import { decodeAccountKey } from "../../../node/model/account-key-decode.ts";
import { decodeBlock, encodeBlock } from "../../../node/model/block.ts";
import { blockHash, decodeHeader, encodeHeader } from "../../../node/model/header.ts";
import { decodeStoredReceipts, encodeStoredReceipts } from "../../../node/model/receipt.ts";
import { decodeTransaction, senderOf } from "../../../node/model/transaction.ts";
import { Random } from "./random.ts";
import { headerSamples, sampleBlock, transactionSamples } from "./samples.ts";

const ROUNDS = 400;

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
  if (kind === 1) return Uint8Array.of(...copy.subarray(0, at), ...copy.subarray(Math.max(0, at - 5)));
  if (kind === 2) copy.fill(0xff, at, at + 9);
  return copy;
}

/** Decoding either throws one of our coded errors, or encoding gives back what was read. */
function survives(bytes: Uint8Array, roundTrip: (bytes: Uint8Array) => Uint8Array): boolean {
  let back: Uint8Array;
  try {
    back = roundTrip(bytes);
  } catch (error) {
    expect(error).toEqual(expect.objectContaining({ code: expect.any(String), message: expect.any(String) }));
    expect((error as Error).name).toMatch(/^(Bytes|Model|Transaction)Error$/);
    return false;
  }
  expect(toHex(back)).toBe(toHex(bytes));
  return true;
}

function attack(
  seed: number,
  seeds: readonly Uint8Array[],
  roundTrip: (bytes: Uint8Array) => Uint8Array,
): void {
  const random = new Random(seed);
  const outcomes = { refused: 0, kept: 0 };
  for (const bytes of seeds) expect(survives(bytes, roundTrip)).toBe(true);
  for (let i = 0; i < ROUNDS; i++) {
    const kept = survives(mutate(random, random.pick(seeds)), roundTrip);
    outcomes[kept ? "kept" : "refused"]++;
  }
  expect(outcomes.refused).toBeGreaterThan(0);
  expect(outcomes.kept).toBeGreaterThan(0);
}

test("damaged headers", () => {
  const seeds = headerSamples().map(({ rlp }) => fromHex(rlp));
  attack(11, seeds, (bytes) => {
    const header = decodeHeader(decodeRlp(bytes));
    blockHash(header);
    return encodeHeader(header);
  });
});

test("damaged blocks", () => {
  attack(12, [sampleBlock("prague"), sampleBlock("fork-ladder")], (bytes) => encodeBlock(decodeBlock(bytes)));
});

test("damaged transactions, asked for their sender too", () => {
  const seeds = transactionSamples()
    .filter(({ name, typeInt }) => (typeInt === 0 || typeInt > 0x7800) && name !== "02_DynamicFee")
    .filter(({ typeInt }) => typeInt < 0x7803)
    .map(({ raw }) => fromHex(raw));
  attack(13, seeds, (bytes) => {
    const tx = decodeTransaction(bytes);
    try {
      senderOf(tx, tx.chainId ?? 1n);
    } catch (error) {
      expect((error as Error).name).toBe("TransactionError");
    }
    return tx.raw;
  });
});

test("damaged accounts", () => {
  const plain = encodeAccount({ ...newAccount(), nonce: 7n, balance: 10n ** 24n });
  const contract = encodeAccount({
    ...newAccount(),
    kind: "contract",
    codeHash: new Uint8Array(32).fill(5),
    codeInfo: 16,
  });
  attack(14, [plain, contract], (bytes) => encodeAccount(decodeAccount(bytes)));
});

test("damaged account keys", () => {
  const point = "a1038318535b54105d4a7aae60c08fc45f9687181b4fdfc625bd1a753fa7397fed75";
  const seeds = [`0x02${point}`, "0x01c0", `0x04e601e4e301${point}`].map(fromHex);
  attack(15, seeds, (bytes) => encodeAccountKey(decodeAccountKey(bytes)));
});

test("damaged receipts", () => {
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
  attack(16, [seed], (bytes) => encodeStoredReceipts(decodeStoredReceipts(bytes)));
});
