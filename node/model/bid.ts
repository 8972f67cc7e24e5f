/**
 * Bids for the place behind a transaction in a block (KIP-249): data, RLP, hash, and the digests that the searcher and
 * the auctioneer sign (`kaiax/auction/bid.go@v2.2.2` and `kaiax/auction/eip712.go@v2.2.2`).
 */
import type { Address, Hash } from "../bytes/brands.ts";
import { concatBytes } from "../bytes/compare.ts";
import { fixedBytes, integerBytes } from "../bytes/integer.ts";
import { encodeRlp } from "../bytes/rlp.ts";
import { RlpCursor } from "../bytes/rlp-cursor.ts";
import { keccak256 } from "../crypto/keccak.ts";

/** Members of a bid. */
export interface BidContent {
  /** Hash of the transaction that the call of the bid follows. */
  readonly targetTxHash: Hash;
  /** Number of the only block that the bid is for. */
  readonly blockNumber: number;
  /** Searcher, who pays the bid. */
  readonly sender: Address;
  /** Contract that is called with `data`. */
  readonly to: Address;
  /** Nonce of the searcher in the auction's contract. */
  readonly nonce: bigint;
  /** Amount of the bid, in peb. */
  readonly bid: bigint;
  readonly callGasLimit: number;
  readonly data: Uint8Array;
  /** Signature of the searcher over the typed data (EIP-712), of any length. */
  readonly searcherSig: Uint8Array;
  /** Signature of the auctioneer over the searcher's, of any length. */
  readonly auctioneerSig: Uint8Array;
}

/** A bid with its bytes. */
export interface Bid extends BidContent {
  readonly raw: Uint8Array;
  readonly hash: Hash;
}

const WORD = 32;
const UINT64_BYTES = 8;
const DOMAIN_TYPE = textHash(
  "EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)",
);
const BID_TYPE = textHash(
  "AuctionTx(bytes32 targetTxHash,uint256 blockNumber,address sender,address to,uint256 nonce,uint256 bid,uint256 callGasLimit,bytes data)",
);
const NAME = textHash("KAIA_AUCTION");
const VERSION = textHash("0.0.1");

/** Creates the bid of these members. */
export function createBid(content: BidContent): Bid {
  const raw = encodeRlp([
    content.targetTxHash,
    integerBytes(content.blockNumber),
    content.sender,
    content.to,
    integerBytes(content.nonce),
    integerBytes(content.bid),
    integerBytes(content.callGasLimit),
    content.data,
    content.searcherSig,
    content.auctioneerSig,
  ]);
  return { ...content, raw, hash: keccak256(raw) };
}

/** Decodes the RLP of a bid; its byte strings are views. Throws `BytesError` `bad-rlp`. */
export function decodeBid(raw: Uint8Array): Bid {
  const cursor = new RlpCursor(raw);
  const end = cursor.enter();
  const content: BidContent = {
    targetTxHash: cursor.hash(),
    blockNumber: cursor.number(),
    sender: cursor.address(),
    to: cursor.address(),
    nonce: cursor.bigint(UINT64_BYTES),
    bid: cursor.bigint(),
    callGasLimit: cursor.number(),
    data: cursor.string(),
    searcherSig: cursor.string(),
    auctioneerSig: cursor.string(),
  };
  cursor.leave(end);
  cursor.leave(raw.length);
  return { ...content, raw, hash: keccak256(raw) };
}

/** Returns the members of a bid before its data as words of the contract ABI, in the contract's order. */
export function bidWords(bid: BidContent): readonly Uint8Array[] {
  return [
    bid.targetTxHash,
    word(bid.blockNumber),
    addressWord(bid.sender),
    addressWord(bid.to),
    word(bid.nonce),
    word(bid.bid),
    word(bid.callGasLimit),
  ];
}

/** Returns the digest that the searcher signs: typed data (EIP-712) of the auction's contract on a chain. */
export function searcherDigest(bid: BidContent, chainId: bigint, contract: Address): Hash {
  const domain = keccak256(concatBytes(DOMAIN_TYPE, NAME, VERSION, word(chainId), addressWord(contract)));
  const struct = keccak256(concatBytes(BID_TYPE, ...bidWords(bid), keccak256(bid.data)));
  return keccak256(concatBytes(Uint8Array.of(0x19, 0x01), domain, struct));
}

/** Returns the digest that the auctioneer signs: the searcher's signature as a message of Ethereum. */
export function auctioneerDigest({ searcherSig }: BidContent): Hash {
  const prefix = Buffer.from(`\x19Ethereum Signed Message:\n${searcherSig.length}`, "latin1");
  return keccak256(concatBytes(prefix, searcherSig));
}

function word(value: bigint | number): Uint8Array {
  return fixedBytes(value, WORD);
}

function addressWord(address: Address): Uint8Array {
  return concatBytes(new Uint8Array(WORD - address.length), address);
}

function textHash(text: string): Hash {
  return keccak256(Buffer.from(text));
}
