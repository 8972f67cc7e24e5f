/**
 * `auction`: bids for the place behind a transaction in a block (KIP-249, `kaiax/auction/impl/api.go@v2.2.2`). This node
 * takes no bids; calls and subscriptions are those of `chain`.
 */

import { object } from "../jsonrpc/codec.ts";
import { address, data, hash, quantity } from "../jsonrpc/codecs/hex.ts";
import { count, plain } from "../jsonrpc/codecs/plain.ts";
import { type Method, method } from "../jsonrpc/method.ts";

const bid = object("bid", "impl.BidInput", {
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
});

/** The methods of `auction`. */
export function auctionMethods(): Method[] {
  return [
    method({
      name: "auction_submitBid",
      summary: "Takes no bid: returns an object with the error that the auction is disabled.",
      params: { bid },
      result: plain<object>("{bidHash, err}"),
      handle: () => ({ err: "auction is disabled" }),
    }),
  ];
}
