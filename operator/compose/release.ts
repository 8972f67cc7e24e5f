/**
 * Takes the operator's finalizer from all Nodes, for the time after the operator: without it nobody would, and no Node
 * could be deleted. It is done while the Lease is held, so that no operator puts it back.
 */
import { FIELD_MANAGER } from "../api/names.ts";
import { keyOf, type ObjectMeta, readMeta } from "../api/resource.ts";
import { loadAccess } from "../kube/access.ts";
import type { KubeClient } from "../kube/client.ts";
import { isKubeError, isRace, KubeError } from "../kube/error.ts";
import { kinds } from "../kube/resources.ts";
import { systemClock } from "../observe/clock.ts";
import { messageOf } from "../observe/message-of.ts";
import { hasFinalizer, removeFinalizer } from "../reconcile/finalizer.ts";
import { type LeaderClientOptions, openLeaderClient } from "./leader-client.ts";

/** What is released, and with what. */
export interface ReleaseOptions extends Omit<LeaderClientOptions, "access" | "sent"> {
  /** Undefined: Nodes of all namespaces. */
  readonly watchNamespace: string | undefined;
}

/** An operator that ends orderly gives the Lease back within seconds, another's is over after twenty. */
const LEASE_WAIT_MS = 120_000;
/** What others change meanwhile is tried again, so many times in all. */
const ROUNDS = 5;

/** Waits for the Lease and releases all Nodes. Throws `KubeError`; a refusal of the API server ends it at once. */
export async function release(options: ReleaseOptions, shutdown: AbortSignal): Promise<void> {
  const access = await loadAccess(() => systemClock.now());
  const patience = AbortSignal.timeout(LEASE_WAIT_MS);
  const waiting = AbortSignal.any([shutdown, patience]);
  const wait = createLeaseWait(`${options.operatorNamespace}/${FIELD_MANAGER}`);
  await using leading = await openLeaderClient({ ...options, ...wait, access }, waiting).catch(
    (error: unknown) => {
      throw patience.aborted ? wait.timeout() : error;
    },
  );
  const { client } = leading;
  options.log.info({ nodes: await releaseNodes({ ...options, client }, shutdown) }, "nodes released");
}

/** Remembers why the Lease could not be taken. A refusal of the API server ends the wait: waiting gives nobody rights. */
export function createLeaseWait(lease: string) {
  let cause = "";
  return {
    onFailure(error: unknown): void {
      if (isKubeError(error, "forbidden") || isKubeError(error, "unauthorized")) throw error;
      cause = `: ${messageOf(error)}`;
    },
    onHeld(holder: string): void {
      cause = `: ${holder} holds it; an operator at work would take the Nodes again, stop it first`;
    },
    /** The error of a wait that took too long. */
    timeout: (): KubeError =>
      new KubeError(
        "conflict",
        `the Lease ${lease} could not be taken within ${LEASE_WAIT_MS / 1_000} s${cause}`,
      ),
  };
}

/** What Nodes are released with. */
type NodesOptions = Pick<ReleaseOptions, "watchNamespace" | "log"> & {
  readonly client: Pick<KubeClient, "page" | "merge">;
};

/**
 * Returns how many Nodes were released: none when all of them are already. One that the API server refuses to release
 * holds up no other. Throws `KubeError` in the end that names the first refused one.
 */
export async function releaseNodes(options: NodesOptions, signal: AbortSignal): Promise<number> {
  const released = new Set<string>();
  const refused = new Map<string, string>();
  for (let round = 0; ; round++) {
    const held = (await heldNodes(options, signal)).filter(({ uid }) => !refused.has(uid));
    if (held.length === 0) break;
    if (round === ROUNDS) throw new KubeError("conflict", "Nodes changed all the time; try again");
    for (const meta of held) {
      const refusal = await tryRelease(options, meta, released);
      if (refusal !== undefined) refused.set(meta.uid, `${keyOf(meta)}: ${refusal}`);
    }
  }
  const [first] = refused.values();
  if (first === undefined) return released.size;
  throw new KubeError("forbidden", `${refused.size} Nodes could not be released; ${first}`);
}

/** Nodes with the finalizer; none where the cluster has no Nodes at all, their definition being deleted. */
async function heldNodes(
  { client, watchNamespace: namespace }: NodesOptions,
  signal: AbortSignal,
): Promise<readonly ObjectMeta[]> {
  const held: ObjectMeta[] = [];
  let next: string | undefined;
  do {
    const page = await client.page({ kind: kinds.node, namespace }, next, signal).catch((error: unknown) => {
      if (isKubeError(error, "not-found")) return { items: [], next: undefined };
      throw error;
    });
    held.push(...page.items.map(readMeta).filter(hasFinalizer));
    ({ next } = page);
  } while (next !== undefined);
  return held;
}

/** Returns the words of a refusal. One that another changed meanwhile is read again. */
async function tryRelease(
  { client, log }: NodesOptions,
  meta: ObjectMeta,
  released: Set<string>,
): Promise<string | undefined> {
  try {
    await removeFinalizer(client, meta);
    released.add(meta.uid);
  } catch (error) {
    if (isKubeError(error, "forbidden") || isKubeError(error, "invalid")) return error.message;
    if (!isRace(error)) throw error;
    log.debug({ node: keyOf(meta), error: messageOf(error) }, "another was quicker");
  }
  return undefined;
}
