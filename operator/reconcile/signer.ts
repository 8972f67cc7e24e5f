/**
 * One signer per address: a member gets no pod while another member, or a pod that has not terminated, uses
 * its key.
 */
import { annotations } from "../api/names.ts";
import type { StopReason } from "../api/reasons.ts";
import { keyOf, type NodeResource } from "../api/resource.ts";
import { membersOf, nodeOfMember, objectNames } from "../build/names.ts";
import type { CachedObject } from "../kube/cached-object.ts";
import { type Signer, signerTrouble } from "../plan/signer.ts";
import type { Stop } from "../plan/stop.ts";
import type { MemberContext } from "./context.ts";
import type { ReconcileDeps } from "./deps.ts";
import { goOn, type Outcome } from "./outcome.ts";

/** Allows or stops a member. There is no await between the check and its record. */
export function signerStep({ key, node, facts, status, deps }: MemberContext): Outcome {
  const { addresses } = deps.memory;
  const address = facts.identity?.address;
  if (address === undefined) return goOn;
  addresses.note(address, key);
  if (node.spec.suspend) {
    addresses.stop(key);
    return goOn;
  }
  const own = signerOf(node, key, { address, deps });
  const others = [
    ...othersAt(address, key, deps),
    ...setsAt(address, own, deps),
    ...podsAt(address, own, deps),
  ];
  const wasStopped = status.reason === KEY_IN_USE && !own.isRunning;
  const trouble =
    signerTrouble(own, others, address) ?? (wasStopped ? unseenTrouble(address, deps) : undefined);
  if (trouble !== undefined) {
    // A pod that was made for the former key goes on: it signs with no other.
    facts.stop = keepsOtherKey(key, { address, deps }) ? { ...trouble, pod: "stays" } : trouble;
    // An empty volume of that time would later make another block 1.
    if (deps.cache.find("claim", objectNames(key).claim) === undefined) facts.claims = false;
    addresses.stop(key);
  } else if (facts.stop === undefined) addresses.start(key, address);
  return goOn;
}

const KEY_IN_USE = "KeyInUse" satisfies StopReason;

/** Keeps a member stopped while the one that has its key may be in a namespace that cannot be read now. */
function unseenTrouble(address: string, { cache }: ReconcileDeps): Stop | undefined {
  const [namespace] = cache.missingNamespaces;
  if (namespace === undefined) return undefined;
  const message = `another node had the key of ${address}, and may be in the namespace ${namespace}, which the operator cannot read. If that is gone for good, remove it from watchNamespaces`;
  return { reason: KEY_IN_USE, message, pod: "ends" };
}

/** Lists members with this address that have or get a pod. */
function othersAt(address: string, own: string, deps: ReconcileDeps): readonly Signer[] {
  return [...deps.memory.addresses.membersAt(address)].flatMap((key) => {
    const node = deps.cache.node(nodeOfMember(key));
    if (key === own || node === undefined) return [];
    const name = memberIn(node, key);
    if (name === undefined) return [];
    const known = node.status.members?.find((each) => each.name === name)?.address;
    if (known !== undefined && known !== address) return []; // its pod may still have it: see `podsAt`
    const signer = signerOf(node, key, { address, deps });
    const isAway = node.spec.suspend || node.meta.deleted;
    return isAway && !signer.isRunning ? [] : [signer];
  });
}

function memberIn(node: NodeResource, key: string): string | undefined {
  const { namespace } = node.meta;
  return membersOf(node).find(({ name }) => keyOf({ namespace, name }) === key)?.name;
}

interface Looked {
  readonly address: string;
  readonly deps: ReconcileDeps;
}

function signerOf({ meta, spec }: NodeResource, key: string, { address, deps }: Looked): Signer {
  const isStarting = !spec.suspend && deps.memory.addresses.mayStart(key, address);
  const isRunning = isStarting || hasPod(key, { address, deps });
  return { key, kind: "node", createdAt: meta.createdAt, isRunning };
}

interface StatefulSet {
  readonly metadata?: { readonly generation?: number };
  readonly spec?: { readonly replicas?: number; readonly template?: { readonly metadata?: Annotated } };
  readonly status?: { readonly replicas?: number; readonly observedGeneration?: number };
}

/**
 * True while there is a pod with this address, or its StatefulSet creates one or has not observed a scale-down yet. One that
 * was made for another key, which waits for its rollout, does not sign with this one.
 */
function hasPod(key: string, { address, deps }: Looked): boolean {
  const pod = deps.cache.find("pod", objectNames(key).pod); // names and keys of members end alike
  if (pod !== undefined && isFor(pod.meta, address)) return true;
  const set = latestSet(key, deps);
  return isFor(set.spec?.template?.metadata, address) && makesPod(set);
}

/** True for a StatefulSet that creates a pod, or has not observed a scale-down yet. */
function makesPod({ metadata, spec, status }: StatefulSet): boolean {
  if ((spec?.replicas ?? 0) > 0) return true;
  if (status === undefined) return false;
  return (status.replicas ?? 0) > 0 || (status.observedGeneration ?? 0) < (metadata?.generation ?? 0);
}

interface Annotated {
  readonly annotations?: Readonly<Record<string, unknown>>;
}

/** Returns the StatefulSet of a member as seen or written last; empty without one. */
function latestSet(key: string, { cache, applier }: ReconcileDeps): StatefulSet {
  const { statefulSet } = objectNames(key);
  return applier.latest("StatefulSet", statefulSet, cache.find("statefulSet", statefulSet)) ?? {};
}

/** True for a pod or a template of the address, and for one of an early release, which names none. */
function isFor(meta: Annotated | undefined, address: string): boolean {
  const named = meta?.annotations?.[annotations.address];
  return named === undefined || named === address;
}

/** True for a member whose StatefulSet was made for another key. */
function keepsOtherKey(key: string, { address, deps }: Looked): boolean {
  return !isFor(latestSet(key, deps).spec?.template?.metadata, address);
}

/** Addresses of the pods that StatefulSets keep, by cached object, which is packed; undefined for none. */
const keptAddresses = new WeakMap<CachedObject, { readonly address: unknown }>();

function keptAddress(seen: CachedObject): unknown {
  const known = keptAddresses.get(seen);
  if (known !== undefined) return known.address;
  const { spec } = seen.object as StatefulSet;
  const isKept = (spec?.replicas ?? 0) > 0;
  const address = isKept ? spec?.template?.metadata?.annotations?.[annotations.address] : undefined;
  keptAddresses.set(seen, { address });
  return address;
}

/**
 * Lists StatefulSets that keep a pod with this address, except the member's own: of a Node whose key was changed and that
 * waits for its rollout, or of one that was deleted without its objects.
 */
function setsAt(address: string, own: Signer, deps: ReconcileDeps): readonly Signer[] {
  if (own.isRunning) return [];
  const ownSet = objectNames(own.key).statefulSet;
  return [...deps.cache.list("statefulSet")].flatMap((seen): readonly Signer[] => {
    const key = keyOf(seen.meta);
    if (key === ownSet || seen.meta.deleted || keptAddress(seen) !== address) return [];
    return [{ key, kind: "set", createdAt: seen.meta.createdAt, isRunning: true }];
  });
}

/** Lists pods with this address of any owner, except the member's own, for which its StatefulSet waits. */
function podsAt(address: string, own: Signer, deps: ReconcileDeps): readonly Signer[] {
  if (own.isRunning) return [];
  const ownPod = objectNames(own.key).pod;
  const pods: Signer[] = [];
  for (const { meta, object } of deps.cache.list("pod")) {
    const key = keyOf(meta);
    if (key === ownPod || meta.annotations[annotations.address] !== address) continue;
    const { spec } = object as { spec?: { nodeName?: unknown } };
    const machine = typeof spec?.nodeName === "string" ? `the machine ${spec.nodeName}` : undefined;
    pods.push({ key, kind: "pod", createdAt: meta.createdAt, isRunning: true, machine });
  }
  return pods;
}
