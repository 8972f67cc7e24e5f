/**
 * Transaction gossip: new transactions soon, pending ones repeatedly, all of them to a new peer
 * (`BroadcastTxs` and `ReBroadcastTxs` of node/cn/handler.go@v2.2.2).
 */
import { mapKey } from "../bytes/hex.ts";
import type { Transaction } from "../model/transaction.ts";
import type { RandomFraction } from "../p2p/discovery/tables.ts";
import type { NodeType } from "../p2p/node-type.ts";
import type { TxPool } from "../txpool/pool.ts";
import type { ChainPeer } from "./chain-peer.ts";
import { MAX_PACK_BYTES, MAX_RESENT, type ProtocolTimings } from "./limits.ts";
import { messages } from "./messages.ts";
import { resendRecipients, transactionRecipients } from "./recipients.ts";

/** Dependencies of transaction gossip. */
export interface TransactionGossipDeps {
  readonly nodeType: NodeType;
  readonly pool: Pick<TxPool, "onPending" | "byPrice" | "wire">;
  readonly nextBaseFee: () => bigint | undefined;
  readonly peers: () => Iterable<ChainPeer>;
  readonly randomFraction: RandomFraction;
  readonly timings: ProtocolTimings;
  /** Called with the number of transactions sent. */
  readonly onSent: (transactions: number) => void;
}

/** Running transaction gossip. Disposing it stops all sending. */
export interface TransactionGossip extends Disposable {
  /** Sends all pending transactions to a new peer. */
  sendPending(peer: ChainPeer): Promise<void>;
}

/** Opens transaction gossip and subscribes to the pool. */
export function openTransactionGossip(deps: TransactionGossipDeps): TransactionGossip {
  const { nodeType, pool, peers, randomFraction, timings, onSent } = deps;
  let gathered: Transaction[] = [];
  let timer: NodeJS.Timeout | undefined;
  const flush = (): void => {
    timer = undefined;
    const transactions = gathered;
    gathered = [];
    for (const [peer, wanted] of assign(transactions, deps)) onSent(sendWithinBudget(peer, wanted, pool));
  };
  const stopListening = pool.onPending((transactions) => {
    gathered.push(...transactions);
    timer ??= setTimeout(flush, timings.gatherMs);
  });
  const resend = (): void => {
    const chosen = resendRecipients(nodeType, [...peers()], { max: MAX_RESENT.peers, randomFraction });
    if (chosen.length === 0) return;
    const transactions = pendingByPrice(deps, MAX_RESENT.transactions);
    for (const peer of chosen) onSent(sendWithinBudget(peer, transactions, pool));
  };
  const resending = nodeType === "cn" ? undefined : setInterval(resend, timings.resendMs);
  return {
    async sendPending(peer) {
      for (const pack of packs(itemsOf(pendingByPrice(deps, Number.POSITIVE_INFINITY), pool))) {
        if (!(await peer.send(messages.transactions.code, encodePack(pack)))) return;
        for (const { hash } of pack) peer.knownTransactions.add(hash);
        onSent(pack.length);
        if (!(await peer.link.waitForRoom())) return;
      }
    },
    [Symbol.dispose]() {
      stopListening();
      clearTimeout(timer);
      clearInterval(resending);
    },
  };
}

/** Returns up to `max` executable transactions, the best paying first. */
function pendingByPrice({ pool, nextBaseFee }: TransactionGossipDeps, max: number): Transaction[] {
  const order = pool.byPrice(nextBaseFee());
  const transactions: Transaction[] = [];
  for (let next = order.peek(); next && transactions.length < max; next = order.peek()) {
    transactions.push(next);
    order.shift();
  }
  return transactions;
}

/** Assigns the transactions to recipients. */
function assign(
  transactions: readonly Transaction[],
  { nodeType, peers, randomFraction }: TransactionGossipDeps,
): Map<ChainPeer, Transaction[]> {
  const wanted = new Map<ChainPeer, Transaction[]>();
  const all = [...peers()];
  const seen = new Set<string>();
  for (const transaction of transactions) {
    const key = mapKey(transaction.hash);
    if (seen.has(key)) continue;
    seen.add(key);
    const lacking = all.filter((peer) => !peer.knownTransactions.has(transaction.hash));
    for (const peer of transactionRecipients(nodeType, lacking, randomFraction)) {
      const list = wanted.get(peer);
      if (list === undefined) wanted.set(peer, [transaction]);
      else list.push(transaction);
    }
  }
  return wanted;
}

/** Sends transactions while the peer's send budget allows. Returns the number sent. */
function sendWithinBudget(
  peer: ChainPeer,
  transactions: readonly Transaction[],
  pool: Pick<TxPool, "wire">,
): number {
  let sent = 0;
  for (const pack of packs(itemsOf(transactions, pool))) {
    if (!peer.link.send(messages.transactions.code, encodePack(pack))) break;
    for (const { hash } of pack) peer.knownTransactions.add(hash);
    sent += pack.length;
  }
  return sent;
}

/** A transaction in its network form, with blobs. */
type Item = Pick<Transaction, "hash" | "raw">;

/** Yields one item at a time, so that blobs are loaded only when they are sent. */
function* itemsOf(transactions: readonly Transaction[], pool: Pick<TxPool, "wire">): Generator<Item> {
  for (const tx of transactions) yield { hash: tx.hash, raw: pool.wire(tx) };
}

function encodePack(pack: readonly Item[]): Uint8Array {
  return messages.transactions.encode(pack.map(({ raw }) => raw));
}

function* packs(transactions: Iterable<Item>): Generator<Item[]> {
  let pack: Item[] = [];
  let bytes = 0;
  for (const transaction of transactions) {
    if (bytes >= MAX_PACK_BYTES) {
      yield pack;
      pack = [];
      bytes = 0;
    }
    pack.push(transaction);
    bytes += transaction.raw.length;
  }
  if (pack.length > 0) yield pack;
}
