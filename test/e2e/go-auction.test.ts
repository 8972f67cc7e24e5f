/**
 * Bids beside Go nodes (KIP-249): a bid that one program takes becomes a transaction behind its target in blocks of
 * both, and both refuse bids in the same words. Needs the path of a Go core node in KNIT_PEER_KCN.
 */
import { expect } from "@jest/globals";
import { DEVELOPMENT_KEYS } from "../../node/accounts/development-keys.ts";
import { bidTransaction } from "../../node/auction/contract.ts";
import { toHex } from "../../node/bytes/hex.ts";
import { forks } from "../../node/config/forks.ts";
import { type Rules, rulesAt } from "../../node/config/rules.ts";
import { addressOfKey, sign } from "../../node/crypto/secp256k1.ts";
import type { Bid } from "../../node/model/bid.ts";
import { signTransaction, type Transaction } from "../../node/model/transaction.ts";
import { CHAIN_ID, GAS_PRICE } from "../../scripts/network/genesis.ts";
import type { NetworkNode } from "../../scripts/network/network.ts";
import {
  AUCTION_CODE,
  AUCTIONEER_KEY,
  aSignedBid,
  ENTRY_POINT,
  GAS_BUFFER,
  SEARCHER_KEYS,
  type SignedBidOptions,
} from "../support/bids.ts";
import { type BundleRound, blockWith, bundleNetworks, expectAllPairs } from "../support/go-bundles.ts";
import { goTests } from "../support/go-peer.ts";
import { reachHeight } from "../support/network-answers.ts";

const [needed, reason] = goTests();
const [SENDER, IDLE] = DEVELOPMENT_KEYS as [Uint8Array, Uint8Array];

const openNetworkWith = bundleNetworks("knit-go-auction-");

function openAuctionNetwork(): Promise<readonly NetworkNode[]> {
  return openNetworkWith({
    name: "AuctionEntryPoint",
    contracts: [{ address: ENTRY_POINT, code: AUCTION_CODE }],
  });
}

function aTransfer(key: Uint8Array, nonce: bigint): Transaction {
  const price = { gasFeeCap: GAS_PRICE, gasTipCap: GAS_PRICE };
  const call = { gas: 21_000n, value: 1n, to: addressOfKey(key), input: new Uint8Array(0) };
  return signTransaction({ code: 0, nonce, ...price, ...call }, BigInt(CHAIN_ID), (digest) =>
    sign(digest, key),
  );
}

function inputOf(target: Transaction, bid: Bid): Readonly<Record<string, unknown>> {
  return {
    targetTxRaw: toHex(target.raw),
    targetTxHash: toHex(bid.targetTxHash),
    blockNumber: bid.blockNumber,
    sender: toHex(bid.sender),
    to: toHex(bid.to),
    nonce: Number(bid.nonce),
    bid: `0x${bid.bid.toString(16)}`,
    callGasLimit: bid.callGasLimit,
    data: toHex(bid.data),
    searcherSig: toHex(bid.searcherSig),
    auctioneerSig: toHex(bid.auctioneerSig),
  };
}

function bidFor(target: Transaction, members: Partial<SignedBidOptions>): Bid {
  return aSignedBid({ chainId: BigInt(CHAIN_ID), targetTxHash: target.hash, ...members });
}

/** Rules of the network, whose forks are all in force from block 0. */
const RULES: Rules = rulesAt({ forks: new Map(forks.map(({ configKey }) => [configKey, 0])) }, 1);
const CONTRACT = { auctioneer: addressOfKey(AUCTIONEER_KEY), entryPoint: ENTRY_POINT, gasBuffer: GAS_BUFFER };

/** Bids for the place behind a new transaction; returns the proposer of the bid's transaction, if there is one. */
async function bidOnce({ round, node, keys }: BundleRound): Promise<string | undefined> {
  const { ask } = node;
  const nonce = BigInt(round);
  const target = aTransfer(SENDER, nonce);
  const head = Number(await ask("eth_blockNumber")) + 1;
  await reachHeight([node], head);
  const bids = [head + 1, head + 2].map((blockNumber) => bidFor(target, { blockNumber, nonce }));
  for (const bid of bids) {
    const answer = await ask("auction_submitBid", inputOf(target, bid));
    // A block may come in between.
    expect([{ bidHash: toHex(bid.hash) }, { err: "invalid block number" }]).toContainEqual(answer);
  }
  const { block, proposer } = await blockWith(node, target.hash);
  const at = block.transactions.findIndex(({ hash }) => hash === toHex(target.hash));
  const behind = block.transactions[at + 1];
  const bid = bids.find((each) => each.blockNumber === Number(block.number));
  const key = keys.get(proposer);
  if (behind?.to !== toHex(ENTRY_POINT) || bid === undefined || key === undefined) return undefined;
  const expected = bidTransaction({
    bid,
    target,
    contract: CONTRACT,
    rules: RULES,
    chainId: BigInt(CHAIN_ID),
    nonce: BigInt(behind.nonce),
    sign: (digest) => sign(digest, key),
  });
  expect(behind.hash).toBe(toHex(expected.hash));
  expect(await ask("eth_getTransactionReceipt", behind.hash)).toMatchObject({ status: "0x1" });
  return proposer;
}

needed(
  `bids that Go nodes and ours take stand behind their targets in blocks of both${reason}`,
  async () => {
    const nodes = await openAuctionNetwork();
    await expectAllPairs(nodes, (round) => round, bidOnce);
  },
  240_000,
);

function answerOf({ ask }: NetworkNode, input: object): Promise<unknown> {
  return ask("auction_submitBid", input).catch((error: Error) => error.message);
}

const nothing = new Uint8Array(0);
/** Members that make a bid wrong; block numbers count from the newest block. */
const WRONG: readonly (readonly [string, Partial<SignedBidOptions>])[] = [
  ["the newest block", { blockNumber: 0 }],
  ["a block too far ahead", { blockNumber: 9 }],
  ["nothing", { bid: 0n }],
  ["too much data", { data: new Uint8Array(65_537) }],
  ["too much gas", { callGasLimit: 10_000_001 }],
  ["no searcher's signature", { searcherSig: nothing }],
  ["no auctioneer's signature", { auctioneerSig: nothing }],
  ["a searcher's signature of zeros", { searcherSig: new Uint8Array(65) }],
  ["an auctioneer's signature of ones", { auctioneerSig: new Uint8Array(65).fill(255) }],
  [
    "a signature of no key",
    { auctioneerSig: Uint8Array.from({ length: 65 }, (_, i) => (i === 31 ? 5 : Number(i === 63))) },
  ],
  ["another searcher", { sender: new Uint8Array(20).fill(1) }],
  ["another auctioneer", { auctioneerKey: SEARCHER_KEYS[1] }],
];

needed(
  `both refuse the same bids in the same words${reason}`,
  async () => {
    const nodes = await openAuctionNetwork();
    const [first, , , last] = nodes as [NetworkNode, NetworkNode, NetworkNode, NetworkNode];
    // The target waits for transactions that never come, so that a node does not refuse it as mined.
    const target = aTransfer(IDLE, 1_000n);
    const head = Number(await first.ask("eth_blockNumber"));
    const inputs = WRONG.map(([what, members]) => {
      const blockNumber = head + (members.blockNumber ?? 2);
      return [what, inputOf(target, bidFor(target, { ...members, blockNumber }))] as const;
    });
    const good = inputOf(target, bidFor(target, { blockNumber: head + 2 }));
    const targets = [
      ["no target", { ...good, targetTxRaw: "0x" }],
      ["another target", { ...good, targetTxHash: `0x${"11".repeat(32)}` }],
      ["an unknown type", { ...good, targetTxRaw: "0x02c0" }],
      ["half a target", { ...good, targetTxRaw: toHex(target.raw.subarray(0, 40)) }],
      ["a number for bytes", { ...good, data: 5 }],
      ["a text for a number", { ...good, nonce: "0x1" }],
    ] as const;
    for (const [what, input] of [...inputs, ...targets]) {
      const [ours, theirs] = await Promise.all([answerOf(first, input), answerOf(last, input)]);
      expect({ what, answer: ours }).toEqual({ what, answer: theirs });
      expect(ours).not.toHaveProperty("bidHash");
    }
  },
  120_000,
);
