/**
 * One case of the state transition oracle: accounts, a transaction as a block holds it, and the fork. Out: what this
 * node's state transition leaves of it, member by member as a peer program answers (test/support/oracle/README.md).
 */
import { toHex } from "../../../node/bytes/hex.ts";
import type { Rules } from "../../../node/config/rules.ts";
import { evmBlock } from "../../../node/execution/block-context.ts";
import { ExecutionError } from "../../../node/execution/error.ts";
import { type BlockContext, executeTransaction } from "../../../node/execution/transaction.ts";
import { TransactionError } from "../../../node/model/error.ts";
import type { Header } from "../../../node/model/header.ts";
import { decodeTransaction } from "../../../node/model/transaction.ts";
import { BLOCK, COINBASE } from "../evm-scenario.ts";
import { rulesUpTo } from "../suite-runners.ts";
import { suiteBlockHash } from "../suite-state.ts";
import { suiteBytes } from "../suite-values.ts";
import { chainEncoding, contractsOfVersion, type SuiteAccount, SuiteWorld } from "../suite-world.ts";
import type { TransactionFork } from "../transaction-differences.ts";

/** A case; `tx` and the account keys are hex. */
export interface TransitionCase {
  readonly fork: TransactionFork;
  /** True when fees are paid with the block reward, else each transaction pays them at once. */
  readonly deferred: boolean;
  readonly pre: Readonly<Record<string, SuiteAccount>>;
  readonly tx: string;
}

/** Result of a transition: `error` alone for a transaction that no block may hold. */
export type TransitionResult = { readonly error: string } | TransitionEffect;

/** Effect of a transaction that a block may hold. */
export interface TransitionEffect {
  readonly status: number;
  readonly gasUsed: number;
  readonly computation: number;
  readonly output: string;
  readonly logs: readonly (readonly [address: string, topics: readonly string[], data: string])[];
  /** Address of the created contract. */
  readonly contract?: string;
  readonly root: string;
}

/** The chain id of every case. */
export const ORACLE_CHAIN_ID = 1n;

/** Computation costs above are written as this one: they are sums of doubles here, and beyond every limit. */
export const MAX_COMPUTATION = 2 ** 53;

/** The account that rewards and fees of every case go to. */
export const REWARDBASE = new Uint8Array(20).fill(0xba);

/** Returns the header of every case under some rules, as far as a transition reads it. */
export function headerOf(rules: Rules): Header {
  const header: Partial<Header> = {
    number: BLOCK.number,
    time: BLOCK.time,
    blockScore: BLOCK.blockScore,
    rewardbase: REWARDBASE,
    parentHash: suiteBlockHash(BLOCK.number - 1),
    baseFee: rules.baseFee ? BLOCK.baseFee : undefined,
    mixHash: rules.randao ? BLOCK.random : undefined,
    excessBlobGas: rules.blobGas ? 0n : undefined,
  };
  return header as Header; // all members that a transition reads
}

/** Runs a case in this node's state transition. */
export function runHere(one: TransitionCase): TransitionResult {
  const rules = rulesUpTo(one.fork);
  const suite = new SuiteWorld(one.pre, contractsOfVersion(rules.vmVersion));
  try {
    const tx = decodeTransaction(suiteBytes(one.tx));
    const { receipt, transition } = executeTransaction(suite.world, tx, contextOf(rules, one.deferred));
    return {
      status: receipt.status,
      gasUsed: Number(receipt.gasUsed),
      computation: Math.min(transition.computation, MAX_COMPUTATION),
      output: toHex(transition.output),
      logs: receipt.logs.map(({ address, topics, data }) => [toHex(address), topics.map(toHex), toHex(data)]),
      ...(receipt.contractAddress && { contract: toHex(receipt.contractAddress) }),
      root: toHex(suite.root(chainEncoding)),
    };
  } catch (error) {
    if (error instanceof ExecutionError || error instanceof TransactionError) return { error: error.message };
    throw error;
  }
}

/** Returns the context of every case under some rules. */
export function contextOf(rules: Rules, deferredFees: boolean): BlockContext {
  const header = headerOf(rules);
  const block = evmBlock(header, { author: COINBASE, blockHash: suiteBlockHash });
  return { chainId: ORACLE_CHAIN_ID, header, rules, block, maxBlobs: 1, maxBlockBlobs: 1, deferredFees };
}
