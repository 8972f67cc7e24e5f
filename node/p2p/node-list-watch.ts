/**
 * A node list that is read again whenever its file has changed, for lists that are mounted and replaced while the node
 * runs. Comes in: a path. Goes out: the nodes of its newest readable version.
 */
import { stat } from "node:fs/promises";
import { setTimeout } from "node:timers/promises";
import { messageOf } from "../bytes/message-of.ts";
import type { Log } from "../observe/log.ts";
import { readNodeList } from "./node-list.ts";
import type { NodeUrl } from "./node-url.ts";

/** Options of a watch. */
export interface NodeListWatchOptions {
  readonly path: string;
  readonly log: Log;
  /** Milliseconds between two looks at the file; 5,000 by default. */
  readonly pollMs?: number | undefined;
}

/** A node list that is followed. Disposing it ends the watch. */
export interface NodeListWatch extends AsyncDisposable {
  readonly nodes: readonly NodeUrl[];
  /** Sets the function that receives each later list. */
  onChange(listener: (nodes: readonly NodeUrl[]) => void): void;
}

const POLL_MS = 5_000;

/**
 * Reads the list and begins to follow it. Rejects as `readNodeList` does. A later version that cannot be read is logged
 * once and changes nothing; a file that is deleted is an empty list.
 */
export async function openNodeListWatch(options: NodeListWatchOptions): Promise<NodeListWatch> {
  const { path, log } = options;
  const closing = new AbortController();
  let version = await versionOf(path); // before the text, so that a change between the two is seen
  let nodes = await readNodeList(path, log);
  let listener: ((nodes: readonly NodeUrl[]) => void) | undefined;
  const look = async (): Promise<void> => {
    const found = await versionOf(path);
    if (found === version) return;
    version = found;
    try {
      nodes = await readNodeList(path, log);
    } catch (error) {
      log.error({ path, error: messageOf(error) }, "kept the static nodes: their new list is unreadable");
      return;
    }
    log.info({ path, nodes: nodes.length }, "read changed static nodes");
    listener?.(nodes);
  };
  const watching = pollUntil(closing.signal, options.pollMs ?? POLL_MS, look);
  return {
    get nodes() {
      return nodes;
    },
    onChange: (next) => (listener = next),
    async [Symbol.asyncDispose]() {
      closing.abort();
      await watching;
    },
  };
}

async function pollUntil(signal: AbortSignal, everyMs: number, look: () => Promise<void>): Promise<void> {
  const rest = (): Promise<boolean> => setTimeout(everyMs, true, { signal, ref: false }).catch(() => false); // only an abort rejects
  while (await rest()) await look();
}

/** Returns a text that differs between versions of a file. A mounted ConfigMap changes its inode at least. */
async function versionOf(path: string): Promise<string> {
  const facts = await stat(path, { bigint: true }).catch((error: NodeJS.ErrnoException) => error.code);
  if (typeof facts !== "object") return facts ?? "unknown";
  return [facts.dev, facts.ino, facts.size, facts.mtimeNs, facts.ctimeNs].join(" ");
}
