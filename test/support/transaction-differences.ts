/**
 * Differences of this chain's transactions from Ethereum's by design, before anything of them runs. Each row has its
 * source, its forks, and the oracle's replacement.
 */
import { type AccessListItem, TransactionType } from "@ethereumjs/tx";
import { bytesToBigint } from "../../node/bytes/integer.ts";
import { BLOCK } from "./evm-scenario.ts";
import { suiteBytes } from "./suite-values.ts";
import type { SuiteAccount } from "./suite-world.ts";

/** The forks that change what transactions do, in their order. */
export const TRANSACTION_FORKS = [
  "base",
  "istanbul",
  "london",
  "ethTxType",
  "magma",
  "kore",
  "shanghai",
  "cancun",
  "kaia",
  "prague",
  "osaka",
] as const;
export type TransactionFork = (typeof TRANSACTION_FORKS)[number];

/** True when `fork` is `since` or a later one. */
export function isForkSince(fork: TransactionFork, since: TransactionFork): boolean {
  return TRANSACTION_FORKS.indexOf(fork) >= TRANSACTION_FORKS.indexOf(since);
}

/** A transaction before it is signed, as @ethereumjs/tx takes it; prices in peb. */
export interface TransactionFields {
  readonly type: TransactionType;
  readonly chainId: bigint;
  readonly nonce: number;
  readonly gasLimit: bigint;
  /** Undefined for a creation. */
  readonly to?: string;
  readonly value: bigint;
  readonly data: Uint8Array;
  readonly gasPrice?: bigint;
  readonly maxFeePerGas?: bigint;
  readonly maxPriorityFeePerGas?: bigint;
  readonly accessList?: readonly AccessListItem[];
  readonly authorizationList?: readonly unknown[];
}

/** This chain's own kinds that a sender signs and pays alone, by name. */
export const NATIVE_KINDS = { transfer: 0x08, memo: 0x10, deploy: 0x28, execution: 0x30 } as const;
export type NativeKind = keyof typeof NATIVE_KINDS;

/** A transaction of this chain; one of its own kinds has the fields of a legacy one. */
export interface SentTransaction {
  readonly fields: TransactionFields;
  readonly native?: NativeKind;
  /** The accounts before it. */
  readonly accounts: Readonly<Record<string, SuiteAccount>>;
}

/** Transaction for the oracle. */
export interface Asked extends SentTransaction {
  /** Gas due before it runs; its own count without it. */
  readonly intrinsicGas?: bigint;
  /** The access list is paid and warms nothing. */
  readonly coldList?: true;
  /** Nothing: no block may hold it. */
  readonly refused?: true;
}

/** A difference; it holds for forks from `since` and before `until`. */
interface Row {
  readonly name: string;
  /** Files of the Go node that have the rule. */
  readonly source: string;
  readonly since: TransactionFork;
  readonly until?: TransactionFork;
  readonly ask: (asked: Asked, fork: TransactionFork) => Asked;
}

/** All that differs; each row changes what the rows before it ask. */
export const TRANSACTION_DIFFERENCES: readonly Row[] = [
  {
    name: "0x1 to 0x3ff receive nothing",
    source: "common/types.go@v2.2.2",
    since: "base",
    ask: (asked) => (isReserved(asked.fields.to) ? { ...asked, refused: true } : asked),
  },
  {
    name: "transfers and memos go to accounts without code, executions to accounts that have some",
    source:
      "blockchain/types/tx_internal_data.go@v2.2.2, blockchain/types/tx_internal_data_smart_contract_execution.go@v2.2.2",
    since: "base",
    ask: (asked) => (isMisdirected(asked) ? { ...asked, refused: true } : asked),
  },
  {
    name: "every byte of an own kind's input costs 100 gas before Istanbul too",
    source: "blockchain/types/tx_internal_data.go@v2.2.2",
    since: "base",
    until: "istanbul",
    ask: (asked, fork) =>
      asked.native === undefined ? asked : { ...asked, intrinsicGas: intrinsicGas(asked.fields, fork) },
  },
  {
    name: "typed transactions come with EthTxType",
    source: "blockchain/types/transaction_signing.go@v2.2.2",
    since: "base",
    until: "ethTxType",
    ask: (asked) => (asked.fields.type === TransactionType.Legacy ? asked : { ...asked, refused: true }),
  },
  {
    name: "every byte of input costs 100 gas, and code to be run its words from Shanghai on",
    source: "blockchain/types/tx_internal_data.go@v2.2.2",
    since: "istanbul",
    until: "prague",
    ask: (asked, fork) => ({ ...asked, intrinsicGas: intrinsicGas(asked.fields, fork) }),
  },
  {
    name: "caps are prices before Magma",
    source: "blockchain/types/transaction.go@v2.2.2",
    since: "ethTxType",
    until: "magma",
    ask: ({ fields, ...asked }) => ({ ...asked, fields: legacyAt(capOf(fields), fields) }),
  },
  {
    name: "the base fee is the price until Kaia, and nobody may offer less",
    source: "blockchain/types/transaction.go@v2.2.2, blockchain/tx_pool.go@v2.2.2",
    since: "magma",
    until: "kaia",
    ask: ({ fields, ...asked }, fork) => {
      if (capOf(fields) < BLOCK.baseFee) return { ...asked, fields, refused: true };
      const isOracleOlder = !isForkSince(fork, "kore");
      return {
        ...asked,
        fields: isOracleOlder ? legacyAt(BLOCK.baseFee, fields) : withPrice(fields, BLOCK.baseFee, 0n),
      };
    },
  },
  {
    name: "access lists warm nothing before Cancun",
    source: "blockchain/state/statedb.go@v2.2.2",
    since: "kore",
    until: "cancun",
    ask: (asked) => ({ ...asked, coldList: true }),
  },
  {
    name: "the sender needs what the price comes to, not what the cap allows, until Osaka",
    source: "blockchain/state_transition.go@v2.2.2",
    since: "kaia",
    until: "osaka",
    ask: ({ fields, ...asked }) => {
      const most = capOf(fields) - BLOCK.baseFee;
      const wanted = fields.maxPriorityFeePerGas ?? most;
      const tip = wanted < most ? wanted : most;
      return { ...asked, fields: tip < 0n ? fields : withPrice(fields, BLOCK.baseFee + tip, tip) };
    },
  },
];

/** Translates a transaction of this chain for the oracle. */
export function askedOf(sent: SentTransaction, fork: TransactionFork): Asked {
  let asked: Asked = sent;
  for (const { since, until, ask } of TRANSACTION_DIFFERENCES) {
    if (!isForkSince(fork, since) || (until !== undefined && isForkSince(fork, until))) continue;
    asked = ask(asked, fork);
  }
  return asked;
}

/** The most that a unit of gas may cost. */
export function capOf({ gasPrice, maxFeePerGas }: TransactionFields): bigint {
  return maxFeePerGas ?? gasPrice ?? 0n;
}

function isReserved(to: string | undefined): boolean {
  if (to === undefined) return false;
  const number = bytesToBigint(suiteBytes(to));
  return number > 0n && number <= 0x3ffn;
}

function isMisdirected({ native, fields, accounts }: SentTransaction): boolean {
  if (native === undefined || native === "deploy") return false;
  const code = accounts[fields.to ?? ""]?.code ?? "0x";
  return (native === "execution") === (code === "0x");
}

function intrinsicGas({ to, data, accessList }: TransactionFields, fork: TransactionFork): bigint {
  const words = to === undefined && isForkSince(fork, "shanghai") ? Math.ceil(data.length / 32) : 0;
  const lists = (accessList ?? []).map(({ storageKeys }) => 2400 + 1900 * storageKeys.length);
  const sum = lists.reduce((all, gas) => all + gas, 100 * data.length + 2 * words);
  return BigInt(sum + (to === undefined ? 53_000 : 21_000));
}

/** The same without a type: what an oracle without types can run. */
function legacyAt(gasPrice: bigint, fields: TransactionFields): TransactionFields {
  const { accessList: _, maxFeePerGas: _cap, maxPriorityFeePerGas: _tip, ...rest } = fields;
  return { ...rest, type: TransactionType.Legacy, gasPrice };
}

/** The same at other prices. */
function withPrice(fields: TransactionFields, cap: bigint, tip: bigint): TransactionFields {
  if (fields.gasPrice !== undefined) return { ...fields, gasPrice: cap };
  return { ...fields, maxFeePerGas: cap, maxPriorityFeePerGas: tip };
}
