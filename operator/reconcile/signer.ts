/**
 * One signer per address: a member gets no pod while another member, or a pod that has not terminated, uses
 * its key.
 */
import { annotations } from "../api/names.ts";
import { keyOf, type NodeResource } from "../api/resource.ts";
import { membersOf, nodeOfMember, objectNames } from "../build/names.ts";
import { type Signer, signerTrouble } from "../plan/signer.ts";
import type { MemberContext } from "./context.ts";
import type { ReconcileDeps } from "./deps.ts";
import { goOn, type Outcome } from "./outcome.ts";

/** Allows or stops a member. There is no await between the check and its record. */
export function signerStep({ key, node, facts, deps }: MemberContext): Outcome {
  const { addresses } = deps.memory;
  const address = facts.identity?.address;
  if (address === undefined) return goOn;
  addresses.note(address, key);
  if (node.spec.suspend) {
    addresses.stop(key);
    return goOn;
  }
  const own = signerOf(node, key, { address, deps });
  const trouble = signerTrouble(
    own,
    [...othersAt(address, key, deps), ...podsAt(address, own, deps)],
    address,
  );
  if (trouble !== undefined) {
    facts.stop = trouble;
    // An empty volume of that time would later make another block 1.
    if (deps.cache.find("claim", objectNames(key).claim) === undefined) facts.claims = false;
    addresses.stop(key);
  } else if (facts.stop === undefined) addresses.start(key, address);
  return goOn;
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
  const isRunning = isStarting || hasPod(key, deps);
  return { key, kind: "node", createdAt: meta.createdAt, isRunning };
}

interface StatefulSet {
  readonly metadata?: { readonly generation?: number };
  readonly spec?: { readonly replicas?: number };
  readonly status?: { readonly replicas?: number; readonly observedGeneration?: number };
}

/** True while there is a pod, or its StatefulSet creates one or has not observed a scale-down yet. */
function hasPod(key: string, deps: ReconcileDeps): boolean {
  const { pod, statefulSet } = objectNames(key); // names and keys of members end alike
  if (deps.cache.find("pod", pod) !== undefined) return true;
  const seen = deps.cache.find("statefulSet", statefulSet);
  const { metadata, spec, status } = (deps.applier.latest("StatefulSet", statefulSet, seen) ??
    {}) as StatefulSet;
  if ((spec?.replicas ?? 0) > 0) return true;
  if (status === undefined) return false;
  return (status.replicas ?? 0) > 0 || (status.observedGeneration ?? 0) < (metadata?.generation ?? 0);
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
