/**
 * Block production and time of a development chain: the methods of Anvil and Hardhat Network under their own names.
 * Every block goes through the chain's own path, so the chain stays one that other nodes accept.
 */
import { bareHex, fromHex } from "../bytes/hex.ts";
import { toQuantity } from "../bytes/integer.ts";
import type { Miner } from "../consensus/miner.ts";
import { revertReason } from "../evm/revert-reason.ts";
import { type Codec, optional } from "../jsonrpc/codec.ts";
import { numberQuantity } from "../jsonrpc/codecs/hex.ts";
import { boolean, nothing, plain } from "../jsonrpc/codecs/plain.ts";
import { invalidParams } from "../jsonrpc/errors.ts";
import { plainValue } from "../jsonrpc/json-text.ts";
import { type CallContext, type Method, method } from "../jsonrpc/method.ts";
import { arraySchema, nullableSchema, objectSchema, plainSchemas } from "../jsonrpc/schemas.ts";
import type { Block } from "../model/block.ts";
import { detailedBlockSchema } from "../presenters/block-schemas.ts";
import type { AdjustableClock } from "../runtime/adjustable-clock.ts";
import { MAX_TIMER_MS } from "../runtime/clock.ts";
import type { Ask } from "./own-calls.ts";
import { wholeNumber } from "./whole-number.ts";

/** Parts of a development chain that its methods change. */
export interface DevMiningDeps {
  readonly miner: Miner;
  readonly clock: AdjustableClock;
  /** Returns the newest block. */
  readonly head: () => Block;
  /** Calls the node's own methods. */
  readonly ask: Ask;
}

/** The longest time of a block, in seconds since the epoch: the last second that dates of JavaScript reach. */
const MAX_TIME = 8_640_000_000_000;
const MAX_INTERVAL_S = Math.floor(MAX_TIMER_MS / 1000);

/** The methods of block production and time. */
export function devMiningMethods(deps: DevMiningDeps): Method[] {
  return [...miningMethods(deps), ...modeMethods(deps), ...timeMethods(deps)];
}

function miningMethods(deps: DevMiningDeps): Method[] {
  return [
    method({
      name: "dev_mine",
      aliases: ["anvil_mine", "hardhat_mine"],
      summary:
        "Makes blocks, one by default, with `interval` seconds between their times; without one or with 0 they have the clock's times.",
      params: { blocks: optional(wholeNumber), interval: optional(wholeNumber) },
      result: boolean,
      handle: async ({ blocks = 1, interval }, context) => {
        await mineMany(deps, { blocks, interval }, context);
        return true;
      },
    }),
    method({
      name: "evm_mine",
      summary:
        "Makes a block. The argument is its time in seconds since the epoch, or `{timestamp?, blocks?}`. Returns `0x0`.",
      params: { options: optional(mineOptions) },
      result: numberQuantity,
      handle: async ({ options }, context) => {
        await mineAt(deps, options, context);
        return 0;
      },
    }),
    method({
      name: "dev_mineDetailed",
      aliases: ["evm_mine_detailed", "anvil_mine_detailed"],
      summary:
        "Makes blocks as `evm_mine` does, 100 at most, and returns them with whole transactions, each with its `output`, a reverted one also with its `revertReason`.",
      params: { options: optional(mineOptions) },
      result: plain<readonly object[]>("block[]", arraySchema(detailedBlockSchema)),
      handle: async ({ options }, context) => {
        const { blocks = 1 } = options ?? {};
        if (blocks > MAX_DETAILED)
          throw invalidParams(`${blocks} blocks are too many: at most ${MAX_DETAILED}`);
        const made = await mineAt(deps, options, context);
        return Promise.all(made.map((number) => detailedBlock(deps, number)));
      },
    }),
  ];
}

/** Blocks of one detailed answer. */
const MAX_DETAILED = 100;

/** A block with whole transactions, as `eth_getBlockByNumber` returns it. */
interface DetailedBlock {
  readonly transactions: readonly object[];
}

/** A trace of a whole transaction. */
interface TopCall {
  readonly result?: { readonly output?: string; readonly error?: string };
}

async function detailedBlock({ ask }: DevMiningDeps, number: number): Promise<object> {
  const at = toQuantity(number);
  const config = { tracer: "callTracer", tracerConfig: { onlyTopCall: true } };
  const block = (await ask("eth_getBlockByNumber", at, true)) as DetailedBlock;
  const traces = (await ask("debug_traceBlockByNumber", at, config)) as readonly TopCall[];
  const transactions = block.transactions.map((tx, i) => {
    const { output = "0x", error } = traces[i]?.result ?? {};
    const reason = error === undefined ? undefined : reasonOf(fromHex(output));
    return { ...tx, output, ...(reason === undefined ? {} : { revertReason: reason }) };
  });
  return { ...block, transactions };
}

/** Returns the reason in a revert's output in Anvil's words; undefined for none. */
function reasonOf(output: Uint8Array): string | undefined {
  const [selector, rest] = [output.subarray(0, 4), output.subarray(4)];
  if (selector.length < 4) return undefined;
  const unknown = `custom error 0x${bareHex(selector)}${rest.length === 0 ? "" : `: ${bareHex(rest)}`}`;
  return revertReason(output) ?? unknown;
}

/** Makes the blocks of `evm_mine` and returns their numbers. */
async function mineAt(
  deps: DevMiningDeps,
  { timestamp, blocks = 1 }: MineOptions = {},
  context: CallContext,
): Promise<readonly number[]> {
  if (timestamp !== undefined) setNextTime(deps, timestamp);
  return mineMany(deps, { blocks }, context);
}

interface MineOptions {
  readonly timestamp?: number | undefined;
  readonly blocks?: number | undefined;
}

const mineOptions: Codec<MineOptions> = {
  label: "number or {timestamp?, blocks?}",
  schema: {
    oneOf: [
      wholeNumber.schema,
      objectSchema("block", {
        timestamp: { schema: nullableSchema(wholeNumber.schema) },
        blocks: { schema: nullableSchema(wholeNumber.schema) },
      }),
    ],
  },
  decode(json) {
    if (typeof json !== "object" || json === null || Array.isArray(json) || plainValue(json) !== json)
      return { timestamp: wholeNumber.decode(json) };
    const { timestamp, blocks } = json as Readonly<Record<string, unknown>>; // an object of JSON
    return {
      timestamp: optional(wholeNumber).decode(timestamp),
      blocks: optional(wholeNumber).decode(blocks),
    };
  },
  encode: (value) => JSON.stringify(value),
};

/** Makes blocks until enough are there or the caller has gone, and returns their numbers. */
async function mineMany(
  { miner, head }: DevMiningDeps,
  { blocks, interval = 0 }: { readonly blocks: number; readonly interval?: number | undefined },
  { signal }: CallContext,
): Promise<readonly number[]> {
  const made: number[] = [];
  while (made.length < blocks && !signal.aborted) {
    if (interval > 0 && made.length > 0) miner.setNextTime(head().header.time + interval);
    const { header } = await miner.mine();
    made.push(header.number);
  }
  return made;
}

function modeMethods({ miner }: DevMiningDeps): Method[] {
  return [
    method({
      name: "evm_setAutomine",
      aliases: ["anvil_setAutoMine", "anvil_setAutomine", "dev_setAutomine"],
      summary: "Begins or ends making a block for each transaction.",
      params: { enabled: boolean },
      result: boolean,
      handle: async ({ enabled }) => {
        miner.setMode({ isAuto: enabled });
        await miner.idle(); // a block that is under way does not take a transaction that comes later
        return true;
      },
    }),
    method({
      name: "dev_getAutomine",
      aliases: ["anvil_getAutomine", "hardhat_getAutomine"],
      summary: "Returns true while a block is made for each transaction.",
      params: {},
      result: boolean,
      handle: () => miner.mode.isAuto,
    }),
    method({
      name: "evm_setIntervalMining",
      aliases: ["anvil_setIntervalMining", "dev_setIntervalMining"],
      summary:
        "Sets the seconds between two blocks, as Anvil; 0 ends it. Blocks for each transaction end with it, as there.",
      params: { seconds: wholeNumber },
      result: boolean,
      handle: ({ seconds }) => {
        if (seconds > MAX_INTERVAL_S)
          throw invalidParams(`an interval of ${seconds} seconds is too long: at most ${MAX_INTERVAL_S}`);
        const intervalMs = seconds === 0 ? undefined : seconds * 1000;
        miner.setMode({ intervalMs, ...(seconds === 0 ? {} : { isAuto: false }) });
        return true;
      },
    }),
    method({
      name: "dev_getIntervalMining",
      aliases: ["anvil_getIntervalMining"],
      summary: "Returns the seconds between two blocks, or null.",
      params: {},
      result: plain<number | null>("number or null", nullableSchema(plainSchemas.number)),
      handle: () => (miner.mode.intervalMs === undefined ? null : miner.mode.intervalMs / 1000),
    }),
  ];
}

function timeMethods(deps: DevMiningDeps): Method[] {
  const { miner, clock, head } = deps;
  return [
    method({
      name: "evm_increaseTime",
      aliases: ["anvil_increaseTime", "dev_increaseTime"],
      summary: "Moves the clock of the chain forward. Returns the seconds that it was moved in all.",
      params: { seconds: wholeNumber },
      result: plain<number>("number", { type: "integer" }),
      handle: ({ seconds }) => {
        checkTime(clock.now() / 1000 + seconds);
        clock.move(seconds * 1000);
        return Math.round(clock.offsetMs / 1000);
      },
    }),
    method({
      name: "evm_setNextBlockTimestamp",
      aliases: ["anvil_setNextBlockTimestamp", "dev_setNextBlockTimestamp"],
      summary: "Sets the time of the next block in seconds since the epoch. Later blocks go on from there.",
      params: { timestamp: wholeNumber },
      result: nothing,
      handle: ({ timestamp }) => {
        setNextTime(deps, timestamp);
        return undefined;
      },
    }),
    method({
      name: "evm_setTime",
      aliases: ["anvil_setTime", "dev_setTime"],
      summary:
        "Sets the clock of the chain in seconds since the epoch; one above 10^11 is in milliseconds. Returns the seconds that it was moved in all.",
      params: { timestamp: wholeNumber },
      result: plain<number>("number", { type: "integer" }),
      handle: ({ timestamp }) => {
        const seconds = timestamp > MAX_SECONDS_TEXT ? Math.floor(timestamp / 1000) : timestamp;
        checkTime(seconds);
        clock.set(seconds * 1000);
        return Math.round(clock.offsetMs / 1000);
      },
    }),
    method({
      name: "dev_setBlockTimestampInterval",
      aliases: ["anvil_setBlockTimestampInterval"],
      summary: "Sets the seconds from the time of one block to that of the next.",
      params: { seconds: wholeNumber },
      result: nothing,
      handle: ({ seconds }) => {
        if (seconds < 1) throw invalidParams("blocks are at least 1 second apart");
        checkTime(head().header.time + seconds);
        miner.setTimeStep(seconds);
        return undefined;
      },
    }),
    method({
      name: "dev_removeBlockTimestampInterval",
      aliases: ["anvil_removeBlockTimestampInterval"],
      summary: "Lets blocks have the clock's time again. Returns false when no interval was set.",
      params: {},
      result: boolean,
      handle: () => {
        const wasSet = miner.timeStep !== undefined;
        miner.setTimeStep(undefined);
        return wasSet;
      },
    }),
  ];
}

/** Times above this are in milliseconds, as some callers send them. */
const MAX_SECONDS_TEXT = 100_000_000_000;

function setNextTime({ miner, head }: DevMiningDeps, seconds: number): void {
  const { time } = head().header;
  if (seconds <= time)
    throw invalidParams(`Timestamp ${seconds} is lower than or equal to previous block's timestamp ${time}`);
  checkTime(seconds);
  miner.setNextTime(seconds);
}

function checkTime(seconds: number): void {
  if (seconds > MAX_TIME) throw invalidParams(`Timestamp ${seconds} is too large: at most ${MAX_TIME}`);
}
