/** Random transactions of Ethereum's kinds, and what this chain and @ethereumjs/vm make of them. */
import { createTx, TransactionType, type TypedTransaction } from "@ethereumjs/tx";
import { eoaCode7702SignAuthorization } from "@ethereumjs/util";
import { createVM, runTx } from "@ethereumjs/vm";
import { concatBytes } from "../../node/bytes/compare.ts";
import { toHex } from "../../node/bytes/hex.ts";
import { toQuantity } from "../../node/bytes/integer.ts";
import { wordBytes } from "../../node/bytes/word.ts";
import { keccak256 } from "../../node/crypto/keccak.ts";
import { addressOfKey } from "../../node/crypto/secp256k1.ts";
import { ExecutionError } from "../../node/execution/error.ts";
import { type BlockContext, executeTransaction } from "../../node/execution/transaction.ts";
import type { Header } from "../../node/model/header.ts";
import { decodeTransaction } from "../../node/model/transaction.ts";
import { commonOf, dump, openOracle, oracleBlock } from "./evm-oracle.ts";
import { randomProgram } from "./evm-programs.ts";
import {
  BLOCK,
  COINBASE,
  delegationTo,
  observer,
  randomSurroundings,
  type Seen,
  type ShownAccount,
  type Surroundings,
  shownAccounts,
} from "./evm-scenario.ts";
import { randomBytes } from "./random.ts";
import { rulesUpTo } from "./suite-runners.ts";
import { type SuiteAccount, SuiteWorld } from "./suite-world.ts";

/** The revisions whose transactions cost the same on both sides. */
export type TransactionRevision = "prague" | "osaka";

/** A signed transaction in a world. */
export interface TransactionScenario {
  readonly revision: TransactionRevision;
  readonly accounts: Readonly<Record<string, SuiteAccount>>;
  readonly tx: TypedTransaction;
}

/** How it ended; nothing but `end` where it was refused. */
export interface TransactionEnd {
  readonly end: "ok" | "failed" | "refused";
  readonly gasUsed?: bigint;
  readonly logs?: readonly unknown[];
  /** All but who made the block, who is paid elsewhere. */
  readonly accounts?: Readonly<Record<string, ShownAccount>>;
}

const KEYS = [1, 2, 3].map((index) => keccak256(Uint8Array.of(index)));
const SIGNERS = KEYS.map(addressOfKey);
const CHAIN_ID = 1n;

/** A transaction that more often than not may run. */
export function randomTransaction(random: () => number, revision: TransactionRevision): TransactionScenario {
  const draw: Draw = { random, below: (limit) => Math.floor(random() * limit) };
  const surroundings = randomSurroundings(random, revision, SIGNERS);
  const { accounts } = surroundings;
  for (const [index, address] of SIGNERS.entries())
    accounts[toHex(address)] = aSigner(draw, index, surroundings);
  const from = draw.below(2);
  const [key, sender] = [KEYS[from] as Uint8Array, SIGNERS[from] as Uint8Array]; // in range
  const wrong = random() < 0.95 ? 0 : 1 - draw.below(2) * 2;
  const nonce = Math.max(0, Number(accounts[toHex(sender)]?.nonce ?? 0) + wrong);
  const fields = { chainId: CHAIN_ID, nonce, ...randomFields(draw, surroundings) };
  // The members are those of the type.
  const tx = createTx(fields as never, { common: commonOf(revision) }).sign(key);
  return { revision, accounts, tx };
}

interface Draw {
  readonly random: () => number;
  readonly below: (limit: number) => number;
}

function aSigner({ random, below }: Draw, index: number, { contracts }: Surroundings): SuiteAccount {
  const borrows = index > 0 && random() < 0.3;
  const code = borrows ? delegationTo(contracts[below(4)] ?? COINBASE) : "0x";
  const balance = index === 2 && random() < 0.3 ? "0x1" : "0xffffffffffffff";
  return { balance, nonce: toQuantity(below(3)), code, storage: {} };
}

const TYPES = [
  TransactionType.Legacy,
  TransactionType.AccessListEIP2930,
  TransactionType.FeeMarketEIP1559,
  TransactionType.EOACodeEIP7702,
];

/** What a transaction says besides chain and nonce. */
function randomFields({ random, below }: Draw, { plan, contracts }: Surroundings): object {
  const type = TYPES[below(4)];
  const isSetCode = type === TransactionType.EOACodeEIP7702;
  const isLegacy = type === TransactionType.Legacy;
  const hasCaps = isSetCode || type === TransactionType.FeeMarketEIP1559;
  const isCreation = !isSetCode && random() < 0.2;
  const someone = plan.addresses[below(plan.addresses.length - 9)];
  const to = toHex((random() < 0.75 ? contracts[below(4)] : someone) ?? COINBASE);
  const maxFeePerGas = 20n + BigInt(below(30));
  const accessList = Array.from({ length: below(3) }, () => ({
    address: toHex(plan.addresses[below(plan.addresses.length)] ?? COINBASE),
    storageKeys: Array.from({ length: below(3) }, () => toHex(wordBytes(BigInt(below(4))))),
  }));
  const authorizationList = Array.from({ length: 1 + below(3) }, () => anAuthorization(random, contracts));
  return {
    type,
    gasLimit: BigInt(Math.floor(Math.exp(Math.log(20_000) + random() * Math.log(60)))),
    value: random() < 0.6 ? 0n : BigInt(below(5)),
    data: isCreation ? randomProgram(plan) : randomBytes(random, below(120)),
    ...(!isCreation && { to }),
    ...(hasCaps ? { maxFeePerGas, maxPriorityFeePerGas: BigInt(below(10)) } : { gasPrice: maxFeePerGas }),
    ...(!isLegacy && { accessList }),
    ...(isSetCode && { authorizationList }),
  };
}

function anAuthorization(random: () => number, contracts: readonly Uint8Array[]): unknown {
  const index = Math.floor(random() * 3);
  const unsigned = {
    chainId: toQuantity([0n, CHAIN_ID, CHAIN_ID, 5n][Math.floor(random() * 4)] ?? 0n),
    address:
      random() < 0.2 ? toHex(new Uint8Array(20)) : toHex(contracts[Math.floor(random() * 4)] ?? COINBASE),
    nonce: toQuantity(Math.floor(random() * 4)),
  };
  return eoaCode7702SignAuthorization(unsigned, KEYS[index] ?? COINBASE);
}

/** Executes it here. */
export function executeHere({ revision, accounts, tx }: TransactionScenario): {
  readonly ended: TransactionEnd;
  readonly seen: Seen;
} {
  const suite = new SuiteWorld(accounts, 1);
  const { tracer, seen } = observer();
  const bytes = tx.serialize();
  const decoded = decodeTransaction(
    tx.type === TransactionType.Legacy ? bytes : concatBytes(ENVELOPE, bytes),
  );
  try {
    const { receipt } = executeTransaction(suite.world, decoded, contextOf(revision), tracer);
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

/** What stands before Ethereum's own bytes in this chain's blocks. */
const ENVELOPE = Uint8Array.of(0x78);

function contextOf(revision: TransactionRevision): BlockContext {
  const rules = rulesUpTo(revision);
  // All that executing a transaction asks a header.
  const header = { baseFee: BLOCK.baseFee, rewardbase: COINBASE } as Header;
  return { chainId: CHAIN_ID, header, rules, block: BLOCK, maxBlobs: 0, deferredFees: true };
}

/** Executes it there. */
export async function executeThere(scenario: TransactionScenario): Promise<TransactionEnd> {
  const { evm, state } = await openOracle(scenario);
  const common = commonOf(scenario.revision);
  const vm = await createVM({ common, evm, stateManager: state });
  try {
    const block = oracleBlock(common);
    const options = {
      tx: scenario.tx,
      block,
      skipBlockGasLimitValidation: true,
      skipHardForkValidation: true,
    };
    const { execResult, totalGasSpent, receipt } = await runTx(vm, options);
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

function withoutCoinbase(accounts: Readonly<Record<string, ShownAccount>>): Record<string, ShownAccount> {
  const { [toHex(COINBASE)]: _, ...rest } = accounts;
  return rest;
}
