/** One signer per address: a member whose key another one runs with, or a pod that has not ended, gets no pod. */
import { annotations } from "../api/names.ts";
import { keyOf, type NodeResource } from "../api/resource.ts";
import { membersOf, nodeOfMember, objectNames } from "../build/names.ts";
import { type Signer, signerTrouble } from "../plan/signer.ts";
import type { MemberContext } from "./context.ts";
import { goOn, type Outcome } from "./outcome.ts";
import type { Surroundings } from "./surroundings.ts";

/** Lets the member start, or stops it. Nothing is awaited between the look at the others and the note of it. */
export function signerStep({ key, node, facts, around }: MemberContext): Outcome {
  const { addresses } = around;
  const address = facts.identity?.address;
  if (address === undefined) return goOn;
  addresses.note(address, key);
  if (node.spec.suspend) {
    addresses.stop(key);
    return goOn;
  }
  const own = signerOf(node, key, { address, around });
  const trouble = signerTrouble(
    own,
    [...othersAt(address, key, around), ...podsAt(address, own, around)],
    address,
  );
  if (trouble !== undefined) facts.stop = trouble;
  if (trouble !== undefined) addresses.stop(key);
  else if (facts.stop === undefined) addresses.start(key, address);
  return goOn;
}

/** Members with this address; those that have no pod and get none do not count. */
function othersAt(address: string, own: string, around: Surroundings): readonly Signer[] {
  return [...around.addresses.membersAt(address)].flatMap((key) => {
    const node = around.node(nodeOfMember(key));
    if (key === own || node === undefined) return [];
    const name = memberIn(node, key);
    if (name === undefined) return [];
    const known = node.status.members?.find((each) => each.name === name)?.address;
    if (known !== undefined && known !== address) return []; // its pod may still have it: see `podsAt`
    const signer = signerOf(node, key, { address, around });
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
  readonly around: Surroundings;
}

function signerOf({ meta, spec }: NodeResource, key: string, { address, around }: Looked): Signer {
  const isStarting = !spec.suspend && around.addresses.mayStart(key, address);
  const isRunning = isStarting || hasPod(key, around);
  return { key, kind: "node", createdAt: meta.createdAt, isRunning };
}

interface StatefulSet {
  readonly metadata?: { readonly generation?: number };
  readonly spec?: { readonly replicas?: number };
  readonly status?: { readonly replicas?: number; readonly observedGeneration?: number };
}

/** True while there is a pod or its StatefulSet makes one, or has not seen yet that it should not. */
function hasPod(key: string, around: Surroundings): boolean {
  const { pod, statefulSet } = objectNames(key); // names and keys of members end alike
  if (around.find("pod", pod) !== undefined) return true;
  const seen = around.find("statefulSet", statefulSet);
  const { metadata, spec, status } = (around.applier.latest("StatefulSet", statefulSet, seen) ??
    {}) as StatefulSet;
  if ((spec?.replicas ?? 0) > 0) return true;
  if (status === undefined) return false;
  return (status.replicas ?? 0) > 0 || (status.observedGeneration ?? 0) < (metadata?.generation ?? 0);
}

/** Pods with this address, whosever they were. A pod of this member's own name is waited for by its StatefulSet. */
function podsAt(address: string, own: Signer, around: Surroundings): readonly Signer[] {
  if (own.isRunning) return [];
  const ownPod = objectNames(own.key).pod;
  const pods: Signer[] = [];
  for (const { meta, object } of around.all("pod")) {
    const key = keyOf(meta);
    if (key === ownPod || meta.annotations[annotations.address] !== address) continue;
    const { spec } = object as { spec?: { nodeName?: unknown } };
    const machine = typeof spec?.nodeName === "string" ? `the machine ${spec.nodeName}` : undefined;
    pods.push({ key, kind: "pod", createdAt: meta.createdAt, isRunning: true, machine });
  }
  return pods;
}
