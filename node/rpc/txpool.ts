/** `txpool`: pending and queued transactions by sender and nonce. */
import type { Address } from "../bytes/brands.ts";
import { addressText, fromHex, toHex } from "../bytes/hex.ts";
import { toQuantity } from "../bytes/integer.ts";
import type { Chain } from "../chain/chain.ts";
import { checksumAddress } from "../crypto/checksum.ts";
import { address as addressCodec } from "../jsonrpc/codecs/hex.ts";
import { plain, writtenAs } from "../jsonrpc/codecs/plain.ts";
import { goText, sortedJson, sortedMembers } from "../jsonrpc/json-text.ts";
import { type CallOrigin, type Method, method } from "../jsonrpc/method.ts";
import { mapSchema, plainSchemas, recordSchema, type Schema, schemaRefs } from "../jsonrpc/schemas.ts";
import { recipientOf } from "../model/recipient.ts";
import type { Transaction } from "../model/transaction.ts";
import { pooledTransactionSchema } from "../presenters/block-schemas.ts";
import { writeInSlices } from "../presenters/slices.ts";
import { chainTransaction } from "../presenters/transaction.ts";
import type { TxPool } from "../txpool/pool.ts";

/** Members and words of the pool's JSON that interfaces choose. */
export interface PoolForm {
  /** Entries contain `txHash` besides `hash`. */
  readonly txHash: boolean;
  /** Name of the smallest unit in `txpool_inspect`. */
  readonly unit: "peb" | "kei";
}

/** Dependencies of the methods of `txpool`. */
export interface TxPoolMethodDeps {
  readonly chain: Chain;
  readonly pool: Pick<TxPool, "content" | "status">;
  readonly poolForm: PoolForm;
}

/** Returns the schema of both parts of the pool. */
const partsSchema = (part: Schema): Schema => recordSchema({ pending: part, queued: part });
const byNonce = (entry: Schema): Schema => mapSchema("by nonce", entry);
const bySender = (entry: Schema): Schema => partsSchema(mapSchema("by sender", byNonce(entry)));

/** The methods of `txpool`. */
export function txpoolMethods({ chain, pool, poolForm }: TxPoolMethodDeps): Method[] {
  const entry = (tx: Transaction) =>
    sortedJson({
      ...chainTransaction(chain, tx),
      ...(poolForm.txHash ? { txHash: toHex(tx.hash) } : {}),
    });
  return [
    method({
      name: "txpool_contentFrom",
      summary: "Returns the pending and queued transactions of one sender, by nonce.",
      params: { address: addressCodec },
      result: writtenAs("pool content", partsSchema(byNonce(pooledTransactionSchema))),
      handle: (args, origin) => contentFromJson(pool, args.address, { show: entry, origin }),
    }),
    method({
      name: "txpool_content",
      summary: "Returns all pending and queued transactions, by sender and nonce.",
      params: {},
      result: writtenAs("pool content", bySender(pooledTransactionSchema)),
      handle: (_args, origin) => contentJson(pool, entry, origin),
    }),
    method({
      name: "txpool_inspect",
      summary: "Returns a line of text per pending and queued transaction, by sender and nonce.",
      params: {},
      result: writtenAs("pool summary", bySender(plainSchemas.text)),
      handle: (_args, origin) => contentJson(pool, (tx) => goText(summary(tx, poolForm.unit)), origin),
    }),
    method({
      name: "txpool_status",
      summary: "Returns the number of pending and of queued transactions.",
      params: {},
      result: plain<object>("object of pending and queued", partsSchema(schemaRefs.quantity)),
      handle: () => {
        const { pending, queued } = pool.status();
        return { pending: toQuantity(pending), queued: toQuantity(queued) };
      },
    }),
  ];
}

type Show = (tx: Transaction) => string;

interface Entry {
  readonly part: "pending" | "queued";
  readonly sender: string;
  readonly tx: Transaction;
}

/** Formats the transactions of one sender as JSON text. */
function contentFromJson(
  pool: TxPoolMethodDeps["pool"],
  sender: Address,
  { show, origin }: { readonly show: Show; readonly origin: CallOrigin },
): string | Promise<string> {
  const key = addressText(sender);
  const content = pool.content();
  const pending = content.pending.get(key) ?? [];
  const all = [...pending, ...(content.queued.get(key) ?? [])];
  const write = (index: number): string => show(all[index] as Transaction); // within the length
  const compose = (texts: readonly string[]): string => {
    const members = all.map((tx, index) => [tx.nonce.toString(), texts[index] ?? ""] as const);
    const executable = sortedMembers(members.slice(0, pending.length));
    return `{"pending":${executable},"queued":${sortedMembers(members.slice(pending.length))}}`;
  };
  return writeInSlices(all.length, write, compose, origin);
}

/** Formats a copy of the pool's present content as JSON text. */
function contentJson(
  pool: TxPoolMethodDeps["pool"],
  show: Show,
  origin: CallOrigin,
): string | Promise<string> {
  const { pending, queued } = pool.content();
  const entries = [...entriesOf("pending", pending), ...entriesOf("queued", queued)];
  return writeInSlices(
    entries.length,
    (index) => show((entries[index] as Entry).tx), // within the length
    (texts) =>
      `{"pending":${nestBySender(entries, texts, "pending")},"queued":${nestBySender(entries, texts, "queued")}}`,
    origin,
  );
}

function entriesOf(part: Entry["part"], senders: ReadonlyMap<string, readonly Transaction[]>): Entry[] {
  return [...senders].flatMap(([address, transactions]) => {
    const sender = checksumAddress(fromHex(address));
    return transactions.map((tx) => ({ part, sender, tx }));
  });
}

/** Nests transactions by sender, then by nonce. */
function nestBySender(entries: readonly Entry[], texts: readonly string[], part: Entry["part"]): string {
  const senders = new Map<string, [string, string][]>();
  for (const [index, entry] of entries.entries()) {
    if (entry.part !== part) continue;
    const members = senders.get(entry.sender) ?? [];
    members.push([entry.tx.nonce.toString(), texts[index] ?? ""]);
    senders.set(entry.sender, members);
  }
  return sortedMembers([...senders].map(([sender, members]) => [sender, sortedMembers(members)] as const));
}

function summary(tx: Transaction, unit: string): string {
  const { value, gas, gasFeeCap } = tx;
  const to = recipientOf(tx);
  const target = to === undefined ? "contract creation" : checksumAddress(to);
  return `${target}: ${value} ${unit} + ${gas} gas × ${gasFeeCap} ${unit}`;
}
