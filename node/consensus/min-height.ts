/** Minimum height of a validator: the block that its chain must have before it signs, from a flag and from a file. */

import { readBoundedText } from "../runtime/bounded-file.ts";
import { ConsensusError } from "./error.ts";

/** Maximum bytes of the file: one number. */
const MAX_BYTES = 1024;

/** Sources of the minimum height. */
export interface MinHeightOptions {
  readonly minHeight: number;
  /** File with a block number in decimal digits. */
  readonly minHeightFile: string | undefined;
}

/**
 * Returns the larger of both heights. A missing file sets none. Rejects with `ConsensusError` `min-height` for a file
 * that is unreadable or no block number, since signing too early cannot be undone.
 */
export async function readMinHeight({ minHeight, minHeightFile }: MinHeightOptions): Promise<number> {
  if (minHeightFile === undefined || minHeightFile === "") return minHeight;
  const text = await readBoundedText(minHeightFile, MAX_BYTES).catch((cause: NodeJS.ErrnoException) => {
    if (cause.code === "ENOENT") return "0";
    throw new ConsensusError("min-height", `cannot read ${minHeightFile}: ${cause.message}`, { cause });
  });
  const digits = text.trim();
  if (/^\d{1,15}$/.test(digits)) return Math.max(minHeight, Number(digits));
  throw new ConsensusError("min-height", `${minHeightFile} is not a block number`);
}
