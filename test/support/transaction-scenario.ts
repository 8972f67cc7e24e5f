/** Random transactions of Ethereum's kinds, and what this chain and @ethereumjs/vm make of them. */
import type { Common } from "@ethereumjs/common";
import type { EVM } from "@ethereumjs/evm";
import { createTx, TransactionType, type TypedTransaction } from "@ethereumjs/tx";
import { eoaCode7702SignAuthorization } from "@ethereumjs/util";
import { createVM, runTx } from "@ethereumjs/vm";
import { concatBytes } from "../../node/bytes/compare.ts";
import { toHex } from "../../node/bytes/hex.ts";
import { toQuantity } from "../../node/bytes/integer.ts";
import { wordBytes } from "../../node/bytes/word.ts";
import type { Rules } from "../../node/config/rules.ts";
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
import {
  askedOf,
  capOf,
  isForkSince,
  type TransactionFields,
  type TransactionFork,
} from "./transaction-differences.ts";

/** A transaction in a world, and the key that signs it. */
export interface TransactionScenario {
  readonly fork: TransactionFork;
  readonly accounts: Readonly<Record<string, SuiteAccount>>;
  readonly fields: TransactionFields;
  readonly key: Uint8Array;
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
export function randomTransaction(random: () => number, fork: TransactionFork): TransactionScenario {
  const draw: Draw = { random, below: (limit) => Math.floor(random() * limit), fork };
  const surroundings = randomSurroundings(random, rulesUpTo(fork).evm, SIGNERS);
  const { accounts } = surroundings;
  for (const [index, address] of SIGNERS.entries())
    accounts[toHex(address)] = aSigner(draw, index, surroundings);
  const from = draw.below(2);
  const [key, sender] = [KEYS[from] as Uint8Array, toHex(SIGNERS[from] as Uint8Array)]; // in range
  const wrong = random() < 0.95 ? 0 : 1 - draw.below(2) * 2;
  const nonce = Math.max(0, Number(accounts[sender]?.nonce ?? 0) + wrong);
  const fields = { chainId: CHAIN_ID, nonce, ...randomFields(draw, surroundings) };
  if (random() < 0.2) accounts[sender] = aPoorSigner(draw, accounts[sender] as SuiteAccount, fields); // put above
  return { fork, accounts, fields, key };
}

interface Draw {
  readonly random: () => number;
  readonly below: (limit: number) => number;
  readonly fork: TransactionFork;
}

function aSigner({ random, below, fork }: Draw, index: number, { contracts }: Surroundings): SuiteAccount {
  const borrows = index > 0 && isForkSince(fork, "prague") && random() < 0.3;
  const code = borrows ? delegationTo(contracts[below(4)] ?? COINBASE) : "0x";
  const balance = index === 2 && random() < 0.3 ? "0x1" : "0xffffffffffffff";
  return { balance, nonce: toQuantity(below(3)), code, storage: {} };
}

/** One that has about what the transaction may cost. */
function aPoorSigner({ below }: Draw, signer: SuiteAccount, fields: TransactionFields): SuiteAccount {
  const tip = fields.maxPriorityFeePerGas ?? 0n;
  const price = [BLOCK.baseFee, BLOCK.baseFee + tip, capOf(fields)][below(3)] ?? 0n;
  return { ...signer, balance: toQuantity(fields.gasLimit * price + fields.value + BigInt(below(3)) - 1n) };
}

const TYPES = [
  TransactionType.Legacy,
  TransactionType.AccessListEIP2930,
  TransactionType.FeeMarketEIP1559,
  TransactionType.EOACodeEIP7702,
] as const;

function randomType({ random, below, fork }: Draw): TransactionType {
  if (!isForkSince(fork, "ethTxType") && random() < 0.9) return TransactionType.Legacy;
  return TYPES[below(isForkSince(fork, "prague") ? 4 : 3)] ?? TransactionType.Legacy;
}

/** What a transaction says besides chain and nonce. */
function randomFields(
  draw: Draw,
  { plan, contracts }: Surroundings,
): Omit<TransactionFields, "chainId" | "nonce"> {
  const { random, below } = draw;
  const type = randomType(draw);
  const isSetCode = type === TransactionType.EOACodeEIP7702;
  const isLegacy = type === TransactionType.Legacy;
  const hasCaps = isSetCode || type === TransactionType.FeeMarketEIP1559;
  const isCreation = !isSetCode && random() < 0.2;
  const to = toHex(
    (random() < 0.75 ? contracts[below(4)] : plan.addresses[below(plan.addresses.length)]) ?? COINBASE,
  );
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
export function executeHere({ fork, accounts, fields, key }: TransactionScenario): {
  readonly ended: TransactionEnd;
  readonly seen: Seen;
} {
  const rules = rulesUpTo(fork);
  const suite = new SuiteWorld(accounts, rules.vmVersion);
  const { tracer, seen } = observer();
  const bytes = signed(fields, key, NEWEST).serialize();
  const isLegacy = fields.type === TransactionType.Legacy;
  const decoded = decodeTransaction(isLegacy ? bytes : concatBytes(ENVELOPE, bytes));
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

/** What stands before Ethereum's own bytes in this chain's blocks. */
const ENVELOPE = Uint8Array.of(0x78);
/** Rules that know every type. */
const NEWEST = commonOf("osaka");

function signed(fields: TransactionFields, key: Uint8Array, common: Common): TypedTransaction {
  // The members are those of the type.
  return createTx(fields as never, { common, freeze: false }).sign(key);
}

function contextOf(rules: Rules): BlockContext {
  // All that executing a transaction asks a header.
  const header = { baseFee: rules.baseFee ? BLOCK.baseFee : undefined, rewardbase: COINBASE } as Header;
  return { chainId: CHAIN_ID, header, rules, block: BLOCK, maxBlobs: 0, deferredFees: true };
}

/** Executes there what the rows of differences make of it. */
export async function executeThere({
  fork,
  accounts,
  ...sent
}: TransactionScenario): Promise<TransactionEnd> {
  const { fields, intrinsicGas, coldList, refused } = askedOf(sent.fields, fork);
  if (refused === true) return { end: "refused" };
  const revision = rulesUpTo(fork).evm;
  const common = commonOf(revision);
  const { evm, state } = await openOracle({ revision, accounts });
  if (coldList === true) forgetLists(evm);
  const vm = await createVM({ common, evm, stateManager: state });
  const tx = signed(fields, sent.key, common);
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
