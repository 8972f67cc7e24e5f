/** Informers of kinds that a cluster may not serve: discovered periodically, and run while the kind is served. */
import type { KubeClient } from "../kube/client.ts";
import type { Reflector } from "../kube/reflector.ts";
import { kinds } from "../kube/resources.ts";
import type { Log } from "../observe/log.ts";
import { messageOf } from "../observe/message-of.ts";
import { type ClusterCache, type OptionalKind, optionalKinds } from "../reconcile/cluster-cache.ts";

/** Options of the discovery. */
export interface OptionalKindsOptions {
  readonly client: Pick<KubeClient, "serves">;
  readonly cache: Pick<ClusterCache, "serves" | "addInformer" | "removeInformer">;
  /** Starts the informer of a kind. */
  readonly open: (kind: OptionalKind) => Reflector;
  /** Called after an informer's first list. */
  readonly onServed: () => void;
  readonly intervalMs: number;
  readonly log: Log;
}

/**
 * Runs discovery once, then every `intervalMs`. Disposing the result ends discovery and the remaining
 * informers.
 */
export async function watchOptionalKinds(options: OptionalKindsOptions): Promise<AsyncDisposable> {
  let discovery = discoverAll(options);
  await discovery;
  const timer = setInterval(() => {
    discovery = discovery.then(() => discoverAll(options));
  }, options.intervalMs);
  return {
    async [Symbol.asyncDispose]() {
      clearInterval(timer);
      await discovery;
      for (const kind of optionalKinds) await options.cache.removeInformer(kind)?.[Symbol.asyncDispose]();
    },
  };
}

async function discoverAll(options: OptionalKindsOptions): Promise<void> {
  for (const kind of optionalKinds) {
    await discover(kind, options).catch((error: unknown) => {
      options.log.warn({ kind, error: messageOf(error) }, "kind cannot be discovered");
    });
  }
}

async function discover(
  kind: OptionalKind,
  { client, cache, open, onServed, log }: OptionalKindsOptions,
): Promise<void> {
  const served = await client.serves(kinds[kind]);
  if (served === cache.serves(kind)) return;
  log.info({ kind, served }, "kind appeared or disappeared");
  if (!served) {
    await cache.removeInformer(kind)?.[Symbol.asyncDispose]();
    return;
  }
  const informer = open(kind);
  await informer.synced;
  cache.addInformer(kind, informer);
  onServed();
}
