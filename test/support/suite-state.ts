/** Published state tests: a world, a message, the root and logs that it leaves. */
import { mapKey, toHex } from "../../node/bytes/hex.ts";
import { encodeRlp } from "../../node/bytes/rlp.ts";
import type { Rules } from "../../node/config/rules.ts";
import { keccak256 } from "../../node/crypto/keccak.ts";
import { addressOfKey } from "../../node/crypto/secp256k1.ts";
import type { EvmBlock } from "../../node/evm/evm.ts";
import type { Tracer } from "../../node/evm/tracer.ts";
import type { EventLog } from "../../node/model/receipt.ts";
import { applySuiteMessage, type SuiteMessage } from "./suite-message.ts";
import { suiteBytes, suiteInteger } from "./suite-values.ts";
import { type AccountEncoding, type SuiteAccount, SuiteWorld } from "./suite-world.ts";

/** One test: a message for each combination that `post` names. */
export interface StateCase {
  readonly env: Readonly<Record<string, string>>;
  readonly pre: Readonly<Record<string, SuiteAccount>>;
  readonly transaction: StateTransaction;
  readonly post: Readonly<Record<string, readonly Expected[]>>;
}

interface StateTransaction {
  readonly data: readonly string[];
  readonly gasLimit: readonly string[];
  readonly value: readonly string[];
  readonly nonce: string;
  readonly to: string;
  readonly secretKey: string;
  readonly gasPrice?: string;
  readonly maxFeePerGas?: string;
  readonly maxPriorityFeePerGas?: string;
  readonly blobVersionedHashes?: readonly string[];
  readonly accessLists?: readonly (readonly AccessItem[] | null)[];
}

interface AccessItem {
  readonly address: string;
  readonly storageKeys: readonly string[];
}

/** What one combination has to leave. */
export interface Expected {
  readonly hash: string;
  readonly logs: string;
  readonly indexes: { readonly data: number; readonly gas: number; readonly value: number };
  readonly expectException?: string;
}

/** How a suite is run under one of its forks. */
export interface StateRunner {
  readonly rules: Rules;
  readonly encoding: AccountEncoding;
  /** Of the contracts that are there before. */
  readonly vmVersion: 0 | 1;
  /** What a unit of gas costs, where that is not the message's to say. */
  readonly price?: () => bigint;
  readonly intrinsicGas: (message: SuiteMessage, rules: Rules) => bigint;
  /** What contracts see as the block's gas limit. */
  readonly gasLimit: (env: StateCase["env"]) => bigint;
  readonly collector: (env: StateCase["env"]) => Uint8Array;
  /** What of the price goes to the collector. */
  readonly collected: (message: SuiteMessage, baseFee: bigint) => bigint;
  /** Why the suite's chain refuses a message that this one takes. */
  readonly refusal?: (one: StateCase, message: SuiteMessage, suite: SuiteWorld) => string | undefined;
}

/** What a combination left. */
export interface Outcome {
  readonly hash: string;
  readonly logs: string;
  /** How the message ended. */
  readonly end: string;
}

/** Runs one combination. */
export function runState(
  one: StateCase,
  expected: Pick<Expected, "indexes">,
  runner: StateRunner,
  tracer?: Tracer,
): Outcome {
  const { rules } = runner;
  const suite = new SuiteWorld(one.pre, runner.vmVersion);
  const { world } = suite;
  const block = blockOf(one.env, runner);
  const written = messageOf(one, expected, block.baseFee);
  const price = runner.price?.() ?? written.price;
  const message = { ...written, price };
  const refusal = runner.refusal?.(one, message, suite);
  const context = {
    world,
    rules,
    block,
    intrinsicGas: runner.intrinsicGas(message, rules),
    collector: runner.collector(one.env),
    collected: runner.collected(message, block.baseFee),
    ...(tracer === undefined ? {} : { tracer }),
  };
  const end = refusal === undefined ? applySuiteMessage(message, context) : `refused: ${refusal}`;
  const logs = toHex(logsHash(end.startsWith("refused: ") ? [] : world.logs));
  world.endTransaction();
  return { hash: toHex(suite.root(runner.encoding)), logs, end };
}

function messageOf(one: StateCase, { indexes }: Pick<Expected, "indexes">, baseFee: bigint): SuiteMessage {
  const { transaction } = one;
  const cap = suiteInteger(transaction.maxFeePerGas ?? transaction.gasPrice);
  const tip = baseFee + suiteInteger(transaction.maxPriorityFeePerGas ?? transaction.gasPrice);
  return {
    from: senderOf(transaction.secretKey),
    to: transaction.to === "" ? undefined : suiteBytes(transaction.to),
    nonce: suiteInteger(transaction.nonce),
    value: suiteInteger(transaction.value[indexes.value]),
    gas: suiteInteger(transaction.gasLimit[indexes.gas]),
    input: suiteBytes(transaction.data[indexes.data]),
    price: transaction.maxFeePerGas !== undefined && tip < cap ? tip : cap,
    priceCap: cap,
    accessList: (transaction.accessLists?.[indexes.data] ?? []).map(({ address, storageKeys }) => [
      suiteBytes(address),
      storageKeys.map(suiteInteger),
    ]),
  };
}

const senders = new Map<string, Uint8Array>();

function senderOf(secretKey: string): Uint8Array {
  const known = senders.get(secretKey) ?? addressOfKey(suiteBytes(secretKey));
  senders.set(secretKey, known);
  return known;
}

function blockOf(env: StateCase["env"], runner: StateRunner): EvmBlock {
  const random = suiteBytes(env["currentRandom"] ?? `0x${"00".repeat(32)}`);
  return {
    number: Number(suiteInteger(env["currentNumber"])),
    time: Number(suiteInteger(env["currentTimestamp"])),
    author: suiteBytes(env["currentCoinbase"]),
    blockScore: suiteInteger(env["currentDifficulty"]),
    baseFee: suiteInteger(env["currentBaseFee"]),
    blobBaseFee: 1n,
    random,
    gasLimit: runner.gasLimit(env),
    blockHash: suiteBlockHash,
  };
}

/** The suites' block hashes: of the number's decimal text. */
export function suiteBlockHash(number: number): Uint8Array {
  return keccak256(Buffer.from(String(number)));
}

/** What suites compare of logs. */
export function logsHash(logs: readonly EventLog[]): Uint8Array {
  return keccak256(encodeRlp(logs.map(({ address, topics, data }) => [address, topics, data])));
}

/** The `mapKey` of an address as suites write it. */
export function suiteName(address: string): string {
  return mapKey(suiteBytes(address));
}
