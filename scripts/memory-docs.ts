/** Writes docs/memory.md from the table of parts: `node scripts/memory-docs.ts`. */
import { writeFileSync } from "node:fs";
import { type MemoryShares, MIN_MEMORY_BYTES, memoryParts, planMemory } from "../node/compose/memory-plan.ts";

/** Path of the page. */
export const MEMORY_DOCS = "docs/memory.md";

const MIB = 2 ** 20;
const LIMITS = [512 * MIB, 2048 * MIB, undefined];

const INTRODUCTION = `# Memory

<!-- Written by scripts/memory-docs.ts from the table of parts. Do not edit. -->

\`--max-memory SIZE\` (\`512MiB\`, \`2GB\`) limits the memory of a node. The default is the limit of the container less a tenth, which the kernel counts beside the process; \`--max-memory 0\` disables the limit. The minimum is ${MIN_MEMORY_BYTES / 1e6} MB: a lower limit is refused, and a smaller container causes a warning.

The program itself takes about 96 MiB. The rest is divided into parts that fit even if all are full. A part with its own flag (\`--state.trie-cache-limit\`, \`--db.leveldb.cache-size\`, \`--rpc.max-answer-bytes\`) has that size, and the others share the remainder.
`;

const BEHAVIOUR = `
Parts marked with * are on the heap of the main thread, as are blocks, transactions and calls.

The node measures its own memory five times a second. Pages of files do not count, because the system frees them when it needs them.

- From 80 percent of the limit on, the node drops clean trie nodes, ends idle threads and collects garbage, every five seconds.
- From 90 percent on, methods that run in reader threads (calls of contracts, logs, traces, dumps, proofs) are refused with code -32005 until less than 85 percent is used, and the transaction pool does not grow. Blocks and methods that read a few rows continue. While this lasts, the connection whose calls hold the most memory is closed five times a second.
- The same shares hold for the heap of the main thread: it can be full while the process is far below its limit.
- A message under way is charged to its connection with the objects that its brackets and commas make. A batch above 64 KiB is charged before it begins, a shorter one when it has to wait. The entries of a long batch of many small values are read one at a time. Without room a batch is refused with -32005. Refusals within a batch end after 256 KiB with one error without an id. A long response, such as the receipts of a block, is charged to its connection while it is written: when there is no room it is refused with -32005, or a connection of the address with the most is closed for one with less. It is refused with -32003 as soon as it is longer than a response may be.
- A call that fills the heap of its reader thread is refused with -32005 and ends only that thread. The remainder of a batch is refused when unsent responses fill half of their part. When they fill all of it, the connection with the most unsent bytes is closed.
- A subscription counts with its measured cost, a filter with each of its values. Filters are charged to the address that installed them: when their part is full, the address with the most loses its filters for one with less, and is refused further ones. The subscriptions of one connection can fill half of their part. When the part is full, a connection with more than twice an equal share is closed in favour of those with less. After that, further subscriptions are refused except the first few of a connection. An event for many subscribers is encoded once and delivered in slices. When waiting events fill their part, the connections with the most subscriptions are closed.
- Messages from and to peers share one part: unhandled messages, incomplete frames and unsent bytes. A message that waits for many peers counts once. When half of the part is used, the node reads one message at a time from each peer. When it is full, the peer with the most bytes, weighted by the time since it last read, is disconnected (\`knit_p2p_waiting_bytes\`, \`knit_p2p_memory_exceeded_total\`).
- Incomplete requests count with the memory that they use, whatever the size of their pieces: half of the part is for HTTP, half for WebSocket. When it is full, the largest holder is refused (503, close code 1008).

The metrics \`knit_memory_*\` in [metrics.md](metrics.md) report the limit, the use, the releases and whether calls are refused. [benchmarks.md](benchmarks.md) has measurements under floods.

On Linux and macOS the program restarts itself in the same process with the limit of the heap, unless it was started with \`--max-old-space-size\`. The memory of standard key files (scrypt, 256 MiB for a second during an unlock) is not included; \`--lightkdf\` writes key files that need 4 MiB.
`;

/** The whole page. */
export function memoryDocs(): string {
  const shares = LIMITS.map(sharesAt);
  const rows = Object.entries(memoryParts).map(([name, row]) => {
    const sizes = shares.map((each) => sizeText(each[name as keyof MemoryShares])); // names of the table
    return `| ${row.holds}${"onHeap" in row ? " *" : ""} | ${sizes.join(" | ")} |`;
  });
  const head = "| part | of 512 MiB | of 2 GiB | without a limit |\n|---|---|---|---|\n";
  return `${INTRODUCTION}\n${head}${rows.join("\n")}\n${BEHAVIOUR}`;
}

function sharesAt(limit: number | undefined): MemoryShares {
  const plan = planMemory(limit, {});
  if ("limit" in plan) return plan.shares;
  throw new Error(`${limit} bytes are too few`);
}

function sizeText(bytes: number | undefined): string {
  return bytes === undefined ? "the engine's choice" : `${Math.round(bytes / MIB)} MiB`;
}

if (import.meta.main) writeFileSync(new URL(`../${MEMORY_DOCS}`, import.meta.url), memoryDocs());
