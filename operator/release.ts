/**
 * Takes the operator's finalizer from all Nodes, for the time after the operator: without it nobody would, and no Node
 * could be deleted. It is done while the Lease is held, so that no operator puts it back.
 */
import { keyOf, type ObjectMeta, readMeta } from "./api/resource.ts";
import { loadAccess } from "./kube/access.ts";
import type { KubeClient } from "./kube/client.ts";
import { isRace, KubeError } from "./kube/error.ts";
import { kinds } from "./kube/resources.ts";
import { type LeadingOptions, openLeading } from "./leading.ts";
import { systemClock } from "./observe/clock.ts";
import { messageOf } from "./observe/message-of.ts";
import { isHeld, letGo } from "./reconcile/finalizer.ts";

/** What is released, and with what. */
export interface ReleaseOptions extends Omit<LeadingOptions, "access" | "sent"> {
  /** Undefined: Nodes of all namespaces. */
  readonly watchNamespace: string | undefined;
}

/** An operator that ends orderly gives the Lease back within seconds, another's is over after twenty. */
const LEASE_WAIT_MS = 120_000;
/** What others change meanwhile is tried again, so many times in all. */
const ROUNDS = 5;

/** Waits for the Lease and releases all Nodes. Throws `KubeError`. */
export async function release(options: ReleaseOptions, shutdown: AbortSignal): Promise<void> {
  const access = await loadAccess(() => systemClock.now());
  const patience = AbortSignal.timeout(LEASE_WAIT_MS);
  const waiting = AbortSignal.any([shutdown, patience]);
  await using leading = await openLeading({ ...options, access }, waiting).catch((error: unknown) => {
    if (!patience.aborted) throw error;
    throw new KubeError("conflict", "an operator is at work and would take the Nodes again; stop it first");
  });
  const { client } = leading;
  options.log.info({ nodes: await releaseNodes({ ...options, client }, shutdown) }, "nodes released");
}

/** Gives how many Nodes were released: none when all of them are already. */
export async function releaseNodes(
  options: Pick<ReleaseOptions, "watchNamespace" | "log"> & {
    readonly client: Pick<KubeClient, "page" | "merge">;
  },
  signal: AbortSignal,
): Promise<number> {
  const released = new Set<string>();
  for (let round = 0; ; round++) {
    const held = await heldNodes(options, signal);
    if (held.length === 0) return released.size;
    if (round === ROUNDS) throw new KubeError("conflict", "Nodes changed all the time; try again");
    for (const meta of held) if (await tryRelease(options, meta)) released.add(meta.uid);
  }
}

async function heldNodes(
  { client, watchNamespace: namespace }: Parameters<typeof releaseNodes>[0],
  signal: AbortSignal,
): Promise<readonly ObjectMeta[]> {
  const held: ObjectMeta[] = [];
  let next: string | undefined;
  do {
    const page = await client.page({ kind: kinds.node, namespace }, next, signal);
    held.push(...page.items.map(readMeta).filter(isHeld));
    ({ next } = page);
  } while (next !== undefined);
  return held;
}

/** False when another was quicker: it is read again. */
async function tryRelease(
  { client, log }: Parameters<typeof releaseNodes>[0],
  meta: ObjectMeta,
): Promise<boolean> {
  try {
    await letGo(client, meta);
    return true;
  } catch (error) {
    if (!isRace(error)) throw error;
    log.debug({ node: keyOf(meta), error: messageOf(error) }, "another was quicker");
    return false;
  }
}
