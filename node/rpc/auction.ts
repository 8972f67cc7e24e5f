/**
 * `auction`: bids for the place behind a transaction in a block (KIP-249, `kaiax/auction/impl/api.go@v2.2.2`). Calls and
 * subscriptions are those of `chain`.
 */

import type { Auction } from "../auction/auction.ts";
import { AuctionError } from "../auction/error.ts";
import type { Hash } from "../bytes/brands.ts";
import { equalBytes } from "../bytes/compare.ts";
import { toHex } from "../bytes/hex.ts";
import { decodeChainTransaction } from "../calls/raw-transaction.ts";
import { createSubmit, type SubmitDeps } from "../calls/submit.ts";
import { type Decoded, object } from "../jsonrpc/codec.ts";
import { address, data, hash, quantity } from "../jsonrpc/codecs/hex.ts";
import { count, plain, text } from "../jsonrpc/codecs/plain.ts";
import { failure, RpcError } from "../jsonrpc/errors.ts";
import { type Method, method } from "../jsonrpc/method.ts";
import { recordSchema } from "../jsonrpc/schemas.ts";
import { type Bid, createBid } from "../model/bid.ts";
import { TransactionError } from "../model/error.ts";
import { PoolError } from "../txpool/error.ts";

/** Dependencies of the methods. */
export interface AuctionMethodDeps {
  /** Undefined on a node that takes no bids. */
  readonly auction: Pick<Auction, "add"> | undefined;
  readonly pool: SubmitDeps["pool"];
}

const BID = {
  targetTxRaw: data,
  targetTxHash: hash,
  blockNumber: count,
  sender: address,
  to: address,
  nonce: count,
  bid: quantity,
  callGasLimit: count,
  data,
  searcherSig: data,
  auctioneerSig: data,
};
const bid = object("bid", "impl.BidInput", BID);

type GivenBid = Partial<Decoded<typeof BID>>;

/** Answer of a submission. */
interface Submission {
  readonly bidHash?: string;
  readonly err?: string;
}

/** The methods of `auction`. */
export function auctionMethods({ auction, pool }: AuctionMethodDeps): Method[] {
  const submit = createSubmit({ pool });
  return [
    method({
      name: "auction_submitBid",
      summary:
        "Submits the target transaction of a bid and the bid, for the place behind it in a block (KIP-249). Returns the hash of the bid, or the reason why it was refused, also in place of an error.",
      params: { bid },
      result: plain<Submission>(
        "{bidHash, err}",
        recordSchema<Submission>({ "bidHash?": hash.schema, "err?": text.schema }),
      ),
      handle: async (given): Promise<Submission> => {
        if (auction === undefined) return { err: "auction is disabled" };
        try {
          await submitTarget(given.bid, submit);
          const made = bidOf(given.bid);
          auction.add(made);
          return { bidHash: toHex(made.hash) };
        } catch (error) {
          if (!isRefusal(error)) throw error;
          return { err: error.message };
        }
      },
    }),
  ];
}

/** Submits the target transaction, which the pool may have. */
async function submitTarget(
  { targetTxRaw = NOTHING, targetTxHash = NO_HASH }: GivenBid,
  submit: ReturnType<typeof createSubmit>,
): Promise<void> {
  if (targetTxRaw.length === 0) throw failure("Empty target tx raw");
  const target = decodeChainTransaction(targetTxRaw);
  if (!equalBytes(target.hash, targetTxHash)) throw failure("invalid target tx hash");
  try {
    await submit(target);
  } catch (error) {
    if (!(error instanceof PoolError && error.code === "known")) throw error;
  }
}

const NOTHING = new Uint8Array(0);
const NO_HASH: Hash = new Uint8Array(32);
const NO_ADDRESS = new Uint8Array(20);

/** Members that are left out are zero, as in the Go node. */
function bidOf(given: GivenBid): Bid {
  return createBid({
    targetTxHash: given.targetTxHash ?? NO_HASH,
    blockNumber: given.blockNumber ?? 0,
    sender: given.sender ?? NO_ADDRESS,
    to: given.to ?? NO_ADDRESS,
    nonce: BigInt(given.nonce ?? 0),
    bid: given.bid ?? 0n,
    callGasLimit: given.callGasLimit ?? 0,
    data: given.data ?? NOTHING,
    searcherSig: given.searcherSig ?? NOTHING,
    auctioneerSig: given.auctioneerSig ?? NOTHING,
  });
}

function isRefusal(error: unknown): error is Error {
  return (
    error instanceof AuctionError ||
    error instanceof PoolError ||
    error instanceof TransactionError ||
    error instanceof RpcError
  );
}
