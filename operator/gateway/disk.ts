/** Free space of the data volume, as the file system reports it. */
import { statfs } from "node:fs/promises";
import type { DiskUsage } from "../control/answers.ts";

/** Measures the file system of `directory`. Rejects with the error of the file system. */
export async function diskUsage(directory: string): Promise<DiskUsage> {
  const { blocks, bavail, bsize } = await statfs(directory);
  return { sizeBytes: blocks * bsize, freeBytes: bavail * bsize };
}
