/**
 * Ethereum's tests of blocks: accounts, blocks as RLP, the accounts that they leave. The blocks' transactions run
 * under this chain's rules, as the Go node's runner has it (`tests/block_test_util.go@v2.2.2`): header fields of
 * Ethereum come from the test, its fees go to the coinbase, and an invalid block leaves nothing.
 */
import { mapKey, toHex } from "../../node/bytes/hex.ts";
import { decodeRlp, itemInteger, listItems, type RlpItem, stringBytes } from "../../node/bytes/rlp.ts";
import { wordBytes } from "../../node/bytes/word.ts";
import type { BlobLimits } from "../../node/config/blob-schedule.ts";
import type { Rules } from "../../node/config/rules.ts";
import type { Tracer } from "../../node/evm/tracer.ts";
import { blobGasOf, GAS_PER_BLOB } from "../../node/execution/blob-gas.ts";
import { beginBlock } from "../../node/execution/system-call.ts";
import { type BlockContext, executeTransaction } from "../../node/execution/transaction.ts";
import { senderOf, type Transaction } from "../../node/model/transaction.ts";
import { bareHeader } from "./bare-header.ts";
import { ethereumBlobFee, ethereumTransaction, SUITE_BLOBS, SUITE_MAX_BLOBS } from "./suite-runners.ts";
import { suiteBytes, suiteInteger } from "./suite-values.ts";
import { type AccountKinds, type SuiteAccount, SuiteWorld } from "./suite-world.ts";

/** A test; a block without a header has to be refused. */
export interface BlockCase {
  readonly network: string;
  readonly genesisBlockHeader: SuiteHeader;
  readonly pre: Readonly<Record<string, SuiteAccount>>;
  readonly postState?: Readonly<Record<string, SuiteAccount>>;
  readonly blocks: readonly SuiteBlock[];
  readonly config?: { readonly blobSchedule?: Readonly<Record<string, Readonly<Record<string, string>>>> };
}

type SuiteHeader = Readonly<Record<string, string>>;

interface SuiteBlock {
  readonly rlp: string;
  readonly blockHeader?: SuiteHeader;
  readonly expectException?: string;
}

/** Options of a run. */
export interface BlockRunner {
  readonly rules: Rules;
  readonly kinds: AccountKinds;
}

/** Members of a header that matter to its transactions and to the next block. */
interface EthereumHeader {
  readonly parentHash: Uint8Array;
  readonly coinbase: Uint8Array;
  readonly number: number;
  readonly gasLimit: bigint;
  readonly time: number;
  readonly mixHash: Uint8Array;
  readonly baseFee: bigint;
  readonly gasUsed: bigint;
  readonly blobGasUsed: bigint | undefined;
  readonly excessBlobGas: bigint | undefined;
}

/** A decoded block. */
export interface EthereumBlock {
  readonly header: EthereumHeader;
  readonly transactions: readonly Transaction[];
}

const CHAIN_ID = 1n;
/** Gas at whose price blob gas is at least sold (EIP-7918). */
const BLOB_BASE_COST = 8192n;

/** Runs a test. Returns a line for each difference. */
export function runBlocks(one: BlockCase, runner: BlockRunner, tracer?: Tracer): string[] {
  let suite = new SuiteWorld(one.pre, runner.kinds);
  let parent = writtenHeader(one.genesisBlockHeader);
  const hashes = new Map([[parent.number, suiteBytes(one.genesisBlockHeader["hash"])]]);
  for (const [index, written] of one.blocks.entries()) {
    const chain = { runner, parent, limits: blobLimitsOf(one), hashes, tracer };
    const refusal = applyBlock(suite, written, chain);
    const { blockHeader } = written;
    if (refusal !== undefined && blockHeader !== undefined) return [`block ${index} is refused: ${refusal}`];
    if (refusal === undefined && blockHeader === undefined)
      return [`block ${index} is accepted, expected ${written.expectException ?? "a refusal"}`];
    // The world of a refused block is left.
    suite = refusal === undefined ? suite.committed() : suite.reset();
    if (blockHeader === undefined) continue;
    parent = writtenHeader(blockHeader);
    hashes.set(parent.number, suiteBytes(blockHeader["hash"]));
  }
  return compareAccounts(suite, one.postState ?? {});
}

interface ChainFacts {
  readonly runner: BlockRunner;
  readonly parent: EthereumHeader;
  readonly limits: BlobLimits;
  readonly hashes: ReadonlyMap<number, Uint8Array>;
  readonly tracer: Tracer | undefined;
}

/** Applies a block to a world. Returns why it is refused, or undefined. */
function applyBlock(suite: SuiteWorld, written: SuiteBlock, chain: ChainFacts): string | undefined {
  try {
    const block = decodeBlock(suiteBytes(written.rlp));
    checkBlock(block, suiteBytes(written.rlp).length, chain);
    const gasUsed = runTransactions(suite, block, chain);
    if (isGasCompared(written) && gasUsed !== block.header.gasUsed)
      throw new BlockError(`gas used ${block.header.gasUsed}, found ${gasUsed}`);
    return undefined;
  } catch (error) {
    if (typeof (error as { code?: unknown }).code !== "string") throw error;
    return (error as Error).message;
  }
}

/** Of invalid blocks the gas is compared only where it is the fault, so that no other fault hides behind it. */
function isGasCompared({ blockHeader, expectException = "" }: SuiteBlock): boolean {
  return blockHeader !== undefined || /InvalidGasUsed|INVALID_GAS_USED/.test(expectException);
}

/** A block that breaks a rule. */
class BlockError extends Error {
  readonly code = "bad-block";
}

function checkBlock({ header, transactions }: EthereumBlock, size: number, chain: ChainFacts): void {
  const { rules } = chain.runner;
  const { maxBlockSize } = rules;
  if (maxBlockSize !== undefined && size > maxBlockSize) throw new BlockError(`${size} bytes`);
  checkPlace(header, chain);
  const low = transactions.find(({ gasFeeCap }) => gasFeeCap < header.baseFee);
  if (low !== undefined) throw new BlockError(`fee cap ${low.gasFeeCap} below base fee ${header.baseFee}`);
  if (!rules.blobGas) return;
  const [used, excess] = [header.blobGasUsed, header.excessBlobGas];
  if (used === undefined || excess === undefined) throw new BlockError("no blob gas");
  if (used > BigInt(chain.limits.max) * GAS_PER_BLOB) throw new BlockError(`blob gas ${used}`);
  if (used !== blobGasOf(transactions))
    throw new BlockError(`blob gas ${used}, not that of the transactions`);
  const expected = nextExcess(chain.parent, chain.limits);
  if (excess !== expected) throw new BlockError(`excess blob gas ${excess}, expected ${expected}`);
}

/** A block follows its parent in number, hash and time. */
function checkPlace({ number, parentHash, time }: EthereumHeader, { parent, hashes }: ChainFacts): void {
  if (number !== parent.number + 1) throw new BlockError(`number ${number} after ${parent.number}`);
  if (mapKey(parentHash) !== mapKey(hashes.get(parent.number) ?? new Uint8Array(0)))
    throw new BlockError(`parent hash ${toHex(parentHash)}`);
  if (time <= parent.time) throw new BlockError(`time ${time} after ${parent.time}`);
}

/** Excess blob gas of the block after `parent` (EIP-4844, EIP-7918). */
function nextExcess(parent: EthereumHeader, { target, max, baseFeeUpdateFraction }: BlobLimits): bigint {
  const [before, used] = [parent.excessBlobGas ?? 0n, parent.blobGasUsed ?? 0n];
  const aim = BigInt(target) * GAS_PER_BLOB;
  if (before + used < aim) return 0n;
  const blobPrice = ethereumBlobFee(before, baseFeeUpdateFraction) * GAS_PER_BLOB;
  if (BLOB_BASE_COST * parent.baseFee > blobPrice)
    return before + (used * BigInt(max - target)) / BigInt(max);
  return before + used - aim;
}

/** Returns the gas that the transactions used. */
function runTransactions({ world }: SuiteWorld, block: EthereumBlock, chain: ChainFacts): bigint {
  const { header, transactions } = block;
  const context = contextOf(header, chain);
  beginBlock(world, context);
  let gasUsed = 0n;
  for (const tx of transactions) {
    const { receipt, fee } = executeTransaction(world, tx, context, chain.tracer);
    gasUsed += receipt.gasUsed;
    world.addBalance(header.coinbase, fee - receipt.gasUsed * header.baseFee);
    world.endTransaction();
  }
  return gasUsed;
}

function contextOf(header: EthereumHeader, { runner, limits, hashes }: ChainFacts): BlockContext {
  const { number, time, coinbase, baseFee, gasLimit, mixHash, parentHash, excessBlobGas = 0n } = header;
  const own = bareHeader({ number, parentHash, rewardbase: coinbase, time, baseFee, mixHash });
  return {
    chainId: CHAIN_ID,
    header: own,
    rules: runner.rules,
    block: {
      number,
      time,
      author: coinbase,
      blockScore: 0n,
      baseFee,
      blobBaseFee: runner.rules.blobGas ? ethereumBlobFee(excessBlobGas, limits.baseFeeUpdateFraction) : 1n,
      random: mixHash,
      gasLimit,
      blockHash: (asked) => hashes.get(asked),
    },
    maxBlobs: SUITE_MAX_BLOBS,
    maxBlockBlobs: limits.max,
    deferredFees: true,
    computationLimit: Number.POSITIVE_INFINITY,
  };
}

function blobLimitsOf({ config, network }: BlockCase): BlobLimits {
  const limits = config?.blobSchedule?.[network];
  if (limits === undefined) return SUITE_BLOBS;
  return {
    target: Number(suiteInteger(limits["target"])),
    max: Number(suiteInteger(limits["max"])),
    baseFeeUpdateFraction: suiteInteger(limits["baseFeeUpdateFraction"]),
  };
}

/** Decodes one of Ethereum's blocks; throws for what is none. */
export function decodeBlock(bytes: Uint8Array): EthereumBlock {
  const [header, transactions] = listItems(decodeRlp(bytes));
  if (header === undefined || transactions === undefined) throw new BlockError("no header or transactions");
  return {
    header: decodeHeader(listItems(header)),
    transactions: listItems(transactions).map(({ isList, raw, payload }) =>
      ethereumTransaction(isList ? raw : payload),
    ),
  };
}

const HEADER_FIELDS = { least: 15, most: 21 };
/** Places of the header's hashes and addresses with their lengths in bytes. */
const SIZES: readonly (readonly [place: number, bytes: number])[] = [
  [0, 32],
  [1, 32],
  [2, 20],
  [3, 32],
  [4, 32],
  [5, 32],
  [6, 256],
  [13, 32],
  [16, 32],
  [19, 32],
  [20, 32],
];

function decodeHeader(fields: readonly RlpItem[]): EthereumHeader {
  if (fields.length < HEADER_FIELDS.least || fields.length > HEADER_FIELDS.most)
    throw new BlockError(`${fields.length} header fields`);
  for (const [place, size] of SIZES) {
    const field = fields[place];
    if (field !== undefined && stringBytes(field).length !== size) throw new BlockError(`field ${place}`);
  }
  const bytes = (place: number): Uint8Array => stringBytes(fields[place] as RlpItem); // counted above
  const integer = (place: number): bigint => itemInteger(fields[place] as RlpItem, 8); // counted above
  const late = (place: number): bigint | undefined => (fields.length > place ? integer(place) : undefined);
  return {
    parentHash: bytes(0),
    coinbase: bytes(2),
    number: Number(integer(8)),
    gasLimit: integer(9),
    gasUsed: integer(10),
    time: Number(integer(11)),
    mixHash: bytes(13),
    baseFee: fields[15] === undefined ? 0n : itemInteger(fields[15]),
    blobGasUsed: late(17),
    excessBlobGas: late(18),
  };
}

function writtenHeader(header: SuiteHeader): EthereumHeader {
  const late = (name: string): bigint | undefined =>
    header[name] === undefined ? undefined : suiteInteger(header[name]);
  return {
    parentHash: suiteBytes(header["parentHash"]),
    coinbase: suiteBytes(header["coinbase"]),
    number: Number(suiteInteger(header["number"])),
    gasLimit: suiteInteger(header["gasLimit"]),
    gasUsed: suiteInteger(header["gasUsed"]),
    time: Number(suiteInteger(header["timestamp"])),
    mixHash: suiteBytes(header["mixHash"]),
    baseFee: suiteInteger(header["baseFeePerGas"]),
    blobGasUsed: late("blobGasUsed"),
    excessBlobGas: late("excessBlobGas"),
  };
}

/** System contracts that this chain does not call: beacon roots (EIP-4788) and deposits (EIP-6110). */
const NOT_CALLED = new Set([
  mapKey(suiteBytes("000f3df6d732807ef1319fb7b8bb8522d0beac02")),
  mapKey(suiteBytes("00000000219ab540356cbb839cbe05303d7705fa")),
]);

function compareAccounts(suite: SuiteWorld, expected: Readonly<Record<string, SuiteAccount>>): string[] {
  const accounts = suite.accounts();
  const lines: string[] = [];
  for (const [text, written] of Object.entries(expected)) {
    const name = mapKey(suiteBytes(text));
    const left = accounts.get(name);
    accounts.delete(name);
    if (left === undefined) {
      lines.push(`${text} is missing`);
      continue;
    }
    const { account, slots } = left;
    const facts = [account.nonce, account.balance, toHex(suite.codeOf(account))];
    const wanted = [
      suiteInteger(written.nonce),
      suiteInteger(written.balance),
      toHex(suiteBytes(written.code)),
    ];
    const [found, asked] = [String(facts), String(wanted)];
    if (found !== asked) lines.push(`${text}: expected ${asked}, found ${found}`);
    if (!NOT_CALLED.has(name)) lines.push(...compareSlots(text, written.storage, slots));
  }
  for (const name of accounts.keys()) lines.push(`${toHex(Buffer.from(name, "latin1"))} was not expected`);
  return lines;
}

function compareSlots(
  text: string,
  expected: Readonly<Record<string, string>>,
  found: ReadonlyMap<bigint, bigint>,
): string[] {
  const left = new Map([...found].filter(([, value]) => value !== 0n));
  const lines: string[] = [];
  for (const [key, value] of Object.entries(expected)) {
    const [place, word] = [suiteInteger(key), suiteInteger(value)];
    const had = left.get(place) ?? 0n;
    left.delete(place);
    if (had !== word) lines.push(`${text} slot ${key}: expected ${value}, found ${toHex(wordBytes(had))}`);
  }
  for (const key of left.keys()) lines.push(`${text} slot ${key} was not expected`);
  return lines;
}

/** The transactions of a test's blocks that can be decoded, with the senders of those that have one. */
export function transactionsOf({
  blocks,
}: BlockCase): { readonly tx: Transaction; readonly sender: Uint8Array }[] {
  return blocks.flatMap(({ rlp }) => {
    try {
      const { transactions } = decodeBlock(suiteBytes(rlp));
      return transactions.map((tx) => ({ tx, sender: senderOf(tx, CHAIN_ID) }));
    } catch {
      return []; // a block that nothing can be decoded from has no transaction to show
    }
  });
}
