/** Writes docs/memory.md from the table of parts: `node scripts/memory-docs.ts`. */
import { writeFileSync } from "node:fs";
import { type MemoryShares, MIN_MEMORY_BYTES, memoryParts, planMemory } from "../node/config/memory-plan.ts";

/** Where the page is. */
export const MEMORY_DOCS = "docs/memory.md";

const MIB = 2 ** 20;
const LIMITS = [512 * MIB, 2048 * MIB, undefined];

const INTRODUCTION = `# Memory

<!-- Written by scripts/memory-docs.ts from the table of parts. Do not edit. -->

\`--max-memory SIZE\` (\`512MiB\`, \`2GB\`) is the most that a node takes. Without it a container's limit holds, less a tenth for what the kernel counts there beside the process; \`--max-memory 0\` is no limit. It needs ${MIN_MEMORY_BYTES / MIB} MiB: a lower limit is refused, a smaller container is warned of.

The program itself takes about 96 MiB. The rest is shared out so that all parts full at once still fit; a part with a flag of its own (\`--state.trie-cache-limit\`, \`--db.leveldb.cache-size\`, \`--rpc.max-answer-bytes\`) has what that says, and the others share what it leaves.
`;

const BEHAVIOUR = `
Those marked with * lie on the heap of the main thread, as blocks, transactions and calls do.

How much the process takes is looked at five times a second: its own memory, without pages of files, which the system takes back by itself when it needs them.

- From 80 percent of the limit on, the clean trie nodes and threads that have nothing to do are let go of and garbage is collected, every five seconds while it stays so.
- From 90 percent on, methods that run in reader threads (calls of contracts, logs, traces, dumps) are refused with code -32005 until less than 85 percent is taken, and the transaction pool does not grow. Blocks and everything that reads a few rows go on.
- A call that fills its reader's heap is refused with -32005 and takes down nothing but its thread. So is the rest of a batch while answers that nobody has taken fill half of their part. When they fill all of it, whoever holds most is disconnected.
- A subscription counts for its measured cost, and a filter for each of its values. Subscriptions of one connection fill half of their part at most. When there is no room, a connection that holds more than twice an equal share is disconnected for those that hold less; then further subscriptions are refused, but for the first few of a connection. An event for many subscribers is written once and delivered in slices; when the events that wait fill their part, the connections with the most subscriptions are disconnected.
- Messages from and to peers count in one part, too: what their protocols have not handled, frames that are not whole, what peers have not taken. A message that waits for many peers counts once. From half of it on each peer is read one message at a time; when it is full, the peer that holds most, weighted with how long it has taken nothing, is disconnected (\`knit_p2p_waiting_bytes\`, \`knit_p2p_memory_exceeded_total\`).
- Requests that are not whole count with the memory that they take, whatever pieces they come in: half of their part is for HTTP, half for WebSocket. When it is full, whoever holds most is refused (503, close code 1008).

\`knit_memory_*\` in [metrics.md](metrics.md) tell the limit, what is taken, sheddings and whether calls are refused. What was measured under floods is in [benchmarks.md](benchmarks.md).

On Linux and macOS the program begins anew with the heap's limit, in the same process; who started it with \`--max-old-space-size\` of their own keeps that. Memory of a standard key file (scrypt, 256 MiB for a second while one is unlocked) comes on top: \`--lightkdf\` writes key files that need 4 MiB.
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
