/**
 * Bids for the next two blocks, one for each target and one of each searcher a block, as in the Go node
 * (`kaiax/auction/impl/bid_pool.go@v2.2.2`). Comes in: bids of the auctioneer and of peers, and mined blocks. Goes
 * out: the bid behind a transaction.
 */
import type { Address, Hash } from "../bytes/brands.ts";
import { concatBytes, equalBytes } from "../bytes/compare.ts";
import { mapKey } from "../bytes/hex.ts";
import { checksumAddress } from "../crypto/checksum.ts";
import { addressOfPublicKey, isLowS, isScalar, recover } from "../crypto/secp256k1.ts";
import { auctioneerDigest, type Bid, searcherDigest } from "../model/bid.ts";
import type { Transaction } from "../model/transaction.ts";
import type { AuctionContract } from "./contract.ts";
import { AuctionError } from "./error.ts";

/** Limits and chain of a pool of bids. */
export interface BidPoolOptions {
  readonly chainId: bigint;
  /** No limit but that of their size when absent. */
  readonly maxBids?: number | undefined;
}

/** The newest block and the auction after it. */
export interface AuctionHead {
  readonly number: number;
  readonly contract: AuctionContract;
}

/** Bids of one block. */
interface BlockBids {
  /** By the target's hash. */
  readonly byTarget: Map<string, Bid>;
  /** By the searcher's address. */
  readonly bySender: Map<string, Bid>;
}

/** Blocks after the newest one that bids may be for. */
const MAX_AHEAD = 2;
const MAX_CALL_GAS = 10_000_000;
const MAX_DATA_BYTES = 64 * 1024;
const SIGNATURE_BYTES = 65;
/** Maximum size of all bids, in bytes; the Go node has no such limit. */
const MAX_BID_BYTES = 16 * 2 ** 20;

/** The pool. */
export class BidPool {
  readonly #options: BidPoolOptions;
  readonly #bids = new Map<string, Bid>();
  readonly #blocks = new Map<number, BlockBids>();
  #bytes = 0;

  constructor(options: BidPoolOptions) {
    this.#options = options;
  }

  get size(): number {
    return this.#bids.size;
  }

  /** Adds a bid, in place of a lower one for its target. Throws `AuctionError` with the Go node's text. */
  add(bid: Bid, head: AuctionHead): void {
    this.#check(bid, head);
    const block = this.#block(bid.blockNumber);
    const target = mapKey(bid.targetTxHash);
    const old = block.byTarget.get(target);
    if (old !== undefined && old.bid >= bid.bid) throw new AuctionError("low-bid", "low bid");
    if (old !== undefined) this.#remove(old);
    else if (this.#isFull(bid)) throw new AuctionError("full", "bid pool is full");
    this.#bids.set(mapKey(bid.hash), bid);
    this.#bytes += bid.raw.length;
    block.byTarget.set(target, bid);
    block.bySender.set(mapKey(bid.sender), bid);
  }

  /** Returns the bid for the place behind a transaction of a block. */
  find(number: number, target: Hash): Bid | undefined {
    return this.#blocks.get(number)?.byTarget.get(mapKey(target));
  }

  /** Removes the bids for a block and those before it, and all others for its transactions. */
  follow(number: number, transactions: readonly Transaction[]): void {
    for (const [each, { byTarget }] of this.#blocks) {
      const stale =
        each <= number
          ? [...byTarget.values()]
          : transactions.map(({ hash }) => byTarget.get(mapKey(hash))).filter((bid) => bid !== undefined);
      for (const bid of stale) this.#remove(bid);
      if (each <= number) this.#blocks.delete(each);
    }
  }

  /** Removes all bids. */
  clear(): void {
    this.#bids.clear();
    this.#blocks.clear();
    this.#bytes = 0;
  }

  #isFull({ raw }: Bid): boolean {
    const { maxBids = Number.POSITIVE_INFINITY } = this.#options;
    return this.#bids.size >= maxBids || this.#bytes + raw.length > MAX_BID_BYTES;
  }

  #block(number: number): BlockBids {
    let block = this.#blocks.get(number);
    if (block === undefined) {
      block = { byTarget: new Map(), bySender: new Map() };
      this.#blocks.set(number, block);
    }
    return block;
  }

  #remove(bid: Bid): void {
    const block = this.#blocks.get(bid.blockNumber);
    block?.byTarget.delete(mapKey(bid.targetTxHash));
    block?.bySender.delete(mapKey(bid.sender));
    if (this.#bids.delete(mapKey(bid.hash))) this.#bytes -= bid.raw.length;
  }

  /** Checks a bid in the Go node's order. */
  #check(bid: Bid, { number, contract }: AuctionHead): void {
    if (this.#bids.has(mapKey(bid.hash))) throw new AuctionError("known", "bid already exists");
    const earlier = this.#blocks.get(bid.blockNumber)?.bySender.get(mapKey(bid.sender));
    if (earlier !== undefined && !equalBytes(earlier.targetTxHash, bid.targetTxHash)) {
      throw new AuctionError("sender-taken", "bid sender already exists");
    }
    if (bid.blockNumber <= number || bid.blockNumber > number + MAX_AHEAD) {
      throw new AuctionError("wrong-block", "invalid block number");
    }
    if (bid.bid === 0n) throw new AuctionError("zero-bid", "zero bid");
    if (bid.data.length > MAX_DATA_BYTES) {
      throw new AuctionError("too-much-data", "data size exceeds the maximum limit");
    }
    if (bid.callGasLimit > MAX_CALL_GAS) {
      throw new AuctionError("too-much-gas", "gas limit exceeds the maximum limit");
    }
    checkSignatures(bid, this.#options.chainId, contract);
  }
}

function checkSignatures(bid: Bid, chainId: bigint, { auctioneer, entryPoint }: AuctionContract): void {
  const { searcherSig, auctioneerSig, sender } = bid;
  if (searcherSig.length !== SIGNATURE_BYTES) throw badSignature("invalid searcher sig");
  if (auctioneerSig.length !== SIGNATURE_BYTES) throw badSignature("invalid auctioneer sig");
  const digest = searcherDigest(bid, chainId, entryPoint);
  checkSigner("searcher", { digest, signature: searcherSig, expected: sender });
  checkSigner("auctioneer", {
    digest: auctioneerDigest(bid),
    signature: auctioneerSig,
    expected: auctioneer,
  });
}

interface SignedDigest {
  readonly digest: Hash;
  /** 65 bytes. */
  readonly signature: Uint8Array;
  readonly expected: Address;
}

function checkSigner(role: "searcher" | "auctioneer", { digest, signature, expected }: SignedDigest): void {
  const [r, s, last = 0] = [signature.subarray(0, 32), signature.subarray(32, 64), signature[64]];
  const v = last === 27 || last === 28 ? last - 27 : last;
  if (v > 1 || !isScalar(r) || !isScalar(s) || !isLowS(s)) {
    throw badSignature(`failed to recover ${role} sig: invalid signature`);
  }
  const publicKey = recover(digest, concatBytes(r, s, Uint8Array.of(v)));
  if (publicKey === undefined) throw badSignature(`failed to recover ${role} sig: recovery failed`);
  const signer = addressOfPublicKey(publicKey);
  if (equalBytes(signer, expected)) return;
  const both = `expected ${checksumAddress(expected)}, calculated ${checksumAddress(signer)}`;
  throw badSignature(`invalid ${role} sig: ${both}`);
}

function badSignature(message: string): AuctionError {
  return new AuctionError("bad-signature", message);
}
