/**
 * The chain that Knit and the Go node answer from: full blocks, each with one token transfer and so one log, and behind
 * them blocks of which most are empty.
 */
import { existsSync } from "node:fs";
import { mkdtemp, rename } from "node:fs/promises";
import { join } from "node:path";
import { makeTransferChain } from "../../test/support/transfer-chain.ts";
import { loneForks } from "../support/lone-forks.ts";
import { cacheFolder } from "./cache.ts";

/** Transactions of each block. */
export const BLOCK_TRANSACTIONS = 200;
/** Accounts with money, each of which sends in turn. */
export const ACCOUNTS = 4_000;

/** Blocks behind the full ones. */
export const RECENT_BLOCKS = 100;
/** Distance of two recent blocks that are not empty. */
export const RECENT_EVERY = 5;
/** Token transfers of a recent block that is not empty. */
export const RECENT_LOGS = 5;

/** A folder with genesis.json and chain.rlp.gz of `blocks` full blocks and the recent ones, made when the cache does not have it. */
export async function madeChain(blocks: number): Promise<string> {
  const folder = await cacheFolder("chains");
  const path = join(folder, `${blocks}-blocks-and-recent`);
  if (existsSync(path)) return path;
  const draft = await mkdtemp(`${path}-`);
  await makeTransferChain(draft, {
    accounts: ACCOUNTS,
    blocks,
    transfers: BLOCK_TRANSACTIONS,
    tokenEvery: BLOCK_TRANSACTIONS,
    tail: Array.from({ length: RECENT_BLOCKS }, (_, at) => (at % RECENT_EVERY === 0 ? RECENT_LOGS : 0)),
    config: Object.fromEntries(loneForks.map((key) => [key, 0])),
  });
  await rename(draft, path);
  return path;
}
