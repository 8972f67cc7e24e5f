/** Room on the volume with the chain, as the file system has it. */
import { statfs } from "node:fs/promises";
import type { DiskUsage } from "../control/answers.ts";

/** Looks at the file system of `directory`. Rejects as the file system does. */
export async function diskUsage(directory: string): Promise<DiskUsage> {
  const { blocks, bavail, bsize } = await statfs(directory);
  return { sizeBytes: blocks * bsize, freeBytes: bavail * bsize };
}
