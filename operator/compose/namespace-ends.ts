/**
 * Watches the namespaces of an operator that has rights in them alone. The namespace controller of Kubernetes deletes the
 * Role of such an operator in no order with the Nodes, whose finalizers nobody could remove then. It begins five seconds
 * after the request (`namespaceDeletionGracePeriod` in pkg/controller/namespace), in which the Nodes are released.
 */
import { keyOf } from "../api/resource.ts";
import type { KubeClient } from "../kube/client.ts";
import { isKubeError } from "../kube/error.ts";
import type { Log } from "../observe/log.ts";
import { messageOf } from "../observe/message-of.ts";
import type { ClusterCache } from "../reconcile/cluster-cache.ts";
import type { WorkQueue } from "../runtime/queue.ts";

/** Options of the watches. */
export interface NamespaceEndsOptions {
  readonly client: Pick<KubeClient, "watchNamespace">;
  /** Namespaces by name. */
  readonly watchNamespaces: readonly string[];
  readonly cache: Pick<ClusterCache, "list" | "recordEnding">;
  readonly nodeQueue: Pick<WorkQueue, "addUrgent">;
  readonly log: Log;
  /** Waits; rejects when the signal is aborted. */
  readonly pause: (milliseconds: number, signal: AbortSignal) => Promise<void>;
}

const FIRST_WAIT_MS = 500;
const MAX_WAIT_MS = 30_000;

/** Starts a watch of each namespace. Disposing the result ends them. */
export function watchNamespaceEnds(options: NamespaceEndsOptions): AsyncDisposable {
  const closing = new AbortController();
  const watches = options.watchNamespaces.map((namespace) => follow(namespace, options, closing.signal));
  return {
    async [Symbol.asyncDispose]() {
      closing.abort();
      await Promise.all(watches);
    },
  };
}

async function follow(namespace: string, options: NamespaceEndsOptions, signal: AbortSignal): Promise<void> {
  const { client, cache, log, pause } = options;
  let failures = 0;
  while (!signal.aborted) {
    try {
      for await (const event of client.watchNamespace(namespace, signal)) {
        failures = 0;
        takeEvent(namespace, event, options);
      }
    } catch (error) {
      if (signal.aborted) return;
      // The rights are gone, or are those of a later namespace of this name.
      if (isKubeError(error, "forbidden")) cache.recordEnding(namespace, false);
      log.debug({ namespace, error: messageOf(error) }, "watch of a namespace was interrupted");
    }
    await pause(Math.min(MAX_WAIT_MS, FIRST_WAIT_MS * 2 ** failures++), signal).catch(() => undefined);
  }
}

function takeEvent(namespace: string, event: unknown, { cache, nodeQueue }: NamespaceEndsOptions): void {
  const { type, object } = (event ?? {}) as {
    readonly type?: unknown;
    readonly object?: { readonly metadata?: { readonly deletionTimestamp?: unknown } };
  };
  if (type !== "ADDED" && type !== "MODIFIED" && type !== "DELETED") return;
  const isEnding = type !== "DELETED" && object?.metadata?.deletionTimestamp !== undefined;
  cache.recordEnding(namespace, isEnding);
  if (!isEnding) return;
  for (const { meta } of cache.list("node", namespace)) nodeQueue.addUrgent(keyOf(meta));
}
