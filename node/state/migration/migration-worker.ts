/** The thread of `migration-run.ts`: opens the databases beside their owner, copies, closes them, tells how it went. */
import { parentPort, workerData } from "node:worker_threads";
import { messageOf } from "../../bytes/message-of.ts";
import { openLevelReader, openLevelStore } from "../../store/level-store.ts";
import { TRIE_STORE } from "../trie/generations.ts";
import { copyGeneration } from "./migration-copy.ts";
import type { MigrationMessage, MigrationWorkerData } from "./migration-run.ts";

/** A chain that takes in one block after another is not waited for longer than this before each batch. */
const MAX_REST_MS = 50;

async function copy(signal: AbortSignal, tell: (news: MigrationMessage) => void): Promise<void> {
  const directories = workerData as MigrationWorkerData; // what migration-run.ts gives
  await using chain = await openLevelReader(directories.chain);
  await using from = await openLevelReader(directories.from, TRIE_STORE);
  // rows come in order, so a small buffer leaves as few files
  await using to = await openLevelStore(directories.to, { ...TRIE_STORE, writeBufferBytes: 4 * 1024 * 1024 });
  await copyGeneration({
    chain,
    from,
    to,
    signal,
    rest: () => void Atomics.wait(directories.way, 0, 1, MAX_REST_MS),
    report: (counts) => tell({ kind: "counts", counts }),
  });
}

if (parentPort !== null) {
  const port = parentPort;
  const closing = new AbortController();
  port.on("message", () => closing.abort());
  const tell = (news: MigrationMessage): void => port.postMessage(news);
  try {
    await copy(closing.signal, tell);
    tell({ kind: "done" });
  } catch (error) {
    tell({ kind: "failed", message: messageOf(error) });
  }
  port.close();
}
