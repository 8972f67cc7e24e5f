/**
 * Back by blocks on a development chain: a rollback, and a reorganization, which makes as many other blocks in the place
 * of those that it takes back. Blocks of Kaia are final, so what follows a chain meets this on a development chain alone.
 */
import { messageOf } from "../bytes/message-of.ts";
import { ethArgs } from "../calls/arguments/transaction-args.ts";
import type { Chain } from "../chain/chain.ts";
import type { Miner } from "../consensus/miner.ts";
import { type Codec, CodecError, optional } from "../jsonrpc/codec.ts";
import { data } from "../jsonrpc/codecs/hex.ts";
import { nothing } from "../jsonrpc/codecs/plain.ts";
import { invalidParams } from "../jsonrpc/errors.ts";
import { plainValue } from "../jsonrpc/json-text.ts";
import { type Method, method } from "../jsonrpc/method.ts";
import { arraySchema, tupleSchema } from "../jsonrpc/schemas.ts";
import type { AdjustableClock } from "../runtime/adjustable-clock.ts";
import type { GoBack } from "./dev-snapshots.ts";
import type { DevStateDeps } from "./dev-state.ts";
import type { Ask } from "./own-calls.ts";
import { wholeNumber } from "./whole-number.ts";

/** Parts of a development chain that these methods change. */
export interface DevReorgDeps extends Pick<DevStateDeps, "edits"> {
  readonly chain: Pick<Chain, "head" | "block">;
  readonly clock: AdjustableClock;
  readonly goBack: GoBack;
  readonly miner: Miner;
  /** Calls the node's own methods, on a fork with what they read. */
  readonly ask: Ask;
}

/** Blocks of one reorganization. */
const MAX_DEPTH = 10_000;

/** The methods that take back blocks. */
export function devReorgMethods(deps: DevReorgDeps): Method[] {
  return [
    method({
      name: "dev_rollback",
      aliases: ["anvil_rollback"],
      summary: "Takes the chain back by a number of blocks, one by default; clock and earlier edits stay.",
      params: { depth: optional(wholeNumber) },
      result: nothing,
      handle: async ({ depth = 1 }) => {
        checkDepth(deps, "Rollback", depth);
        await rollBack(deps, depth);
        return undefined;
      },
    }),
    method({
      name: "dev_reorg",
      aliases: ["anvil_reorg"],
      summary:
        "Makes other blocks in the place of the newest `depth`. `transactions` are pairs of a raw transaction or a transaction object and the index of its block, from 0; other blocks are empty.",
      params: { depth: wholeNumber, transactions: pairs },
      result: nothing,
      handle: async ({ depth, transactions }) => {
        checkDepth(deps, "Reorg", depth);
        const late = transactions.find(({ block }) => block >= depth);
        if (late !== undefined)
          throw invalidParams(
            `Block number for reorg tx will exceed the reorged chain height. Block number ${late.block} must not exceed (depth-1) ${depth - 1}`,
          );
        await reorganize(deps, depth, transactions);
        return undefined;
      },
    }),
  ];
}

function checkDepth({ chain }: DevReorgDeps, what: string, depth: number): void {
  const height = chain.head().header.number;
  if (depth > height)
    throw invalidParams(
      `${what} depth must not exceed current chain height: current height ${height}, depth ${depth}`,
    );
  if (depth > MAX_DEPTH) throw invalidParams(`a depth of ${depth} is too large: at most ${MAX_DEPTH}`);
}

async function rollBack({ chain, clock, edits, goBack }: DevReorgDeps, depth: number): Promise<void> {
  const number = chain.head().header.number - depth;
  const time = chain.block(number)?.header.time ?? 0;
  const { offsetMs } = clock;
  await goBack({ number, edits: edits.count, offsetMs, timeMs: time * 1000 });
  edits.forgetAfter(number);
}

/** A transaction of a reorganization, with the index of its block. */
interface Pair {
  /** Raw as hex, or an object of `eth_sendTransaction`. */
  readonly transaction: string | object;
  readonly block: number;
}

/** The new blocks follow the old ones in time, so that none of them is the same again. */
async function reorganize(deps: DevReorgDeps, depth: number, wanted: readonly Pair[]): Promise<void> {
  const { chain, miner } = deps;
  const { time } = chain.head().header;
  const { isAuto, intervalMs } = miner.mode;
  miner.setMode({ isAuto: false, intervalMs: undefined });
  const refusals: string[] = [];
  try {
    await rollBack(deps, depth);
    if (depth > 0) miner.setNextTime(time + 1);
    for (let index = 0; index < depth; index++) {
      for (const { transaction } of wanted.filter(({ block }) => block === index))
        await submit(deps, transaction).catch((error: unknown) =>
          refusals.push(`block ${index}: ${messageOf(error)}`),
        );
      await miner.mine();
    }
  } finally {
    miner.setMode({ isAuto, intervalMs });
  }
  const [first] = refusals;
  if (first !== undefined) throw invalidParams(`a transaction is in no block: ${first}`);
}

async function submit({ ask }: DevReorgDeps, transaction: string | object): Promise<void> {
  if (typeof transaction === "string") await ask("eth_sendRawTransaction", transaction);
  else await ask("eth_sendTransaction", { from: await firstAccount(ask), ...transaction });
}

async function firstAccount(ask: Ask): Promise<string | undefined> {
  const [first] = (await ask("eth_accounts")) as readonly string[];
  return first;
}

const pairs: Codec<readonly Pair[]> = {
  label: "[transaction, block][]",
  schema: arraySchema(tupleSchema({ oneOf: [data.schema, ethArgs.schema] }, wholeNumber.schema)),
  decode(json) {
    if (!Array.isArray(json)) throw new CodecError("want pairs of a transaction and the index of its block");
    return json.map(pairIn);
  },
  encode: (value) => JSON.stringify(value),
};

function pairIn(json: unknown): Pair {
  const [transaction, block] = Array.isArray(json) && json.length === 2 ? (json as readonly unknown[]) : [];
  const given = plainValue(transaction);
  if (typeof given !== "string" && (typeof given !== "object" || given === null))
    throw new CodecError("want pairs of a transaction and the index of its block");
  return { transaction: given, block: wholeNumber.decode(block) };
}
