/** Objects of a chain that requests refer to: found in the generated chain, or created on an empty development chain. */
import { toHex } from "../../node/bytes/hex.ts";
import { toQuantity } from "../../node/bytes/integer.ts";
import { addressOfKey } from "../../node/crypto/secp256k1.ts";
import { TOKEN_ADDRESS, TOKEN_CODE, tokenSlot } from "../../test/support/token.ts";
import { senderKey } from "../../test/support/transfer-chain.ts";
import { ask, askMany } from "./ask.ts";
import { BLOCK_TRANSACTIONS, RECENT_BLOCKS, RECENT_EVERY, RECENT_LOGS } from "./made-chain.ts";
import type { Setters } from "./targets.ts";
import { allMined, BALANCE, senderAddresses, signTokenTransfers, signTransfers } from "./transfers.ts";

/** Quantities and hashes as JSON-RPC has them. */
export interface Contents {
  /** A block of `BLOCK_TRANSACTIONS` transactions. */
  readonly block: string;
  /** Many such blocks; empty on a chain that was not imported. */
  readonly different: readonly string[];
  /** A transfer in that block. */
  readonly transaction: string;
  /** Blocks with `LOGS` logs in all. */
  readonly logs: BlockRange;
  /** Newest blocks when the measurement begins, with few logs. */
  readonly recent: BlockRange;
  /** Transactions of those blocks, each with one log. */
  readonly recentTransactions: readonly string[];
}

interface BlockRange {
  readonly fromBlock: string;
  readonly toBlock: string;
}

/** Logs of the blocks that are searched. */
export const LOGS = 100;

/** Of a node that holds the made chain of `height` blocks. */
export async function madeContents(url: string, height: number): Promise<Contents> {
  const block = toQuantity(height >> 1);
  const last = Math.min(height, LOGS);
  return {
    block,
    different: Array.from({ length: height }, (_, index) => toQuantity(index + 1)),
    transaction: await firstTransaction(url, block),
    logs: { fromBlock: toQuantity(1), toBlock: toQuantity(last) },
    ...(await recentContents(url, height + 1, height + RECENT_BLOCKS)),
  };
}

/** The recent blocks, from `first` to `last`. */
async function recentContents(
  url: string,
  first: number,
  last: number,
): Promise<Pick<Contents, "recent" | "recentTransactions">> {
  const recent = { fromBlock: toQuantity(first), toBlock: toQuantity(last) };
  const logs = await ask<readonly { transactionHash: string }[]>(url, "eth_getLogs", [recent]);
  const count = (RECENT_BLOCKS / RECENT_EVERY) * RECENT_LOGS;
  if (logs.length !== count)
    throw new Error(`${url} has ${logs.length} logs in its recent blocks, not ${count}`);
  return { recent, recentTransactions: logs.map(({ transactionHash }) => transactionHash) };
}

/** Fills a development chain: accounts with coins and tokens, a full block, blocks with one log each. */
export async function seed(url: string, setters: Setters): Promise<Contents> {
  const rich = senderAddresses().map((address) => [toHex(address), BALANCE]);
  await askMany(url, setters.balance, rich);
  await ask(url, setters.code, [toHex(TOKEN_ADDRESS), toHex(TOKEN_CODE)]);
  await giveTokens(url, setters);
  const fromBlock = toQuantity(Number(await ask<string>(url, "eth_blockNumber", [])) + 1);
  for (const transfer of await signTokenTransfers(url, LOGS)) {
    await ask(url, "eth_sendRawTransaction", [transfer]);
    await ask(url, "evm_mine", []);
  }
  const toBlock = await ask<string>(url, "eth_blockNumber", []);
  const block = await fullBlock(url);
  const transaction = await firstTransaction(url, block);
  const first = Number(await ask<string>(url, "eth_blockNumber", [])) + 1;
  await mineRecent(url);
  return {
    block,
    different: [],
    transaction,
    logs: { fromBlock, toBlock },
    ...(await recentContents(url, first, Number(await ask<string>(url, "eth_blockNumber", [])))),
  };
}

/** Mines the recent blocks; the chain's own clock may add one or two. */
async function mineRecent(url: string): Promise<void> {
  const transfers = await signTokenTransfers(url, (RECENT_BLOCKS / RECENT_EVERY) * RECENT_LOGS);
  for (let mined = 0; mined < RECENT_BLOCKS; mined++) {
    const from = (mined / RECENT_EVERY) * RECENT_LOGS;
    const batch = mined % RECENT_EVERY === 0 ? transfers.slice(from, from + RECENT_LOGS) : [];
    for (const transfer of batch) await ask(url, "eth_sendRawTransaction", [transfer]);
    await ask(url, "evm_mine", []);
  }
}

async function giveTokens(url: string, { storage }: Setters): Promise<void> {
  const slot = toHex(tokenSlot(addressOfKey(senderKey(0))));
  await ask(url, storage, [toHex(TOKEN_ADDRESS), slot, `0x${(1_000_000).toString(16).padStart(64, "0")}`]);
}

/** Tries until one block takes all of them: the clock of the chain may cut a try in two. */
async function fullBlock(url: string): Promise<string> {
  for (let attempt = 0; attempt < 5; attempt++) {
    const { bodies, lastHashes } = await signTransfers(url, BLOCK_TRANSACTIONS);
    const headers = { "content-type": "application/json" };
    for (const body of bodies) await (await fetch(url, { method: "POST", headers, body })).text();
    await ask(url, "evm_mine", []);
    await allMined(url, lastHashes);
    const receipt = await ask<{ blockNumber: string }>(url, "eth_getTransactionReceipt", [lastHashes[0]]);
    const block = await ask<{ transactions: unknown[] }>(url, "eth_getBlockByNumber", [
      receipt.blockNumber,
      false,
    ]);
    if (block.transactions.length === BLOCK_TRANSACTIONS) return receipt.blockNumber;
  }
  throw new Error(`${url} does not put ${BLOCK_TRANSACTIONS} transactions into one block`);
}

async function firstTransaction(url: string, block: string): Promise<string> {
  const found = await ask<{ transactions: readonly string[] }>(url, "eth_getBlockByNumber", [block, false]);
  const [hash] = found.transactions;
  if (hash === undefined) throw new Error(`block ${block} at ${url} is empty`);
  return hash;
}
