/** The engine's heap: how it grows, and the limit for that of the main thread, which counts from the start of the process on. */
import { getHeapStatistics, setFlagsFromString } from "node:v8";

/**
 * Left alone the engine takes 128 MB for young objects and lets the rest grow to four times what is in use: an import
 * took 540 MB. With this the space for young objects stays as it is (an import enlarges it, `young-space.ts`) and the
 * rest grows to little more than twice what is in use.
 */
const GROWTH_FLAGS = ["--semi-space-growth-factor=1", "--heap-growing-percent=120"];

const CHOSEN = /--max[-_](old[-_]space|heap)[-_]size/;
/**
 * Few arenas, and large blocks given back at once: what is freed shall not stay with the process. With two arenas threads
 * wait for each other: an import takes an eighth longer.
 */
const ALLOCATOR = { MALLOC_ARENA_MAX: "4", MALLOC_MMAP_THRESHOLD_: "131072" };

/** Lets the heap of every thread of this process grow slowly, from now on. */
export function limitHeapGrowth(): void {
  for (const flag of GROWTH_FLAGS) setFlagsFromString(flag);
}

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
