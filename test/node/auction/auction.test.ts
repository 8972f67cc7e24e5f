/** The auction of a node: when it runs, what it takes, and the transaction that it makes of a bid. */
import { expect, test } from "@jest/globals";
import { type Auction, openAuction } from "../../../node/auction/auction.ts";
import { bareHex } from "../../../node/bytes/hex.ts";
import type { Chain, HeadListener, RewindListener } from "../../../node/chain/chain.ts";
import { developmentGenesis } from "../../../node/chain/development.ts";
import { rulesAt } from "../../../node/config/rules.ts";
import { addressOfKey, sign } from "../../../node/crypto/secp256k1.ts";
import { REGISTRY } from "../../../node/governance/system-contracts.ts";
import type { Bid } from "../../../node/model/bid.ts";
import type { Block } from "../../../node/model/block.ts";
import { floorGas, intrinsicGas, senderOf, type Transaction } from "../../../node/model/transaction.ts";
import { silentLog } from "../../../node/observe/log.ts";
import { createMetrics } from "../../../node/observe/metrics.ts";
import type { World } from "../../../node/state/world/world.ts";
import { AUCTION_CODE, aSignedBid, ENTRY_POINT, GAS_BUFFER, REGISTRY_CODE } from "../../support/bids.ts";
import { answeringCode } from "../../support/contract-code.ts";
import { aKey, aSent, aWorld, CHAIN_ID, PRICE, putContract } from "../../support/execution.ts";
import { aGenesisBlock, aHeader } from "../../support/headers.ts";

const PROPOSER_KEY = aKey(7);

/** A chain that a test moves on; its state is one world. */
class MovedChain {
  readonly world: World;
  isCatchingUp = false;
  hasRandao = true;
  #head: Block;
  #listeners: HeadListener[] = [];
  #rewindListeners: RewindListener[] = [];
  readonly #genesis = developmentGenesis({
    validator: addressOfKey(PROPOSER_KEY),
    keys: [],
    chainId: Number(CHAIN_ID),
    balance: 0n,
    time: 1,
  });

  constructor(world: World) {
    this.world = world;
    this.#head = aGenesisBlock([]);
  }

  get chain(): Chain {
    const { config } = this.#genesis;
    return {
      config,
      head: () => this.#head,
      header: () => this.#head,
      rules: (number: number) => ({ ...rulesAt(config, number), randao: this.hasRandao }),
      worldAt: () => this.world,
      author: () => undefined,
      onHead: (listener: HeadListener) => {
        this.#listeners.push(listener);
        return () => void (this.#listeners = []);
      },
      onRewind: (listener: RewindListener) => {
        this.#rewindListeners.push(listener);
        return () => void (this.#rewindListeners = []);
      },
    } as unknown as Chain; // an auction reads no more of it
  }

  grow(transactions: readonly Transaction[] = []): void {
    this.#head = { ...this.#head, header: aHeader(this.#head, []), transactions };
    for (const listener of this.#listeners) listener(this.#head, []);
  }

  rewind(): void {
    for (const listener of this.#rewindListeners) listener([], this.#head);
  }
}

async function anAuctionedChain(): Promise<MovedChain> {
  const world = await aWorld();
  putContract(world, REGISTRY, REGISTRY_CODE);
  putContract(world, ENTRY_POINT, AUCTION_CODE);
  return new MovedChain(world);
}

function open(moved: MovedChain): Auction {
  return openAuction({
    chain: moved.chain,
    options: { isDisabled: false, maxBids: undefined, earlyDeadlineMs: 200 },
    isCatchingUp: () => moved.isCatchingUp,
    sign: (digest) => sign(digest, PROPOSER_KEY),
    log: silentLog,
    metrics: createMetrics(),
  });
}

const target = aSent({ code: 0x7802, gasTipCap: 1n, fields: { accessList: [] } });

function aBid(members: Partial<Parameters<typeof aSignedBid>[0]> = {}): Bid {
  return aSignedBid({ chainId: CHAIN_ID, blockNumber: 2, targetTxHash: target.hash, ...members });
}

test("an auction begins with the block that announces it, and pauses while the node catches up", async () => {
  const moved = await anAuctionedChain();
  using auction = open(moved);
  const taken: Bid[] = [];
  auction.onBid((bid) => void taken.push(bid));
  expect(() => auction.add(aBid())).toThrow("auction is paused");
  moved.grow();
  auction.add(aBid());
  expect(taken).toEqual([aBid()]);
  moved.isCatchingUp = true;
  moved.grow();
  expect(() => auction.add(aBid({ blockNumber: 3 }))).toThrow("auction is paused");
  moved.isCatchingUp = false;
  moved.grow();
  expect(auction.isRunning).toBe(true);
});

test.each<[string, (moved: MovedChain) => void]>([
  ["before Randao", (moved) => void (moved.hasRandao = false)],
  ["without a registry", ({ world }) => world.setCode(REGISTRY, new Uint8Array(0))],
  [
    "without an auctioneer",
    ({ world }) => world.setCode(ENTRY_POINT, answeringCode([["auctioneer()", [0n]]])),
  ],
  ["with a contract that answers nothing", ({ world }) => world.setCode(ENTRY_POINT, new Uint8Array(1))],
])("there is no auction %s", async (_when, change) => {
  const moved = await anAuctionedChain();
  change(moved);
  using auction = open(moved);
  moved.grow();
  expect(auction.isRunning).toBe(false);
});

test("another auctioneer, and a chain taken back, end the bids so far", async () => {
  const moved = await anAuctionedChain();
  using auction = open(moved);
  const held = (): boolean => auction.isTarget(target, 3);
  moved.grow();
  auction.add(aBid({ blockNumber: 3 }));
  moved.grow();
  expect(held()).toBe(true);
  moved.world.setCode(
    ENTRY_POINT,
    answeringCode([
      ["auctioneer()", [5n]],
      ["gasBufferEstimate()", [GAS_BUFFER]],
    ]),
  );
  moved.grow();
  expect([held(), auction.isRunning]).toEqual([false, true]);
  moved.world.setCode(ENTRY_POINT, AUCTION_CODE);
  moved.grow();
  auction.add(aBid({ blockNumber: 5 }));
  moved.rewind();
  expect([auction.isTarget(target, 5), auction.isRunning]).toEqual([false, false]);
});

test("a bid becomes a call of the auction's contract by the proposer at its target's price", async () => {
  const moved = await anAuctionedChain();
  using auction = open(moved);
  moved.grow();
  const bid = aBid({ data: new Uint8Array(33).fill(1) });
  auction.add(bid);
  expect(auction.follower(target, { number: 3, nonce: 4n })).toBeUndefined();
  const made = auction.follower(target, { number: 2, nonce: 4n });
  if (made === undefined) throw new Error("the target has a bid");
  expect(made).toMatchObject({ nonce: 4n, value: 0n, to: ENTRY_POINT, gasFeeCap: PRICE, gasTipCap: 1n });
  expect(senderOf(made, CHAIN_ID)).toEqual(addressOfKey(PROPOSER_KEY));
  const rules = moved.chain.rules(2);
  expect(made.gas).toBe(intrinsicGas(made, rules) + 100_000n + GAS_BUFFER);
  const words = bareHex(made.input).slice(8).match(/.{64}/g) ?? [];
  expect(bareHex(made.input).slice(0, 8)).toBe("ca157554");
  expect([words[0], words[1], words[8], words[9], words[10]]).toEqual([
    "20".padStart(64, "0"),
    bareHex(target.hash),
    "140".padStart(64, "0"),
    "1a0".padStart(64, "0"),
    "220".padStart(64, "0"),
  ]);
  expect(words).toHaveLength(1 + 10 + 3 + 4 + 4);
});

test("a bid with much data has at least the floor's gas", async () => {
  const moved = await anAuctionedChain();
  using auction = open(moved);
  moved.grow();
  auction.add(aBid({ data: new Uint8Array(65_536).fill(1), callGasLimit: 1 }));
  const made = auction.follower(target, { number: 2, nonce: 0n });
  if (made === undefined) throw new Error("the target has a bid");
  expect(made.gas).toBe(floorGas(made, moved.chain.rules(2)));
});
