/** Signed bids of an auction (KIP-249), and the contracts that announce it. */
import { fromBareHex } from "../../node/bytes/hex.ts";
import { addressOfKey, sign } from "../../node/crypto/secp256k1.ts";
import {
  auctioneerDigest,
  type Bid,
  type BidContent,
  createBid,
  searcherDigest,
} from "../../node/model/bid.ts";
import { answeringCode } from "./contract-code.ts";
import { addressWord } from "./contracts.ts";

/** Keys of the auctioneer and of two searchers. */
export const AUCTIONEER_KEY = new Uint8Array(32).fill(0xa1);
export const SEARCHER_KEYS = [new Uint8Array(32).fill(0xb1), new Uint8Array(32).fill(0xb2)] as const;
/** Address of the auction's contract. */
export const ENTRY_POINT = fromBareHex("000000000000000000000000000000000000a0c7");
/** Gas that the contract says it needs besides the call. */
export const GAS_BUFFER = 180_000n;

/** Chain of a bid, its keys where they differ, and members. */
export interface SignedBidOptions extends Partial<BidContent> {
  readonly chainId: bigint;
  readonly searcherKey?: Uint8Array;
  readonly auctioneerKey?: Uint8Array;
}

/** A bid of the first searcher of 1 peb for a call without data, signed as the contract wants. */
export function aSignedBid(given: SignedBidOptions): Bid {
  const { chainId, searcherKey = SEARCHER_KEYS[0], auctioneerKey = AUCTIONEER_KEY, ...members } = given;
  const nothing = new Uint8Array(0);
  const content: BidContent = {
    targetTxHash: new Uint8Array(32),
    blockNumber: 1,
    sender: addressOfKey(searcherKey),
    to: new Uint8Array(20).fill(0xc0),
    nonce: 0n,
    bid: 1n,
    callGasLimit: 100_000,
    data: nothing,
    searcherSig: nothing,
    auctioneerSig: nothing,
    ...members,
  };
  const searcherSig =
    members.searcherSig ?? walletSignature(searcherDigest(content, chainId, ENTRY_POINT), searcherKey);
  const digest = auctioneerDigest({ ...content, searcherSig });
  const auctioneerSig = members.auctioneerSig ?? walletSignature(digest, auctioneerKey);
  return createBid({ ...content, searcherSig, auctioneerSig });
}

/** Signs as wallets do, with 27 or 28 at the end. */
function walletSignature(digest: Uint8Array, key: Uint8Array): Uint8Array {
  const signature = Uint8Array.from(sign(digest, key));
  signature[64] = (signature[64] ?? 0) + 27;
  return signature;
}

/** Code of a contract registry that names the auction's contract, whatever it is asked for. */
export const REGISTRY_CODE: Uint8Array = answeringCode([
  ["getActiveAddr(string)", [addressWord(ENTRY_POINT)]],
]);

/** Code of an auction's contract, which accepts every call of a bid. */
export const AUCTION_CODE: Uint8Array = answeringCode([
  ["auctioneer()", [addressWord(addressOfKey(AUCTIONEER_KEY))]],
  ["gasBufferEstimate()", [GAS_BUFFER]],
]);
