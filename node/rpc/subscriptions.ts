/** What clients can be told about as it happens: heads, logs, transactions that become executable. */
import { toHex } from "../bytes/hex.ts";
import { logFilter } from "../calls/arguments/log-filter.ts";
import { checkLiveRange, type NewBlock, tellLogs } from "../calls/live-logs.ts";
import type { Chain } from "../chain/chain.ts";
import type { RpcProfile } from "../compat/profiles.ts";
import { optional } from "../jsonrpc/codec.ts";
import { boolean } from "../jsonrpc/codecs/plain.ts";
import { failure } from "../jsonrpc/errors.ts";
import { goJson } from "../jsonrpc/json-text.ts";
import { type Notify, type Subscription, subscription } from "../jsonrpc/subscription.ts";
import type { Block } from "../model/block.ts";
import { chainHeader, ethHeader } from "../presenters/block.ts";
import type { TxPool } from "../txpool/pool.ts";

/** What subscriptions listen to. */
export interface SubscriptionParts {
  readonly chain: Chain;
  readonly pool: Pick<TxPool, "onPending">;
  readonly profile: RpcProfile;
}

/** The subscriptions of `chain` and `eth`. */
export function chainSubscriptions({ chain, pool, profile }: SubscriptionParts): Subscription[] {
  const chainHeads = headFeed(chain, (block) => goJson(chainHeader(chain, block)));
  const ethHeads = headFeed(chain, (block) => goJson(ethHeader(chain, block, { profile })));
  return [
    newHeads("chain", "The header of each new block.", chainHeads),
    newHeads("eth", "The header of each new block, in Ethereum's form.", ethHeads),
    ...["chain", "eth"].flatMap((module) => [
      logs(module, chain),
      pendingTransactions(module, { pool, profile }),
    ]),
  ];
}

type Feed = (notify: Notify) => () => void;

/** Writes each head once, however many listen. */
function headFeed(chain: Chain, write: (block: Block) => string): Feed {
  let newest: { readonly block: Block; readonly json: string } | undefined;
  const jsonOf = (block: Block) => {
    if (newest?.block !== block) newest = { block, json: write(block) };
    return newest.json;
  };
  return (notify) => chain.onHead((block) => notify(jsonOf(block)));
}

function newHeads(module: string, summary: string, feed: Feed): Subscription {
  return subscription({
    module,
    name: "newHeads",
    summary,
    params: {},
    start: (_args, notify) => feed(notify),
  });
}

function pendingTransactions(
  module: string,
  { pool, profile }: Pick<SubscriptionParts, "pool" | "profile">,
): Subscription {
  const row = {
    module,
    name: "newPendingTransactions",
    summary: "The hash of each transaction that becomes executable.",
  };
  const start = (notify: Notify): (() => void) =>
    pool.onPending((transactions) => {
      for (const { hash } of transactions) notify(`"${toHex(hash)}"`);
    });
  if (!profile.pendingTakesFull)
    return subscription({ ...row, params: {}, start: (_args, notify) => start(notify) });
  return subscription({
    ...row,
    params: { full: optional(boolean, false) },
    start: ({ full }, notify) => {
      if (full) throw failure("subscription not found");
      return start(notify);
    },
  });
}

function logs(module: string, chain: Chain): Subscription {
  return subscription({
    module,
    name: "logs",
    summary: "Each log of new blocks that fits the filter; again as removed when its block is taken back.",
    params: { filter: logFilter },
    start: ({ filter }, notify) => {
      checkLiveRange(filter);
      const tell = (given: NewBlock, removed: boolean): void => {
        tellLogs(filter, given, { notify, removed });
      };
      const ends = [
        chain.onHead((block, receipts) => tell({ block, receipts }, false)),
        chain.onRewind((blocks) => {
          for (const block of blocks) tell(block, true);
        }),
      ];
      return () => {
        for (const end of ends) end();
      };
    },
  });
}
