/** Passes the pool's transactions to peers: new ones soon, pending ones again and again, all to a new peer. */
import { mapKey } from "../bytes/hex.ts";
import type { Transaction } from "../model/transaction.ts";
import type { NodeType } from "../p2p/node-type.ts";
import type { TxPool } from "../txpool/pool.ts";
import type { ChainPeer } from "./chain-peer.ts";
import { type ProtocolTimings, RESENT, TRANSACTION_PACK } from "./limits.ts";
import { messages } from "./messages.ts";
import { type Chance, resendRecipients, transactionRecipients } from "./recipients.ts";

/** What passing on needs. */
export interface TransactionGossipParts {
  readonly nodeType: NodeType;
  readonly pool: Pick<TxPool, "onPending" | "byPrice" | "wire">;
  readonly nextBaseFee: () => bigint | undefined;
  readonly peers: () => Iterable<ChainPeer>;
  readonly chance: Chance;
  readonly timings: ProtocolTimings;
  /** Told how many transactions went out. */
  readonly onSent: (transactions: number) => void;
}

/** Passes transactions on until it is closed. */
export interface TransactionGossip extends Disposable {
  /** Sends a new peer everything that is pending, pack by pack. */
  greet(peer: ChainPeer): Promise<void>;
}

/** Starts to listen to the pool. */
export function openTransactionGossip(parts: TransactionGossipParts): TransactionGossip {
  const { nodeType, pool, peers, chance, timings, onSent } = parts;
  let gathered: Transaction[] = [];
  let timer: NodeJS.Timeout | undefined;
  const flush = (): void => {
    timer = undefined;
    const transactions = gathered;
    gathered = [];
    for (const [peer, wanted] of assign(transactions, parts)) onSent(sendSome(peer, wanted, pool));
  };
  const stopListening = pool.onPending((transactions) => {
    gathered.push(...transactions);
    timer ??= setTimeout(flush, timings.gatherMs);
  });
  const resend = (): void => {
    const chosen = resendRecipients(nodeType, [...peers()], { most: RESENT.peers, chance });
    if (chosen.length === 0) return;
    const transactions = pending(parts, RESENT.transactions);
    for (const peer of chosen) onSent(sendSome(peer, transactions, pool));
  };
  const resending = nodeType === "cn" ? undefined : setInterval(resend, timings.resendMs);
  return {
    async greet(peer) {
      for (const pack of packs(itemsOf(pending(parts, Number.POSITIVE_INFINITY), pool))) {
        if (!(await peer.send(messages.transactions.code, encodePack(pack)))) return;
        for (const { hash } of pack) peer.knownTransactions.add(hash);
        onSent(pack.length);
        if (!(await peer.link.writable())) return;
      }
    },
    [Symbol.dispose]() {
      stopListening();
      clearTimeout(timer);
      clearInterval(resending);
    },
  };
}

/** The best of what is executable, at most `most`. */
function pending({ pool, nextBaseFee }: TransactionGossipParts, most: number): Transaction[] {
  const order = pool.byPrice(nextBaseFee());
  const transactions: Transaction[] = [];
  for (let next = order.peek(); next && transactions.length < most; next = order.peek()) {
    transactions.push(next);
    order.shift();
  }
  return transactions;
}

/** Who gets which of the transactions. */
function assign(
  transactions: readonly Transaction[],
  { nodeType, peers, chance }: TransactionGossipParts,
): Map<ChainPeer, Transaction[]> {
  const wanted = new Map<ChainPeer, Transaction[]>();
  const all = [...peers()];
  const seen = new Set<string>();
  for (const transaction of transactions) {
    const key = mapKey(transaction.hash);
    if (seen.has(key)) continue;
    seen.add(key);
    const lacking = all.filter((peer) => !peer.knownTransactions.has(transaction.hash));
    for (const peer of transactionRecipients(nodeType, lacking, chance)) {
      const list = wanted.get(peer);
      if (list === undefined) wanted.set(peer, [transaction]);
      else list.push(transaction);
    }
  }
  return wanted;
}

/** Sends what the peer has room for; the rest is left out. The number of transactions sent. */
function sendSome(peer: ChainPeer, transactions: readonly Transaction[], pool: Pick<TxPool, "wire">): number {
  let sent = 0;
  for (const pack of packs(itemsOf(transactions, pool))) {
    if (!peer.link.send(messages.transactions.code, encodePack(pack))) break;
    for (const { hash } of pack) peer.knownTransactions.add(hash);
    sent += pack.length;
  }
  return sent;
}

/** A transaction as it goes out, with its blobs. */
type Item = Pick<Transaction, "hash" | "raw">;

/** One at a time, so that the blobs of many are not gathered before they are sent. */
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
    if (bytes >= TRANSACTION_PACK) {
      yield pack;
      pack = [];
      bytes = 0;
    }
    pack.push(transaction);
    bytes += transaction.raw.length;
  }
  if (pack.length > 0) yield pack;
}
