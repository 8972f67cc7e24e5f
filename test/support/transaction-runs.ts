/** Runs a transaction on this chain and with @ethereumjs/vm. */
import type { Common } from "@ethereumjs/common";
import type { EVM } from "@ethereumjs/evm";
import { createTx, TransactionType, type TypedTransaction } from "@ethereumjs/tx";
import { createVM, runTx } from "@ethereumjs/vm";
import { concatBytes } from "../../node/bytes/compare.ts";
import { fromHex, toHex } from "../../node/bytes/hex.ts";
import type { Rules } from "../../node/config/rules.ts";
import { addressOfKey, sign } from "../../node/crypto/secp256k1.ts";
import { ExecutionError } from "../../node/execution/error.ts";
import { type BlockContext, executeTransaction } from "../../node/execution/transaction.ts";
import type { Header } from "../../node/model/header.ts";
import {
  decodeTransaction,
  signTransaction,
  type Transaction,
  type TransactionDraft,
} from "../../node/model/transaction.ts";
import { commonOf, dump, openOracle, oracleBlock } from "./evm-oracle.ts";
import { BLOCK, COINBASE, observer, type Seen, type ShownAccount, shownAccounts } from "./evm-scenario.ts";
import { rulesUpTo } from "./suite-runners.ts";
import { contractsOfVersion, SuiteWorld } from "./suite-world.ts";
import { askedOf, NATIVE_KINDS, type TransactionFields } from "./transaction-differences.ts";
import { CHAIN_ID, type TransactionScenario } from "./transaction-scenario.ts";

/** End of a transaction; nothing but `end` where it was refused. */
export interface TransactionEnd {
  readonly end: "ok" | "failed" | "refused";
  readonly gasUsed?: bigint;
  readonly logs?: readonly unknown[];
  /** All but who made the block, who is paid elsewhere. */
  readonly accounts?: Readonly<Record<string, ShownAccount>>;
}

/** Executes it here. */
export function executeHere(scenario: TransactionScenario): {
  readonly ended: TransactionEnd;
  readonly seen: Seen;
} {
  const rules = rulesUpTo(scenario.fork);
  const suite = new SuiteWorld(scenario.accounts, contractsOfVersion(rules.vmVersion));
  const { tracer, seen } = observer();
  const decoded = decodeTransaction(rawOf(scenario));
  try {
    const { receipt } = executeTransaction(suite.world, decoded, contextOf(rules), tracer);
    const ended: TransactionEnd = {
      end: receipt.status === 1 ? "ok" : "failed",
      gasUsed: receipt.gasUsed,
      logs: receipt.logs.map(({ address, topics, data }) => [toHex(address), topics.map(toHex), toHex(data)]),
      accounts: withoutCoinbase(shownAccounts(suite)),
    };
    return { ended, seen };
  } catch (error) {
    if (error instanceof ExecutionError) return { ended: { end: "refused" }, seen };
    throw error;
  }
}

/** Returns the transaction's bytes in a block. */
export function rawOf({ fields, native, key }: TransactionScenario): Uint8Array {
  if (native !== undefined) return nativeTransaction(fields, NATIVE_KINDS[native], key).raw;
  const bytes = signWithOracle(fields, key, NEWEST).serialize();
  return fields.type === TransactionType.Legacy ? bytes : concatBytes(ENVELOPE, bytes);
}

function nativeTransaction(fields: TransactionFields, code: number, key: Uint8Array): Transaction {
  const { nonce, gasLimit, gasPrice = 0n, to, value, data } = fields;
  const draft: TransactionDraft = {
    code,
    nonce: BigInt(nonce),
    gas: gasLimit,
    gasFeeCap: gasPrice,
    gasTipCap: gasPrice,
    to: to === undefined ? undefined : fromHex(to),
    value,
    input: data,
    fields: { from: addressOfKey(key) },
  };
  return signTransaction(draft, CHAIN_ID, (digest) => sign(digest, key));
}

/** Prefix of Ethereum's own bytes in this chain's blocks. */
const ENVELOPE = Uint8Array.of(0x78);
/** Rules that know every type. */
const NEWEST = commonOf("osaka");

function signWithOracle(fields: TransactionFields, key: Uint8Array, common: Common): TypedTransaction {
  // The members are those of the type.
  return createTx(fields as never, { common, freeze: false }).sign(key);
}

function contextOf(rules: Rules): BlockContext {
  // All that executing a transaction asks a header.
  const header = { baseFee: rules.baseFee ? BLOCK.baseFee : undefined, rewardbase: COINBASE } as Header;
  return {
    chainId: CHAIN_ID,
    header,
    rules,
    block: BLOCK,
    maxBlobs: 0,
    maxBlockBlobs: 0,
    deferredFees: true,
  };
}

/** Executes there what the rows of differences make of it. */
export async function executeThere({ fork, key, ...sent }: TransactionScenario): Promise<TransactionEnd> {
  const { fields, accounts, intrinsicGas, coldList, refused } = askedOf(sent, fork);
  if (refused === true) return { end: "refused" };
  const revision = rulesUpTo(fork).evm;
  const common = commonOf(revision);
  const { evm, state } = await openOracle({ revision, accounts });
  if (coldList === true) forgetLists(evm);
  const vm = await createVM({ common, evm, stateManager: state });
  const tx = signWithOracle(fields, key, common);
  if (intrinsicGas !== undefined) tx.getIntrinsicGas = () => intrinsicGas;
  try {
    const block = oracleBlock(common);
    const skips = { skipBlockGasLimitValidation: true, skipHardForkValidation: true };
    const { execResult, totalGasSpent, receipt } = await runTx(vm, { tx, block, ...skips });
    return {
      end: execResult.exceptionError === undefined ? "ok" : "failed",
      gasUsed: totalGasSpent,
      logs: receipt.logs.map(([address, topics, data]) => [toHex(address), topics.map(toHex), toHex(data)]),
      accounts: withoutCoinbase(await dump(state)),
    };
  } catch (error) {
    if (error instanceof Error && /vm hf=/.test(error.message)) return { end: "refused" };
    throw error;
  }
}

/** Lets what access lists name stay cold; only they say that they should be listed. */
function forgetLists({ journal }: EVM): void {
  const warm = journal.addAlwaysWarmAddress.bind(journal);
  journal.addAlwaysWarmAddress = (address, isOfList) => {
    if (isOfList !== true) warm(address);
  };
  journal.addAlwaysWarmSlot = () => undefined;
}

function withoutCoinbase(accounts: Readonly<Record<string, ShownAccount>>): Record<string, ShownAccount> {
  const { [toHex(COINBASE)]: _, ...rest } = accounts;
  return rest;
}
