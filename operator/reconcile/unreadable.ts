/**
 * Nodes that this version cannot parse, for example of a newer version of the definition. Their pods and peers stay as
 * they are, and their status says so.
 */

import { API_VERSION } from "../api/names.ts";
import { nodeTypes } from "../api/node-types.ts";
import { keyOf, readNode } from "../api/resource.ts";
import type { CachedObject } from "../kube/cached-object.ts";
import { formatInstant } from "../observe/clock.ts";
import { messageOf } from "../observe/message-of.ts";
import type { PeerCandidate } from "../plan/topology.ts";
import { endUnread } from "./deletion.ts";
import type { ReconcileDeps } from "./deps.ts";

/** Interval of reconciliations. */
const RESYNC_MS = 300_000;
/** Maximum number of replicas whose URLs are read. */
const MAX_MEMBERS = 64;

/** Reports a Node that cannot be parsed, or continues its deletion; returns the milliseconds until the next time. */
export async function reconcileUnreadable(
  seen: CachedObject | undefined,
  deps: ReconcileDeps,
): Promise<number | undefined> {
  if (seen === undefined || seen.meta.deleted || deps.cache.isEnding(seen.meta.namespace))
    return endUnread(seen, deps);
  const message = `this version of the operator cannot read the Node (${errorOf(seen.object)}): its pods and peers stay as they are. Correct the field, or install the version of the operator that knows it`;
  deps.events.record({ kind: "Node", meta: seen.meta }, "Unreadable", message);
  const { status } = seen.object as { status?: { conditions?: unknown } | null };
  const known: readonly unknown[] = Array.isArray(status?.conditions) ? status.conditions : [];
  const conditions = known.filter(isCondition);
  const ready = conditions.find(({ type }) => type === "Ready");
  if (ready?.["reason"] === "Unreadable" && ready["message"] === message) return RESYNC_MS;
  const verdict = {
    type: "Ready",
    status: "False",
    reason: "Unreadable",
    message,
    observedGeneration: seen.meta.generation,
    lastTransitionTime: formatInstant(deps.clock.now()),
  };
  const { name, namespace, resourceVersion } = seen.meta;
  await deps.client.applyStatus({
    apiVersion: API_VERSION,
    kind: "Node",
    metadata: { name, namespace, resourceVersion },
    status: { ...status, conditions: [verdict, ...conditions.filter(({ type }) => type !== "Ready")] },
  });
  return RESYNC_MS;
}

function errorOf(object: unknown): string {
  try {
    readNode(object);
    return "it changed";
  } catch (error) {
    return messageOf(error);
  }
}

function isCondition(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && "type" in value;
}

/** Reads the peers of a Node that cannot be parsed, as far as they are valid. */
export function unreadablePeers({ meta, object }: CachedObject): readonly PeerCandidate[] {
  const { spec, status } = object as {
    spec?: { type?: unknown; network?: { name?: unknown } | null; peers?: { namespaces?: unknown } | null };
    status?: { members?: unknown } | null;
  };
  const type = nodeTypes.find((each) => each === spec?.type);
  const network = spec?.network?.name;
  if (meta.deleted || type === undefined || typeof network !== "string") return [];
  const namespaces = textsOf(spec?.peers?.namespaces);
  const members: readonly unknown[] = Array.isArray(status?.members) ? status.members : [];
  return members.slice(0, MAX_MEMBERS).flatMap((member) => {
    const { name, url, validator } = (member ?? {}) as { name?: unknown; url?: unknown; validator?: unknown };
    if (typeof name !== "string" || typeof url !== "string") return [];
    const isStandby = type === "core" && validator === false;
    return [{ name, namespace: meta.namespace, network, type, namespaces, url, isStandby }];
  });
}

function textsOf(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((each) => typeof each === "string") : [];
}

/** Lists the Nodes of a namespace that cannot be parsed. */
export function unreadableNodes(
  cache: Pick<ReconcileDeps["cache"], "list" | "node">,
  namespace: string,
): readonly CachedObject[] {
  return [...cache.list("node", namespace)].filter(({ meta }) => cache.node(keyOf(meta)) === undefined);
}
