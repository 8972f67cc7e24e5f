/** `auction_submitBid`: the target goes to the pool, the bid to the auction, and both refuse in the Go node's words. */
import { expect, test } from "@jest/globals";
import { AuctionError } from "../../../node/auction/error.ts";
import { toHex } from "../../../node/bytes/hex.ts";
import type { Bid } from "../../../node/model/bid.ts";
import type { Transaction } from "../../../node/model/transaction.ts";
import { type AuctionMethodDeps, auctionMethods } from "../../../node/rpc/auction.ts";
import { PoolError } from "../../../node/txpool/error.ts";
import { askRow } from "../../support/ask-row.ts";
import { aSignedBid } from "../../support/bids.ts";
import { aSent } from "../../support/execution.ts";

const target = aSent();
const bid = aSignedBid({ chainId: 1001n, targetTxHash: target.hash, data: Uint8Array.of(1, 2) });

const input = {
  targetTxRaw: toHex(target.raw),
  targetTxHash: toHex(target.hash),
  blockNumber: bid.blockNumber,
  sender: toHex(bid.sender),
  to: toHex(bid.to),
  nonce: Number(bid.nonce),
  bid: "0x1",
  callGasLimit: bid.callGasLimit,
  data: "0x0102",
  searcherSig: toHex(bid.searcherSig),
  auctioneerSig: toHex(bid.auctioneerSig),
};

interface Parties extends AuctionMethodDeps {
  readonly sent: Transaction[];
  readonly bids: Bid[];
}

/** A pool and an auction that throw these errors. */
function parties(refusals: { readonly pool?: Error; readonly auction?: Error } = {}): Parties {
  const sent: Transaction[] = [];
  const bids: Bid[] = [];
  return {
    sent,
    bids,
    pool: {
      add(tx) {
        if (refusals.pool !== undefined) throw refusals.pool;
        sent.push(tx);
      },
      addWithBlobs: async () => undefined,
    },
    auction: {
      add(each) {
        if (refusals.auction !== undefined) throw refusals.auction;
        bids.push(each);
      },
    },
  };
}

function submit(deps: AuctionMethodDeps, given: object = input): Promise<unknown> {
  return askRow(auctionMethods(deps), "auction_submitBid", given);
}

test("the target is sent, then the bid is taken and its hash returned", async () => {
  const taken = parties();
  expect(await submit(taken)).toEqual({ bidHash: toHex(bid.hash) });
  expect([taken.sent, taken.bids]).toEqual([[target], [bid]]);
});

test("a target that the pool knows does not stop the bid", async () => {
  const taken = parties({ pool: new PoolError("known", "known transaction: 00") });
  expect(await submit(taken)).toEqual({ bidHash: toHex(bid.hash) });
  expect(taken.bids).toEqual([bid]);
});

test.each<[string, object, Parameters<typeof parties>[0]]>([
  ["Empty target tx raw", { targetTxRaw: null }, {}],
  ["undefined tx type", { targetTxRaw: "0x02c0" }, {}],
  ["invalid target tx hash", { targetTxHash: null }, {}],
  ["nonce too low", {}, { pool: new PoolError("nonce-too-low", "nonce too low") }],
  ["auction is paused", {}, { auction: new AuctionError("paused", "auction is paused") }],
])("a refusal is an answer: %s", async (err, change, refusals) => {
  const taken = parties(refusals);
  expect(await submit(taken, { ...input, ...change })).toEqual({ err });
  expect(taken.bids).toEqual([]);
});

test("members that are left out are zero", async () => {
  const taken = parties();
  const { targetTxRaw, targetTxHash } = input;
  await submit(taken, { targetTxRaw, targetTxHash });
  expect(taken.bids[0]).toMatchObject({ blockNumber: 0, bid: 0n, nonce: 0n, callGasLimit: 0 });
});

test("a node without an auction says so", async () => {
  expect(await submit({ ...parties(), auction: undefined })).toEqual({ err: "auction is disabled" });
});
