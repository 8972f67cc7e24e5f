/**
 * Removes the operator's finalizer from all Nodes before the operator is uninstalled, because no Node could
 * be deleted otherwise. The Lease is held meanwhile, so that no operator adds the finalizer again.
 */
import { keyOf, type ObjectMeta, readMeta } from "../api/resource.ts";
import { loadAccess } from "../kube/access.ts";
import { itemPages, type KubeClient } from "../kube/client.ts";
import { isKubeError, isRace, KubeError } from "../kube/error.ts";
import { kinds } from "../kube/resources.ts";
import { systemClock } from "../observe/clock.ts";
import { messageOf } from "../observe/message-of.ts";
import { isHeldBy, removeFinalizer } from "../reconcile/finalizer.ts";
import { type LeaderClientOptions, openLeaderClient } from "./leader-client.ts";

/** Options of the release. */
export interface ReleaseOptions extends Omit<LeaderClientOptions, "access" | "onAnswer"> {
  /** Namespaces of the Nodes; all when empty. */
  readonly watchNamespaces: readonly string[];
}

/**
 * Maximum wait for the Lease. An operator that shuts down releases it within seconds; another's expires after
 * twenty.
 */
const LEASE_WAIT_MS = 120_000;
/** Maximum number of attempts when Nodes change concurrently. */
const ROUNDS = 5;

/**
 * Waits for the Lease and removes the finalizers. Throws `KubeError`, at once when the API server denies
 * access.
 */
export async function release(options: ReleaseOptions, shutdown: AbortSignal): Promise<void> {
  const leaseId = `${options.operatorNamespace}/${options.lease}`;
  const access = await loadAccess(() => systemClock.now());
  const patience = AbortSignal.timeout(LEASE_WAIT_MS);
  const waiting = AbortSignal.any([shutdown, patience]);
  const wait = createLeaseWait(leaseId);
  await using leading = await openLeaderClient({ ...options, ...wait, access }, waiting).catch(
    (error: unknown) => {
      throw patience.aborted ? wait.timeout() : error;
    },
  );
  const { client } = leading;
  options.log.info(
    { nodes: await releaseNodes({ ...options, operatorId: leaseId, client }, shutdown) },
    "nodes released",
  );
}

/**
 * Creates a record of the failures to take the Lease. Denied access ends the wait, because waiting does not
 * grant it.
 */
export function createLeaseWait(lease: string) {
  let cause = "";
  return {
    onFailure(error: unknown): void {
      if (isKubeError(error, "forbidden") || isKubeError(error, "unauthorized")) throw error;
      cause = `: ${messageOf(error)}`;
    },
    onHeld(holder: string): void {
      cause = `: ${holder} holds it. Stop the operator first; it would add the finalizers again`;
    },
    /** Returns the error of an expired wait. */
    timeout: (): KubeError =>
      new KubeError(
        "conflict",
        `the Lease ${lease} could not be acquired within ${LEASE_WAIT_MS / 1_000} s${cause}`,
      ),
  };
}

/** Options of the removal. */
type NodesOptions = Pick<ReleaseOptions, "watchNamespaces" | "log"> & {
  readonly client: Pick<KubeClient, "page" | "merge">;
  /** Identity of the operator; Nodes of others stay as they are. */
  readonly operatorId: string;
};

/**
 * Removes the finalizers and returns the number of changed Nodes. A Node that the API server refuses, or a namespace that
 * cannot be read, does not block the others; `KubeError` then names the first one in the end.
 */
export async function releaseNodes(options: NodesOptions, signal: AbortSignal): Promise<number> {
  const released = new Set<string>();
  const refused = new Map<string, string>();
  for (let round = 0; ; round++) {
    const held = (await heldNodes(options, refused, signal)).filter(({ uid }) => !refused.has(uid));
    if (held.length === 0) break;
    if (round === ROUNDS) throw new KubeError("conflict", "Nodes kept changing; try again");
    for (const meta of held) {
      const refusal = await tryRelease(options, meta, released);
      if (refusal !== undefined) refused.set(meta.uid, `${keyOf(meta)}: ${refusal}`);
    }
  }
  const [first] = refused.values();
  if (first === undefined) return released.size;
  throw new KubeError("forbidden", `not all Nodes could be released, ${refused.size} refused; ${first}`);
}

/** Lists Nodes with the finalizer; none when the cluster does not serve Nodes any more. */
async function heldNodes(
  options: NodesOptions,
  refused: Map<string, string>,
  signal: AbortSignal,
): Promise<readonly ObjectMeta[]> {
  const places = options.watchNamespaces.length === 0 ? [undefined] : options.watchNamespaces;
  const held: ObjectMeta[] = [];
  for (const namespace of places) {
    try {
      held.push(...(await heldNodesIn(namespace, options, signal)));
    } catch (error) {
      if (namespace === undefined || !isKubeError(error, "forbidden")) throw error;
      refused.set(`namespace ${namespace}`, `the namespace ${namespace}: ${error.message}`);
    }
  }
  return held;
}

async function heldNodesIn(
  namespace: string | undefined,
  { client, operatorId }: NodesOptions,
  signal: AbortSignal,
): Promise<readonly ObjectMeta[]> {
  const held: ObjectMeta[] = [];
  try {
    for await (const items of itemPages(client, { kind: kinds.node, namespace }, signal))
      held.push(...items.map(readMeta).filter((meta) => isHeldBy(meta, operatorId)));
  } catch (error) {
    if (!isKubeError(error, "not-found")) throw error;
  }
  return held;
}

/** Removes one finalizer and returns the message of a refusal. A conflict is retried in the next round. */
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
    log.debug({ node: keyOf(meta), error: messageOf(error) }, "conflict with another writer");
  }
  return undefined;
}
