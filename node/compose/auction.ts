/** Opens the auction of a consensus node. */
import { type Auction, openAuction } from "../auction/auction.ts";
import type { Hash } from "../bytes/brands.ts";
import type { OpenChain } from "../chain/open-chain.ts";
import { sign } from "../crypto/secp256k1.ts";
import type { Log } from "../observe/log.ts";
import type { Metrics } from "../observe/metrics.ts";
import type { NodeKey } from "../p2p/node-key.ts";
import type { NodeOptions } from "./options.ts";

/** Parts of an auction. */
export interface AuctionParts {
  readonly options: Pick<NodeOptions, "type" | "auction" | "development">;
  readonly open: Pick<OpenChain, "chain">;
  readonly nodeKey: NodeKey;
  readonly isCatchingUp: () => boolean;
  readonly log: Log;
  readonly metrics: Metrics;
}

/** Balance of which a proposer pays the transactions of bids until the contract refunds them, in peb. */
const MIN_BALANCE = 10n * 10n ** 18n;

/**
 * Opens the auction; undefined on nodes that make no blocks, where it is disabled, and without the balance that the Go
 * node demands at its start, too.
 */
export function openNodeAuction(given: AuctionParts): Auction | undefined {
  const { options, open, nodeKey, isCatchingUp, log, metrics } = given;
  const { chain } = open;
  if (options.type !== "core" || options.auction.isDisabled || options.development !== undefined) {
    return undefined;
  }
  const balance = chain.stateAt(chain.head().header.number).account(nodeKey.address)?.balance ?? 0n;
  if (balance < MIN_BALANCE) {
    log.info({ balance, min: MIN_BALANCE }, "no bids are taken: the node's account lacks the balance");
    return undefined;
  }
  const signed = (digest: Hash): Uint8Array => sign(digest, nodeKey.key);
  return openAuction({ chain, options: options.auction, isCatchingUp, sign: signed, log, metrics });
}
