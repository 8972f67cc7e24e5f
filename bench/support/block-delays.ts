/** The delays of a node's blocks: milliseconds from the time in a block until the node shows it. */
import { setTimeout } from "node:timers/promises";
import { ask } from "../rpc/ask.ts";
import { quantile } from "./figures.ts";

/** Interval of the questions for the newest block when one is due, and before: they take time from the node. */
const LOOK_MS = { due: 10, before: 100 };
const BLOCK_SECONDS = 1;

/** Delays of blocks in milliseconds, and the longest time between two of them by their own clock. */
export interface BlockDelays {
  readonly blocks: number;
  readonly p50: number | undefined;
  readonly p99: number | undefined;
  readonly max: number | undefined;
  readonly longestSeconds: number;
}

/** Measures the blocks that appear while `wanted` resolves to true. */
export async function delaysWhile(url: string, wanted: () => Promise<boolean>): Promise<BlockDelays> {
  const late: number[] = [];
  const times: number[] = [];
  const rest = (): number => ((times.at(-1) ?? 0) + BLOCK_SECONDS) * 1000 - Date.now();
  const look = () => setTimeout(Math.min(LOOK_MS.before, Math.max(LOOK_MS.due, rest())));
  for (let newest = await newestBlock(url); await wanted(); await look()) {
    const number = await newestBlock(url);
    const seen = Date.now();
    while (newest < number) {
      const time = await timeOf(url, ++newest);
      times.push(time);
      late.push(seen - time * 1000);
    }
  }
  const at = (part: number): number | undefined => (late.length === 0 ? undefined : quantile(late, part));
  const gaps = times.map((time, i) => time - (times[i - 1] ?? time));
  return {
    blocks: late.length,
    p50: at(0.5),
    p99: at(0.99),
    max: at(1),
    longestSeconds: Math.max(0, ...gaps),
  };
}

/** Measures the blocks of so many milliseconds. */
export function delaysFor(url: string, ms: number): Promise<BlockDelays> {
  const end = performance.now() + ms;
  return delaysWhile(url, async () => performance.now() < end);
}

async function newestBlock(url: string): Promise<number> {
  return Number(await ask<string>(url, "eth_blockNumber", []));
}

async function timeOf(url: string, number: number): Promise<number> {
  const params = [`0x${number.toString(16)}`, false];
  return Number((await ask<{ timestamp: string }>(url, "eth_getBlockByNumber", params)).timestamp);
}
