/** Rules of the pool of bids, in the Go node's words (`kaiax/auction/impl/bid_pool.go@v2.2.2`). */
import { expect, test } from "@jest/globals";
import { BidPool } from "../../../node/auction/bid-pool.ts";
import { fixedBytes } from "../../../node/bytes/integer.ts";
import { checksumAddress } from "../../../node/crypto/checksum.ts";
import { addressOfKey } from "../../../node/crypto/secp256k1.ts";
import type { Bid } from "../../../node/model/bid.ts";
import type { Transaction } from "../../../node/model/transaction.ts";
import { AUCTIONEER_KEY, aSignedBid, ENTRY_POINT, GAS_BUFFER, SEARCHER_KEYS } from "../../support/bids.ts";

const CHAIN_ID = 1001n;
const contract = { auctioneer: addressOfKey(AUCTIONEER_KEY), entryPoint: ENTRY_POINT, gasBuffer: GAS_BUFFER };
const head = { number: 10, contract };
const [first, second] = SEARCHER_KEYS;
const target = (number: number): Uint8Array => fixedBytes(number, 32);

function aBid(members: Partial<Parameters<typeof aSignedBid>[0]> = {}): Bid {
  return aSignedBid({ chainId: CHAIN_ID, blockNumber: 11, targetTxHash: target(1), ...members });
}

function aPool(maxBids?: number): BidPool {
  return new BidPool({ chainId: CHAIN_ID, maxBids });
}

test("bids for the next two blocks are taken, each once", () => {
  const pool = aPool();
  for (const blockNumber of [11, 12]) pool.add(aBid({ blockNumber }), head);
  expect(pool.size).toBe(2);
  expect(pool.find(11, target(1))).toEqual(aBid());
  expect(pool.find(11, target(2))).toBeUndefined();
  expect(() => pool.add(aBid(), head)).toThrow("bid already exists");
});

test("a higher bid for a target replaces the lower one, and gives its searcher a free hand again", () => {
  const pool = aPool();
  pool.add(aBid({ bid: 5n }), head);
  expect(() => pool.add(aBid({ bid: 5n, searcherKey: second }), head)).toThrow("low bid");
  expect(() => pool.add(aBid({ targetTxHash: target(2) }), head)).toThrow("bid sender already exists");
  const higher = aBid({ bid: 6n, searcherKey: second });
  pool.add(higher, head);
  expect([pool.size, pool.find(11, target(1))]).toEqual([1, higher]);
  pool.add(aBid({ targetTxHash: target(2) }), head);
  expect(pool.size).toBe(2);
});

const wrongSignatures = {
  searcher: `invalid searcher sig: expected ${checksumAddress(addressOfKey(second))}, calculated ${checksumAddress(addressOfKey(first))}`,
  auctioneer: `invalid auctioneer sig: expected ${checksumAddress(contract.auctioneer)}, calculated ${checksumAddress(addressOfKey(second))}`,
};

test.each<[string, string, Parameters<typeof aBid>[0]]>([
  ["the newest block", "invalid block number", { blockNumber: 10 }],
  ["a block too far ahead", "invalid block number", { blockNumber: 13 }],
  ["nothing", "zero bid", { bid: 0n }],
  ["more data than 64 KiB", "data size exceeds the maximum limit", { data: new Uint8Array(65_537) }],
  ["more gas than ten million", "gas limit exceeds the maximum limit", { callGasLimit: 10_000_001 }],
  ["a searcher's signature of 64 bytes", "invalid searcher sig", { searcherSig: new Uint8Array(64) }],
  ["an auctioneer's signature of 66 bytes", "invalid auctioneer sig", { auctioneerSig: new Uint8Array(66) }],
  [
    "a searcher's signature of zeros",
    "failed to recover searcher sig: invalid signature",
    { searcherSig: new Uint8Array(65) },
  ],
  [
    "an auctioneer's signature of ones",
    "failed to recover auctioneer sig: invalid signature",
    { auctioneerSig: new Uint8Array(65).fill(255) },
  ],
  [
    "a signature without a key",
    "failed to recover auctioneer sig: recovery failed",
    { auctioneerSig: withoutKey() },
  ],
  ["the searcher of another account", wrongSignatures.searcher, { sender: addressOfKey(second) }],
  ["another auctioneer", wrongSignatures.auctioneer, { auctioneerKey: second }],
])("a bid with %s is refused", (_what, message, members) => {
  const pool = aPool();
  expect(() => pool.add(aBid(members), head)).toThrow(new RegExp(`^${message}$`));
  expect(pool.size).toBe(0);
});

/** r = 5 is the x coordinate of no point of the curve. */
function withoutKey(): Uint8Array {
  const signature = new Uint8Array(65);
  signature[31] = 5;
  signature[63] = 1;
  return signature;
}

test("the largest data and gas are taken", () => {
  const pool = aPool();
  pool.add(aBid({ data: new Uint8Array(65_536), callGasLimit: 10_000_000 }), head);
  expect(pool.size).toBe(1);
});

test("a full pool takes replacements alone, be it full by number or by bytes", () => {
  const pool = aPool(1);
  pool.add(aBid(), head);
  expect(() => pool.add(aBid({ blockNumber: 12 }), head)).toThrow("bid pool is full");
  pool.add(aBid({ bid: 2n }), head);
  expect(pool.size).toBe(1);

  const large = aPool();
  const data = new Uint8Array(65_536);
  const keys = Array.from({ length: 260 }, (_, number) => fixedBytes(number + 1, 32));
  const refused = keys.filter((searcherKey, number) => {
    try {
      large.add(aBid({ searcherKey, targetTxHash: target(number), data }), head);
      return false;
    } catch {
      return true;
    }
  });
  expect([large.size, refused.length]).toEqual([255, 5]);
});

test("a mined block ends the bids for it and for its transactions", () => {
  const pool = aPool();
  pool.add(aBid(), head);
  pool.add(aBid({ blockNumber: 12, targetTxHash: target(2) }), head);
  pool.add(aBid({ blockNumber: 12, targetTxHash: target(3), searcherKey: second }), head);
  pool.follow(11, [{ hash: target(2) } as Transaction]); // the pool reads no more of it
  expect([pool.size, pool.find(12, target(3)) !== undefined]).toEqual([1, true]);
  pool.add(aBid({ blockNumber: 12, targetTxHash: target(4) }), { ...head, number: 11 });
  pool.follow(12, []);
  expect(pool.size).toBe(0);
});
