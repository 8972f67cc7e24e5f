/** `debug_subscribe traceChain`: traces block after block in a reader thread. */
import { toHex } from "../bytes/hex.ts";
import { toQuantity } from "../bytes/integer.ts";
import { blockNumber } from "../calls/arguments/block-number.ts";
import { type TraceConfig, traceConfig } from "../calls/arguments/trace-config.ts";
import { tracedRange } from "../calls/traces/traced-blocks.ts";
import type { Chain } from "../chain/chain.ts";
import { prunedHistory } from "../chain/kept-blocks.ts";
import { optional } from "../jsonrpc/codec.ts";
import { RpcError } from "../jsonrpc/errors.ts";
import { NotificationPayload, type Subscription, subscription } from "../jsonrpc/subscription.ts";
import { TurnQueue } from "../runtime/turn-queue.ts";
import { tracedBlockSchema } from "./traces.ts";

/** Dependencies of the subscription. */
export interface TraceChainDeps {
  readonly chain: Pick<Chain, "head" | "block" | "oldestBody">;
  /** Traces a block in a reader thread and returns a JSON list. Rejects with `RpcError`. */
  readonly traceBlock: (number: number, config: TraceConfig, signal: AbortSignal) => Promise<string>;
}

/** The subscription. Blocks without transactions are omitted, but for the last; an untraceable block ends it. */
export function traceChainSubscription(deps: TraceChainDeps): Subscription {
  const turns = new TurnQueue();
  return subscription({
    module: "debug",
    name: "traceChain",
    privilege: "process",
    summary:
      "Notifies of the traces of all transactions in a range of blocks after the first, and of the last block.",
    params: { start: blockNumber, end: blockNumber, config: optional(traceConfig, {}) },
    notification: tracedBlockSchema,
    start: ({ start, end, config }, subscriber) => {
      const { chain } = deps;
      const range = { start, end, hasFirst: false };
      const { before: first, last } = tracedRange(chain.head().header.number, range);
      if (first + 1 < chain.oldestBody()) throw prunedHistory(chain.oldestBody());
      const ending = new AbortController();
      const { signal } = ending;
      const notify = (json: string): void => subscriber.notify(new NotificationPayload(json));
      void traceAll(deps, { first, last, config, signal, turns }, notify);
      return () => ending.abort();
    },
  });
}

interface Tracing {
  readonly first: number;
  readonly last: number;
  readonly config: TraceConfig;
  readonly signal: AbortSignal;
  /** Shared by all subscriptions: one block per turn of the event loop. */
  readonly turns: TurnQueue;
}

async function traceAll(
  { chain, traceBlock }: TraceChainDeps,
  { first, last, config, signal, turns }: Tracing,
  notify: (json: string) => void,
): Promise<void> {
  const client = {}; // each subscription has an equal share
  for (let number = first + 1; number <= last && !signal.aborted; number++) {
    await turns.next(client); // also between blocks without traces
    if (signal.aborted) return;
    const block = number < chain.oldestBody() ? undefined : chain.block(number); // old bodies may have been pruned meanwhile
    if (block === undefined) return;
    if (block.transactions.length === 0 && number < last) continue;
    const traces = await traceBlock(number, config, signal).catch((error: unknown) => {
      if (error instanceof RpcError) return undefined;
      throw error;
    });
    if (traces === undefined || signal.aborted) return;
    notify(`{"block":"${toQuantity(number)}","hash":"${toHex(block.hash)}","traces":${traces}}`);
  }
}
