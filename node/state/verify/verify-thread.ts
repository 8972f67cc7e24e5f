/** A thread of `verify-threads.ts`: opens the databases beside their owner and verifies parts until none is left. */
import { type MessagePort, parentPort, workerData } from "node:worker_threads";
import { openLevelReader } from "../../store/level-store.ts";
import { TRIE_STORE } from "../trie/generations.ts";
import { verifyPart } from "./accounts-part.ts";
import { STOPPED, type VerifyNews, type VerifyThreadData, verifyFault } from "./verify-threads.ts";

async function verifyParts(port: MessagePort): Promise<void> {
  const { directories, parts, next } = workerData as VerifyThreadData; // what verify-threads.ts gives
  await using chainReader = await openLevelReader(directories.chain);
  await using trieReader = await openLevelReader(directories.trie, TRIE_STORE);
  using chain = chainReader.snapshot();
  using trie = trieReader.snapshot();
  const post = (news: VerifyNews): void => port.postMessage(news);
  const progress = (accounts: number): void => {
    post({ kind: "accounts", accounts });
    if (Atomics.load(next, 0) >= STOPPED) throw new Error("the verification has ended");
  };
  for (;;) {
    const part = parts[Atomics.add(next, 0, 1)];
    if (part === undefined) return;
    post({ kind: "counts", counts: await verifyPart({ chain, trie }, part, progress) });
  }
}

if (parentPort !== null) {
  const port = parentPort;
  await verifyParts(port).catch((error: unknown) =>
    port.postMessage({ kind: "failed", fault: verifyFault(error) } satisfies VerifyNews),
  );
  port.close();
}
