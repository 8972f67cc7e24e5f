/** Subscriptions to the chain and the pool: new heads, logs and pending transactions. */
import type { Hash } from "../bytes/brands.ts";
import { toHex } from "../bytes/hex.ts";
import { type LogFilter, logFilter } from "../calls/arguments/log-filter.ts";
import { BlockLogs, checkLiveRange } from "../calls/live-logs.ts";
import type { Chain } from "../chain/chain.ts";
import { optional } from "../jsonrpc/codec.ts";
import { boolean } from "../jsonrpc/codecs/plain.ts";
import { failure } from "../jsonrpc/errors.ts";
import { type Deliveries, EVENT_BYTES, Feed, type FeedEvent, plainEvent } from "../jsonrpc/feed.ts";
import { goJson, sortKeys } from "../jsonrpc/json-text.ts";
import { type Schema, schemaRefs } from "../jsonrpc/schemas.ts";
import { NotificationPayload, type Subscription, subscription } from "../jsonrpc/subscription.ts";
import type { Block } from "../model/block.ts";
import type { Transaction } from "../model/transaction.ts";
import { type BlockMembers, chainHeader, ethHeader } from "../presenters/block.ts";
import {
  announcedTransactionSchema,
  chainHeaderSchema,
  ethHeaderSchema,
  logSchema,
} from "../presenters/block-schemas.ts";
import { chainTransaction } from "../presenters/transaction.ts";
import type { Clock } from "../runtime/clock.ts";
import type { TxPool } from "../txpool/pool.ts";

/** Dependencies of the subscriptions to the chain. */
export interface ChainSubscriptionDeps {
  readonly chain: Chain;
  readonly pool: Pick<TxPool, "onPending">;
  readonly blockMembers: BlockMembers;
  readonly deliveries: Deliveries;
  /** Gives the time at which a transaction is announced. */
  readonly clock: Clock;
}

/** The subscriptions of `chain`, `eth` and `auction`. */
export function chainSubscriptions({
  chain,
  pool,
  blockMembers: members,
  deliveries,
  clock,
}: ChainSubscriptionDeps): Subscription[] {
  const heads = (write: (block: Block) => object): Feed<undefined> =>
    new Feed(deliveries, (publish) =>
      chain.onHead((block) => publish(plainEvent(new NotificationPayload(goJson(write(block)))))),
    );
  const pending = new Feed<undefined>(deliveries, (publish) =>
    pool.onPending((transactions) => publish(pendingEvent(transactions))),
  );
  const whole = new Feed<undefined>(deliveries, (publish) =>
    pool.onPending((transactions) => {
      for (const tx of transactions)
        publish(plainEvent(new NotificationPayload(wholePendingText(chain, tx, clock))));
    }),
  );
  const logged = logFeed(chain, deliveries);
  const chainHeads = heads((block) => chainHeader(chain, block));
  return [
    ...["chain", "auction"].map((module) =>
      newHeads({
        module,
        summary: "Notifies of the header of each new block.",
        notification: chainHeaderSchema,
        feed: chainHeads,
      }),
    ),
    newHeads({
      module: "eth",
      summary: "Notifies of the header of each new block, in Ethereum's form.",
      notification: ethHeaderSchema,
      feed: heads((block) => ethHeader(chain, block, { members })),
    }),
    ...["chain", "eth", "auction"].flatMap((module) => [
      logs(module, logged),
      pendingTransactions(module, pending, module === "auction" ? whole : undefined),
    ]),
  ];
}

interface HeadsOptions {
  readonly module: string;
  readonly summary: string;
  readonly notification: Schema;
  readonly feed: Feed<undefined>;
}

function newHeads({ module, summary, notification, feed }: HeadsOptions): Subscription {
  return subscription({
    module,
    name: "newHeads",
    summary,
    params: {},
    notification,
    start: (_args, subscriber) => feed.subscribe(undefined, subscriber),
  });
}

const { transactionHash: hashSchema } = schemaRefs;

/** `whole` is the feed of transactions, which `auction` alone has (`node/cn/filters/api_kaia_filter.go@v2.2.2`). */
function pendingTransactions(
  module: string,
  hashes: Feed<undefined>,
  whole: Feed<undefined> | undefined,
): Subscription {
  const subject = whole === undefined ? "hash" : "hash or, with `full`, the members";
  return subscription({
    module,
    name: "newPendingTransactions",
    summary: `Notifies of the ${subject} of each transaction that becomes executable.`,
    params: { full: optional(boolean, false) },
    notification: whole === undefined ? hashSchema : { oneOf: [hashSchema, announcedTransactionSchema] },
    start: ({ full }, subscriber) => {
      const feed = full ? whole : hashes;
      if (feed === undefined) throw failure("subscription not found");
      return feed.subscribe(undefined, subscriber);
    },
  });
}

function wholePendingText(chain: Chain, tx: Transaction, clock: Clock): string {
  return goJson(sortKeys({ ...chainTransaction(chain, tx), time: new Date(clock.now()).toISOString() }));
}

/** Memory of a hash and its payload, in bytes. */
const HASH_BYTES = 400;

/** Creates an event with a payload per transaction. */
function pendingEvent(transactions: readonly { readonly hash: Hash }[]): FeedEvent<undefined> {
  const hashes = transactions.map(({ hash }) => hash);
  const payloads: NotificationPayload[] = [];
  const all = [...hashes.keys()];
  return {
    bytes: EVENT_BYTES + hashes.length * HASH_BYTES,
    select: () => all,
    payload: (index) => (payloads[index] ??= new NotificationPayload(`"${toHex(hashes[index] ?? NO_HASH)}"`)),
  };
}

const NO_HASH = new Uint8Array(0);

/** Creates a feed of the logs of new blocks and of blocks that leave the chain. */
function logFeed(chain: Chain, deliveries: Deliveries): Feed<LogFilter> {
  return new Feed(deliveries, (publish) => {
    const publishLogs = (event: BlockLogs): void => {
      if (event.size > 0) publish(event);
    };
    const ends = [
      chain.onHead((block, receipts) => publishLogs(new BlockLogs({ block, receipts }, false))),
      chain.onRewind((blocks) => {
        for (const block of blocks) publishLogs(new BlockLogs(block, true));
      }),
    ];
    return () => {
      for (const end of ends) end();
    };
  });
}

function logs(module: string, feed: Feed<LogFilter>): Subscription {
  return subscription({
    module,
    name: "logs",
    summary:
      "Notifies of each matching log of new blocks, and again with `removed` when its block leaves the chain.",
    params: { filter: logFilter },
    notification: logSchema,
    start: ({ filter }, subscriber) => {
      checkLiveRange(filter);
      return feed.subscribe(filter, subscriber);
    },
  });
}
