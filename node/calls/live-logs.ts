/** Logs of blocks as they come and go, for those who listen. */

import { failure } from "../jsonrpc/errors.ts";
import { goJson } from "../jsonrpc/json-text.ts";
import type { Block } from "../model/block.ts";
import { type LoggedReceipt, loggedReceipts, type Receipt } from "../model/receipt.ts";
import type { LogFilter } from "./arguments/log-filter.ts";
import { fittingLogs } from "./log-search.ts";

/** Refuses a range that no new block can lie in. Throws `RpcError`. */
export function checkLiveRange({ from = "latest", to = "latest" }: LogFilter): void {
  if (from === "pending" || to === "pending") throw failure("pending logs are not supported");
  const [first, last] = [numberOf(from), numberOf(to)];
  const isLive = last === undefined || (first !== undefined && first <= last);
  if (!isLive) throw failure("invalid from and to block combination: from > to");
}

function isInRange({ from = "latest", to = "latest" }: LogFilter, { header }: Block): boolean {
  const [first, last] = [numberOf(from) ?? 0, numberOf(to) ?? Number.POSITIVE_INFINITY];
  return header.number >= first && header.number <= last;
}

function numberOf(number: number | string): number | undefined {
  if (typeof number === "number") return number;
  return number === "earliest" ? 0 : undefined;
}

/** A block and what its transactions did. */
export interface NewBlock {
  readonly block: Block;
  readonly receipts: readonly Receipt[];
}

const logged = new WeakMap<readonly Receipt[], readonly LoggedReceipt[]>();

/** Found once: a block is told to many. */
function loggedOf(receipts: readonly Receipt[]): readonly LoggedReceipt[] {
  const known = logged.get(receipts) ?? loggedReceipts(receipts);
  logged.set(receipts, known);
  return known;
}

/** Writes the logs of a block that fit, when the block lies in the range that is asked for. */
export function tellLogs(
  filter: LogFilter,
  { block, receipts }: NewBlock,
  { notify, removed }: { readonly notify: (json: string) => void; readonly removed: boolean },
): void {
  if (!isInRange(filter, block)) return;
  const { number } = block.header;
  const looked = { number, hash: () => block.hash, receipts: loggedOf(receipts), removed };
  for (const log of fittingLogs(filter, looked)) notify(goJson(log));
}
