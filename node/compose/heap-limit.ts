/** The engine's limit for the main thread's heap, which counts from the start of the process on. */
import { getHeapStatistics } from "node:v8";

const CHOSEN = /--max[-_](old[-_]space|heap)[-_]size/;
/**
 * Few arenas, and large blocks given back at once: what is freed shall not stay with the process. With two arenas threads
 * wait for each other: an import takes an eighth longer.
 */
const ALLOCATOR = { MALLOC_ARENA_MAX: "4", MALLOC_MMAP_THRESHOLD_: "131072" };

/**
 * Restarts this process, as the same one to everybody else, with at most so many bytes of heap. Does nothing where
 * the limit is as low already, was chosen by who started the process, or the system cannot do it.
 */
export function limitHeap(bytes: number | undefined): void {
  const { execArgv, execPath, argv, env } = process;
  if (bytes === undefined || getHeapStatistics().heap_size_limit <= bytes) return;
  if (CHOSEN.test(`${execArgv.join(" ")} ${env["NODE_OPTIONS"] ?? ""}`)) return;
  if (process.platform === "win32") return;
  const flags = [...execArgv, `--max-old-space-size=${Math.floor(bytes / 2 ** 20)}`];
  process.execve?.(execPath, [execPath, ...flags, ...argv.slice(1)], { ...ALLOCATOR, ...env });
}
