/** Bids against the values of the Go node's own tests (`kaiax/auction/bid_test.go@v2.2.2`). */
import { expect, test } from "@jest/globals";
import { bareHex, fromBareHex, toHex } from "../../../node/bytes/hex.ts";
import { auctioneerDigest, createBid, decodeBid, searcherDigest } from "../../../node/model/bid.ts";

const bid = createBid({
  targetTxHash: fromBareHex("f3c03c891206b24f5d2ff65b460df9b58c652279a3e0faed865dde4c46fe9dab"),
  blockNumber: 11,
  sender: fromBareHex("70997970c51812dc3a010c7d01b50e0d17dc79c8"),
  to: fromBareHex("5fc8d32690cc91d4c39d9d3abcbd16989f875707"),
  nonce: 0n,
  bid: 10n ** 19n,
  callGasLimit: 10_000_000,
  data: fromBareHex("d09de08a"),
  searcherSig: fromBareHex(
    "2162312ceb6a69efdb73c98ee96e56d0aea1ea019184c372022ab378151112c0747066e9a9d224a822dbf31d59de492502d69d7cfc789464fa84aaac0d53f6a11b",
  ),
  auctioneerSig: fromBareHex(
    "63ca36c4f6a3522b59070539453ff92011463940f98930b34a80b06a5b6b45fa136f8e79957e56e41de19cb340f2f1f7db31f964e5d5f26b1d8df13aeb2b390c1b",
  ),
});

test("a searcher signs the typed data of a bid", () => {
  const contract = fromBareHex("dc64a140aa3e981100a9beca4e685f962f0cf6c9");
  expect(bareHex(searcherDigest(bid, 31_337n, contract))).toBe(
    "da9b3f7a46d0b5e6875970b19ef7c60e2f969e5b44f6a4701b9889694df6fe0d",
  );
});

test("an auctioneer signs the searcher's signature as a message of Ethereum", () => {
  expect(bareHex(auctioneerDigest(bid))).toBe(
    "a328ed8cc9e6941076a892efd7687278bfd6f85b4b89ad196d0eef5215eb0059",
  );
});

test("a bid is read from its bytes, and nothing else is", () => {
  expect(decodeBid(bid.raw)).toEqual(bid);
  for (const wrong of [
    bid.raw.subarray(1),
    Uint8Array.from([...bid.raw, 0]),
    Uint8Array.of(0xc0),
    bid.raw.subarray(0, -1),
  ]) {
    expect(() => decodeBid(wrong)).toThrow(expect.objectContaining({ code: "bad-rlp" }));
  }
  expect(toHex(bid.hash)).toMatch(/^0x[0-9a-f]{64}$/);
});
