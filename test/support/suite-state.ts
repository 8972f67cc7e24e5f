/** Published state tests: a world, a message, the root and logs that it leaves. */
import { mapKey, toHex } from "../../node/bytes/hex.ts";
import { integerBytes } from "../../node/bytes/integer.ts";
import { encodeRlp } from "../../node/bytes/rlp.ts";
import type { Rules } from "../../node/config/rules.ts";
import { keccak256 } from "../../node/crypto/keccak.ts";
import { addressOfKey } from "../../node/crypto/secp256k1.ts";
import type { EvmBlock } from "../../node/evm/evm.ts";
import type { Tracer } from "../../node/evm/tracer.ts";
import type { EventLog } from "../../node/model/receipt.ts";
import type { Authorization } from "../../node/model/transaction-type.ts";
import { applySuiteMessage, type SuiteMessage } from "./suite-message.ts";
import { suiteBytes, suiteInteger } from "./suite-values.ts";
import { type AccountEncoding, type AccountKinds, type SuiteAccount, SuiteWorld } from "./suite-world.ts";

/** One test: a message for each combination that `post` names. */
export interface StateCase {
  readonly env: Readonly<Record<string, string>>;
  readonly pre: Readonly<Record<string, SuiteAccount>>;
  readonly transaction: StateTransaction;
  readonly post: Readonly<Record<string, readonly Expected[]>>;
}

/** A message in its variants. */
export interface StateTransaction {
  readonly data: readonly string[];
  readonly gasLimit: readonly string[];
  readonly value: readonly string[];
  readonly nonce: string;
  readonly to: string;
  readonly secretKey: string;
  readonly gasPrice?: string;
  readonly maxFeePerGas?: string;
  readonly maxPriorityFeePerGas?: string;
  readonly maxFeePerBlobGas?: string;
  readonly blobVersionedHashes?: readonly string[];
  readonly accessLists?: readonly (readonly AccessItem[] | null)[];
  readonly authorizationList?: readonly AuthorizationItem[];
}

interface AuthorizationItem {
  readonly chainId: string;
  readonly address: string;
  readonly nonce: string;
  readonly v: string;
  readonly r: string;
  readonly s: string;
}

interface AccessItem {
  readonly address: string;
  readonly storageKeys: readonly string[];
}

/** Expected result of one combination. */
export interface Expected {
  readonly hash: string;
  readonly logs: string;
  readonly indexes: { readonly data: number; readonly gas: number; readonly value: number };
  readonly expectException?: string;
  /** The message as a signed transaction. */
  readonly txbytes?: string;
}

/** Options of a suite under one of its forks. */
export interface StateRunner {
  readonly rules: Rules;
  readonly encoding: AccountEncoding;
  /** The accounts of the world that are contracts, with their VM version. */
  readonly kinds: AccountKinds;
  /** Price of a unit of gas, unless the message names it. */
  readonly price?: () => bigint;
  readonly intrinsicGas: (message: SuiteMessage, rules: Rules) => bigint;
  /** Gas limit of the block as contracts see it. */
  readonly gasLimit: (env: StateCase["env"]) => bigint;
  readonly blobBaseFee: (env: StateCase["env"]) => bigint;
  readonly maxBlobs: number;
  readonly collector: (env: StateCase["env"]) => Uint8Array;
  /** Part of the price that the collector gets. */
  readonly collected: (message: SuiteMessage, baseFee: bigint) => bigint;
  /** Decodes the message as a signed transaction and finds its sender; throws for one that is not valid. */
  readonly readTransaction?: (bytes: Uint8Array) => void;
}

/** Result of a combination. */
export interface Outcome {
  readonly hash: string;
  readonly logs: string;
  /** The end of the message. */
  readonly end: string;
}

/** Runs one combination. */
export function runState(
  one: StateCase,
  expected: Pick<Expected, "indexes" | "txbytes">,
  runner: StateRunner,
  tracer?: Tracer,
): Outcome {
  const { rules } = runner;
  const suite = new SuiteWorld(one.pre, runner.kinds);
  const { world } = suite;
  const block = blockOf(one.env, runner);
  const written = messageOf(one, expected, block.baseFee);
  const price = runner.price?.() ?? written.price;
  const message = { ...written, price };
  const context = {
    world,
    rules,
    block,
    intrinsicGas: runner.intrinsicGas(message, rules),
    maxBlobs: runner.maxBlobs,
    collector: runner.collector(one.env),
    collected: runner.collected(message, block.baseFee),
    ...(tracer === undefined ? {} : { tracer }),
  };
  const unread = unreadable(expected.txbytes, runner);
  const end = unread === undefined ? applySuiteMessage(message, context) : `refused: ${unread}`;
  const logs = toHex(logsHash(end.startsWith("refused: ") ? [] : world.logs));
  world.endTransaction();
  return { hash: toHex(suite.root(runner.encoding)), logs, end };
}

/** Returns the reason for which the signed form of a message is refused, or undefined. */
function unreadable(txbytes: string | undefined, { readTransaction }: StateRunner): string | undefined {
  if (txbytes === undefined || readTransaction === undefined) return undefined;
  try {
    readTransaction(suiteBytes(txbytes));
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** The message of one combination. */
export function messageOf(
  one: StateCase,
  { indexes }: Pick<Expected, "indexes">,
  baseFee: bigint,
): SuiteMessage {
  const { transaction } = one;
  const { maxFeePerGas, maxPriorityFeePerGas, gasPrice, blobVersionedHashes, authorizationList } =
    transaction;
  const cap = suiteInteger(maxFeePerGas ?? gasPrice);
  const tipCap = suiteInteger(maxPriorityFeePerGas ?? maxFeePerGas ?? gasPrice);
  const tipped = baseFee + tipCap;
  return {
    from: senderOf(transaction.secretKey),
    to: recipientOf(transaction),
    nonce: suiteInteger(transaction.nonce),
    value: suiteInteger(transaction.value[indexes.value]),
    gas: suiteInteger(transaction.gasLimit[indexes.gas]),
    input: suiteBytes(transaction.data[indexes.data]),
    price: tipped < cap ? tipped : cap,
    priceCap: cap,
    tipCap,
    accessList: (transaction.accessLists?.[indexes.data] ?? []).map(({ address, storageKeys }) => [
      suiteBytes(address),
      storageKeys.map(suiteInteger),
    ]),
    authorizationList: authorizationList?.map(authorizationOf),
    blobHashes: blobVersionedHashes?.map(suiteBytes),
    maxFeePerBlobGas: suiteInteger(transaction.maxFeePerBlobGas),
  };
}

/** A blob or set-code message without a recipient has the zero address, as the Go node's runner gives it. */
function recipientOf({
  to,
  blobVersionedHashes,
  authorizationList,
}: StateTransaction): Uint8Array | undefined {
  if (to !== "") return suiteBytes(to);
  const needsOne = blobVersionedHashes !== undefined || authorizationList !== undefined;
  return needsOne ? new Uint8Array(20) : undefined;
}

function authorizationOf({ chainId, address, nonce, v, r, s }: AuthorizationItem): Authorization {
  return {
    chainId: suiteInteger(chainId),
    address: suiteBytes(address),
    nonce: suiteInteger(nonce),
    yParity: Number(suiteInteger(v)),
    r: integerBytes(suiteInteger(r)),
    s: integerBytes(suiteInteger(s)),
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
    blobBaseFee: runner.blobBaseFee(env),
    random,
    gasLimit: runner.gasLimit(env),
    blockHash: suiteBlockHash,
  };
}

/** The suites' block hashes: of the number's decimal text. */
export function suiteBlockHash(number: number): Uint8Array {
  return keccak256(Buffer.from(String(number)));
}

/** Form of logs in which suites compare them. */
export function logsHash(logs: readonly EventLog[]): Uint8Array {
  return keccak256(encodeRlp(logs.map(({ address, topics, data }) => [address, topics, data])));
}

/** The `mapKey` of an address as suites write it. */
export function suiteName(address: string): string {
  return mapKey(suiteBytes(address));
}
