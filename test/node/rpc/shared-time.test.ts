/** Long work of methods that anybody may call leaves the event loop to others, and signatures to helper threads. */
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { addressText, toHex } from "../../../node/bytes/hex.ts";
import type { Chain } from "../../../node/chain/chain.ts";
import { rpcProfiles } from "../../../node/compat/profiles.ts";
import type { Method } from "../../../node/jsonrpc/method.ts";
import type { Transaction } from "../../../node/model/transaction.ts";
import { chainAccountMethods } from "../../../node/rpc/chain-accounts.ts";
import { chainConsensusMethods } from "../../../node/rpc/chain-consensus.ts";
import { type ChainTransactionDeps, chainTransactionMethods } from "../../../node/rpc/chain-transactions.ts";
import { txpoolMethods } from "../../../node/rpc/txpool.ts";
import { SLICE_MS } from "../../../node/runtime/scheduler.ts";
import { askRow } from "../../support/ask-row.ts";
import type { TestChain } from "../../support/chain.ts";
import { aSigner, aTransaction } from "../../support/pool-transactions.ts";
import { recordedChain } from "./recorded-chain.ts";

const { options } = rpcProfiles.service;
let open: TestChain;

beforeAll(async () => {
  open = await recordedChain();
});
afterAll(async () => open[Symbol.asyncDispose]());

/** Takes longer than a slice. */
function spin(): void {
  for (const end = performance.now() + 1.5 * SLICE_MS.answer; performance.now() < end; );
}

/** Returns the turns of the event loop that a call takes. */
async function turnsOf(
  rows: readonly Method[],
  name: string,
  ...params: readonly unknown[]
): Promise<number> {
  let turns = 0;
  const step = (): void => {
    turns++;
    next = setImmediate(step);
  };
  let next = setImmediate(step);
  try {
    await askRow(rows, name, ...params);
  } finally {
    clearImmediate(next);
  }
  return turns;
}

function someTransactions(): Transaction[] {
  const { chainId } = open.chain.config;
  return Array.from({ length: 6 }, (_, nonce) => aTransaction({ nonce, chainId }));
}

test("a list of raw transactions is submitted in slices", async () => {
  const pool = { add: spin, recover: async () => undefined };
  const deps = { ...options, chain: open.chain, pool } as unknown as ChainTransactionDeps; // nothing else is used
  const raws = someTransactions().map(({ raw }) => toHex(raw));
  expect(await turnsOf(chainTransactionMethods(deps), "chain_sendRawTransactions", raws)).toBeGreaterThan(3);
});

test("the pooled transactions of one sender are written in slices", async () => {
  const poolForm = {
    get txHash() {
      spin();
      return false;
    },
    unit: "peb",
  } as const;
  const { address } = aSigner(1);
  const content = () => ({
    pending: new Map([[addressText(address), someTransactions()]]),
    queued: new Map(),
  });
  const pool = { content, status: () => ({ pending: 0, queued: 0 }) };
  const rows = txpoolMethods({ chain: open.chain, pool, poolForm });
  expect(await turnsOf(rows, "txpool_contentFrom", toHex(address))).toBeGreaterThan(3);
});

test("blocks with their seals are written in slices", async () => {
  const block: Chain["block"] = (number) => {
    spin();
    return open.chain.block(number);
  };
  const deps = { ...options, chain: { ...open.chain, block }, governance: open.governance };
  const rows = chainConsensusMethods(deps);
  const name = "chain_getBlockWithConsensusInfoByNumberRange";
  expect(await turnsOf(rows, name, "0x1", "0x6")).toBeGreaterThan(3);
});

test("the signatures of a transaction whose sender is asked for are recovered like those of submitted ones", async () => {
  const recovered: Transaction[] = [];
  const pool = { recover: async (all: readonly Transaction[]) => void recovered.push(...all) };
  const tx = aTransaction({ chainId: open.chain.config.chainId });
  const rows = chainAccountMethods({ chain: open.chain, pool });
  const sender = await askRow(rows, "chain_recoverFromTransaction", toHex(tx.raw), "latest");
  expect(sender).toBe(toHex(aSigner(1).address));
  expect(recovered.map(({ hash }) => hash)).toEqual([tx.hash]);
});
