/** Blocks that the node made while it was attacked, by their own times. */
import { toQuantity } from "../../node/bytes/integer.ts";
import { ask, askMany } from "../rpc/ask.ts";

/** Intervals of the blocks that the node made. */
export interface BlockFigures {
  readonly blocks: number;
  /** Whole seconds of the attack without a block. */
  readonly secondsWithout: number;
}

interface Header {
  readonly number: string;
  readonly timestamp: string;
}

/** The newest block. */
export async function newestBlock(url: string): Promise<number> {
  return Number(await ask<string>(url, "eth_blockNumber", []));
}

/** The blocks after `first`, up to the newest one. */
export async function blockFigures(url: string, first: number): Promise<BlockFigures> {
  const last = await newestBlock(url);
  const numbers = Array.from({ length: last - first + 1 }, (_, i) => [toQuantity(first + i), false] as const);
  const headers = await askMany<Header>(url, "eth_getBlockByNumber", numbers);
  const times = headers.map((header) => Number(header?.timestamp));
  const seconds = Math.max(...times) - Math.min(...times);
  return { blocks: last - first, secondsWithout: seconds + 1 - new Set(times).size };
}
