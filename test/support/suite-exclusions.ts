/**
 * Rules by which a case of Ethereum's suites may differ on this chain: each with its reason and the Go file that
 * makes the difference. A rule looks at what a case is made of and at what its execution showed, never at names.
 */
import { toHex } from "../../node/bytes/hex.ts";
import type { Rules } from "../../node/config/rules.ts";
import { shortNumber } from "../../node/evm/address.ts";
import type { EvmFailureCode } from "../../node/evm/failure.ts";
import type { FrameStart, OpcodeStep, Tracer } from "../../node/evm/tracer.ts";

/** A transaction of a case, as far as rules ask. Amounts in peb. */
export interface CaseTransaction {
  readonly gas: bigint;
  readonly value: bigint;
  readonly priceCap: bigint;
  readonly tipCap: bigint;
  readonly hasBlobs: boolean;
  /** Of the sender before the case: its balance; true for code that is no delegation; true for a contract account. */
  readonly balance: bigint;
  readonly isSentByCode: boolean;
  readonly isSentByContract: boolean;
}

/** Facts of a case that differs. */
export interface CaseFacts {
  /** Name of the test within its file. */
  readonly test: string;
  /** Undefined for a fork that the Go node's runner leaves out. */
  readonly rules: Rules | undefined;
  readonly transactions: readonly CaseTransaction[];
  readonly baseFee: bigint;
  readonly gasLimit: bigint;
  /** True where the expected root is that of Ethereum's accounts, though the case belongs to this chain. */
  readonly hasEthereumRoot: () => boolean;
  /** The result found instead of the expected one. */
  readonly difference: string;
  /** Exceptions that Ethereum throws, empty for none. */
  readonly exception: string;
  /** Largest block in bytes; 0 for a message outside a block. */
  readonly blockBytes: number;
  /** True for blocks with withdrawals (EIP-4895). */
  readonly hasWithdrawals: boolean;
  /** True for blocks with uncles, and for blocks that do not follow the one before them in the case. */
  readonly hasUncles: boolean;
  readonly hasSideChains: boolean;
  /** The observations of its execution; runs it again. */
  readonly seen: () => CaseObservations;
}

/** Observations of the execution of a case. */
export interface CaseObservations {
  readonly failures: ReadonlySet<EvmFailureCode>;
  /** Numbers below 2^16 of the addresses that calls and opcodes named. */
  readonly touched: ReadonlySet<number>;
  /** Addresses as hex of contracts that calls named. */
  readonly called: ReadonlySet<string>;
}

/** A rule. */
export interface ExclusionRule {
  readonly name: string;
  readonly reason: string;
  /** File of Kaia v2.2.2. */
  readonly source: string;
  readonly applies: (facts: CaseFacts) => boolean;
}

/** Gas of a transaction at most (EIP-7825). */
const MAX_TRANSACTION_GAS = 1n << 24n;

const MAX_BLOCK_BYTES = 10_485_760;
/** Exceptions of Ethereum's requests and system contracts, and of its header fields. */
const REQUEST_EXCEPTIONS =
  /INVALID_DEPOSIT_EVENT_LAYOUT|INVALID_REQUESTS|SYSTEM_CONTRACT_|INVALID_WITHDRAWALS|RLP_ExpectedAsList/;
const HEADER_EXCEPTIONS =
  /INVALID_GASLIMIT|INVALID_BASEFEE_PER_GAS|InvalidGasLimit|BaseFeeWrong|ExtraDataTooBig|DifficultyIsNot0|InvalidLogBloom|TooMuchGasUsed|Invalid(State|ReceiptsState|Transactions)Root/;
const FUNDS_EXCEPTIONS = /INSUFFICIENT_ACCOUNT_FUNDS|TR_NoFunds/;
const GAS_LIMIT_EXCEPTIONS = /GAS_ALLOWANCE_EXCEEDED|TR_GasLimitReached|TooMuchGasUsed/;
const BLOB_GAS_EXCEPTIONS = /INCORRECT_EXCESS_BLOB_GAS|INCORRECT_BLOB_GAS_USED/;
const RESERVED_TEXT = "the address is reserved for pre-compiled contracts";
/** Tests that the Go node's runner of this suite leaves out for their transfers to precompiled contracts or their numbers. */
const SKIPPED_BY_GO =
  /^(OverflowGasRequire|zeroSigTransa.*|RevertPrecompiledTouch|callNonConst|modexpRandomInput|randomStatetest64[245])$/;
/** Contracts of EIP-4788, EIP-6110, EIP-7002 and EIP-7251. */
const REQUEST_CONTRACTS = [
  "0x000f3df6d732807ef1319fb7b8bb8522d0beac02",
  "0x00000000219ab540356cbb839cbe05303d7705fa",
  "0x00000961ef480eb55e80d19ad83579a64c007002",
  "0x0000bbddc7ce488642fb579f8b00f3a590007251",
];

/** The rules, in the order in which a case is put to them. */
export const EXCLUSION_RULES: readonly ExclusionRule[] = [
  {
    name: "fork",
    reason: "Ethereum's forks before Cancun are not made of this chain's, nor changes of fork by time",
    source: "tests/state_test.go",
    applies: ({ rules }) => rules === undefined,
  },
  {
    name: "ethereum-root",
    reason: "the case was copied into this chain's suite with Ethereum's root",
    source: "tests/state_test.go",
    applies: ({ hasEthereumRoot }) => hasEthereumRoot(),
  },
  {
    name: "blobs-before-osaka",
    reason: "blob transactions are accepted from Osaka on",
    source: "blockchain/types/transaction_signing.go",
    applies: ({ rules, transactions }) =>
      rules?.blobGas === false && transactions.some(({ hasBlobs }) => hasBlobs),
  },
  {
    name: "caps-before-prague",
    reason: "fee cap and tip are compared with each other and with the base fee from Prague on",
    source: "blockchain/state_transition.go",
    applies: ({ rules, transactions, baseFee }) =>
      rules?.checksPriceCaps === false &&
      transactions.some(({ priceCap, tipCap }) => priceCap < baseFee || tipCap > priceCap),
  },
  {
    name: "funds-before-osaka",
    reason: "a sender needs the fee at the effective price, and from Osaka on at the fee cap with the value",
    source: "blockchain/state_transition.go",
    applies: ({ rules, transactions, exception }) =>
      rules?.blobGas === false &&
      FUNDS_EXCEPTIONS.test(exception) &&
      transactions.some(({ balance, gas, priceCap, value }) => balance < gas * priceCap + value),
  },
  {
    name: "block-gas-limit",
    reason: "blocks have no gas limit",
    source: "blockchain/state_transition.go",
    applies: ({ transactions, gasLimit, exception }) =>
      GAS_LIMIT_EXCEPTIONS.test(exception) && transactions.reduce((sum, { gas }) => sum + gas, 0n) > gasLimit,
  },
  {
    name: "transaction-gas-limit",
    reason: "there is no upper bound of a transaction's gas (EIP-7825)",
    source: "blockchain/state_transition.go",
    applies: ({ transactions, exception }) =>
      exception.includes("GAS_LIMIT_EXCEEDS_MAXIMUM") &&
      transactions.some(({ gas }) => gas > MAX_TRANSACTION_GAS),
  },
  {
    name: "sender-with-code",
    reason: "messages of accounts with code are not refused (EIP-3607)",
    source: "blockchain/state_transition.go",
    applies: ({ transactions, exception }) =>
      /SENDER_NOT_EOA|SenderNotEOA/.test(exception) && transactions.some(({ isSentByCode }) => isSentByCode),
  },
  {
    name: "contract-sender",
    reason: "contract accounts have a key that fails, so no signature is theirs",
    source: "blockchain/types/accountkey/account_key_fail.go",
    applies: ({ transactions, exception }) =>
      exception === "" && transactions.some(({ isSentByContract }) => isSentByContract),
  },
  {
    name: "requests",
    reason: "blocks have no withdrawals, no beacon root and no requests (EIP-4895, EIP-4788, EIP-7685)",
    source: "tests/block_test.go",
    applies: ({ hasWithdrawals, exception, difference, seen }) =>
      hasWithdrawals ||
      REQUEST_EXCEPTIONS.test(exception) ||
      REQUEST_CONTRACTS.some((address) => difference.includes(address) || seen().called.has(address)),
  },
  {
    name: "header-fields",
    reason:
      "headers are this chain's, without limits of gas and extra data, Ethereum's base fee, difficulty and roots and, before Osaka, blob gas",
    source: "tests/block_test_util.go",
    applies: ({ exception, rules }) =>
      HEADER_EXCEPTIONS.test(exception) || (rules?.blobGas === false && BLOB_GAS_EXCEPTIONS.test(exception)),
  },
  {
    name: "uncles",
    reason: "blocks have no uncles",
    source: "consensus/istanbul/backend/engine.go",
    applies: ({ hasUncles, exception }) => hasUncles || exception.includes("Uncle"),
  },
  {
    name: "side-chains",
    reason: "blocks are final, so no chain is chosen by its total difficulty",
    source: "consensus/istanbul/backend/engine.go",
    applies: ({ hasSideChains }) => hasSideChains,
  },
  {
    name: "block-size",
    reason: "blocks of up to 10 MiB are accepted (EIP-7934: 8 MiB)",
    source: "params/protocol_params.go",
    applies: ({ blockBytes, exception }) =>
      exception.includes("RLP_BLOCK_LIMIT_EXCEEDED") && blockBytes <= MAX_BLOCK_BYTES,
  },
  {
    name: "reserved-address",
    reason: "precompiled contracts take no value, and are no recipients of transfers",
    source: "blockchain/vm/evm.go",
    applies: ({ difference, seen }) =>
      difference.includes(RESERVED_TEXT) || seen().failures.has("reserved-address"),
  },
  {
    name: "ef-code",
    reason: "before Prague code that begins with 0xef is stored and only reported as an error",
    source: "blockchain/vm/evm.go",
    applies: ({ rules, seen }) => rules?.delegations === false && seen().failures.has("invalid-code"),
  },
  {
    name: "warm-0x0b",
    reason: "0x0b is warm from the start, though it is a precompiled contract from Prague on",
    source: "blockchain/vm/contracts.go",
    applies: ({ rules, seen }) => rules?.evm === "cancun" && seen().touched.has(0x0b),
  },
  {
    name: "skipped-by-go",
    reason:
      "the Go node's runner of this chain's suite leaves the test out; its root was not made by this chain",
    source: "tests/state_test.go",
    applies: ({ test, rules }) => rules?.reservedAddresses === "range" && SKIPPED_BY_GO.test(test),
  },
];

/** Returns the rule that a case which differs falls under, or undefined. */
export function exclusionFor(facts: CaseFacts): ExclusionRule | undefined {
  return EXCLUSION_RULES.find(({ applies }) => applies(facts));
}

/** Opcodes whose topmost operand is an address. */
const ADDRESS_OPCODES = new Set([0x31, 0x3b, 0x3c, 0x3f, 0xff]);

/** A tracer, and what it has seen so far. */
export function caseObserver(): { readonly tracer: Tracer; readonly seen: CaseObservations } {
  const failures = new Set<EvmFailureCode>();
  const touched = new Set<number>();
  const called = new Set<string>();
  const tracer: Tracer = {
    enter: ({ to }: FrameStart) => {
      touched.add(shortNumber(to));
      called.add(toHex(to));
    },
    exit: ({ failure }) => {
      if (failure !== undefined) failures.add(failure.code);
    },
    step: ({ op, stack, stackLength }: OpcodeStep) => {
      const top = ADDRESS_OPCODES.has(op) ? stack[stackLength - 1] : undefined;
      if (top !== undefined && top < 0x1_0000n) touched.add(Number(top));
    },
  };
  return { tracer, seen: { failures, touched, called } };
}
