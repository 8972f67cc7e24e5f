/** The chain that Knit and the Go node answer from: full blocks, each with one token transfer and so one log. */
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

/** A folder with genesis.json and chain.rlp.gz of `blocks` blocks, made when the cache does not have it. */
export async function madeChain(blocks: number): Promise<string> {
  const folder = await cacheFolder("chains");
  const path = join(folder, `${blocks}-blocks`);
  if (existsSync(path)) return path;
  const draft = await mkdtemp(`${path}-`);
  await makeTransferChain(draft, {
    accounts: ACCOUNTS,
    blocks,
    transfers: BLOCK_TRANSACTIONS,
    tokenEvery: BLOCK_TRANSACTIONS,
    config: Object.fromEntries(loneForks.map((key) => [key, 0])),
  });
  await rename(draft, path);
  return path;
}
