/** `txpool`: what waits for a block, by sender and nonce. */
import { fromHex, toHex } from "../../bytes/hex.ts";
import { toQuantity } from "../../bytes/integer.ts";
import type { Chain } from "../../chain/chain.ts";
import { checksumAddress } from "../../crypto/checksum.ts";
import type { Transaction } from "../../model/transaction.ts";
import type { TxPool } from "../../txpool/pool.ts";
import { plain, writtenAs } from "../codecs/plain.ts";
import { goText } from "../json-text.ts";
import { type Method, method } from "../method.ts";
import type { RpcProfile } from "../profiles.ts";
import { sortedJson, sortedMembers } from "../views/sorted.ts";
import { chainTransaction } from "../views/transaction.ts";

/** What these methods read. */
export interface TxPoolParts {
  readonly chain: Chain;
  readonly pool: Pick<TxPool, "content" | "status">;
  readonly profile: RpcProfile;
}

/** The methods of `txpool`. */
export function txpoolMethods({ chain, pool, profile }: TxPoolParts): Method[] {
  const entry = (tx: Transaction) =>
    sortedJson({
      ...chainTransaction(chain, tx),
      ...(profile.poolEntryTxHash ? { txHash: toHex(tx.hash) } : {}),
    });
  return [
    method({
      name: "txpool_content",
      summary: "All waiting transactions, by sender and nonce.",
      params: {},
      result: writtenAs("pool content"),
      handle: () => contentJson(pool, entry),
    }),
    method({
      name: "txpool_inspect",
      summary: "All waiting transactions in one line each, by sender and nonce.",
      params: {},
      result: writtenAs("pool summary"),
      handle: () => contentJson(pool, (tx) => goText(summary(tx, profile.unit))),
    }),
    method({
      name: "txpool_status",
      summary:
        "How many transactions could go into the next block, and how many wait for another before them.",
      params: {},
      result: plain<object>("object of pending and queued"),
      handle: () => {
        const { pending, queued } = pool.status();
        return { pending: toQuantity(pending), queued: toQuantity(queued) };
      },
    }),
  ];
}

type Show = (tx: Transaction) => string;

function contentJson(pool: TxPoolParts["pool"], show: Show): string {
  const { pending, queued } = pool.content();
  return `{"pending":${bySender(pending, show)},"queued":${bySender(queued, show)}}`;
}

function bySender(senders: ReadonlyMap<string, readonly Transaction[]>, show: Show): string {
  const members = [...senders].map(
    ([sender, transactions]) =>
      [
        checksumAddress(fromHex(sender)),
        sortedMembers(transactions.map((tx) => [tx.nonce.toString(), show(tx)] as const)),
      ] as const,
  );
  return sortedMembers(members);
}

function summary({ to, value, gas, gasFeeCap }: Transaction, unit: string): string {
  const target = to === undefined ? "contract creation" : checksumAddress(to);
  return `${target}: ${value} ${unit} + ${gas} gas × ${gasFeeCap} ${unit}`;
}
