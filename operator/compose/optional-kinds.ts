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

/** Maximum wait for the first list of a kind, which may be refused for as long as the operator runs. */
const PATIENCE_MS = 5_000;

/** Informers whose first lists are not complete. */
type Opening = Map<OptionalKind, Reflector>;

/**
 * Runs discovery once, then every `intervalMs`. Disposing the result ends discovery and the remaining
 * informers.
 */
export async function watchOptionalKinds(options: OptionalKindsOptions): Promise<AsyncDisposable> {
  const opening: Opening = new Map();
  let discovery = discoverAll(options, opening);
  await discovery;
  const timer = setInterval(() => {
    discovery = discovery.then(() => discoverAll(options, opening));
  }, options.intervalMs);
  return {
    async [Symbol.asyncDispose]() {
      clearInterval(timer);
      await discovery;
      for (const kind of optionalKinds) await close(kind, options, opening);
    },
  };
}

async function discoverAll(options: OptionalKindsOptions, opening: Opening): Promise<void> {
  for (const kind of optionalKinds) {
    await discover(kind, options, opening).catch((error: unknown) => {
      options.log.warn({ kind, error: messageOf(error) }, "kind cannot be discovered");
    });
  }
}

async function discover(kind: OptionalKind, options: OptionalKindsOptions, opening: Opening): Promise<void> {
  const { client, cache, open, onServed, log } = options;
  const served = await client.serves(kinds[kind]);
  if (served === (cache.serves(kind) || opening.has(kind))) return;
  log.info({ kind, served }, "kind appeared or disappeared");
  if (!served) return close(kind, options, opening);
  const informer = open(kind);
  opening.set(kind, informer);
  const follow = (): void => {
    if (opening.get(kind) !== informer) return;
    opening.delete(kind);
    cache.addInformer(kind, informer);
    onServed();
  };
  await within(informer.synced.then(follow), PATIENCE_MS);
}

async function close(kind: OptionalKind, { cache }: OptionalKindsOptions, opening: Opening): Promise<void> {
  const informer = opening.get(kind) ?? cache.removeInformer(kind);
  opening.delete(kind);
  await informer?.[Symbol.asyncDispose]();
}

/** Resolves with the promise, or at the time limit. */
async function within(promise: Promise<void>, milliseconds: number): Promise<void> {
  const { promise: limit, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, milliseconds);
  await Promise.race([promise, limit]);
  clearTimeout(timer);
}
