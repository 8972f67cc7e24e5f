/** One signer per address: selects the member that may have a pod among those with one key. Pure. */
import type { Stop } from "./stop.ts";

/** A member with the address, or a pod or a StatefulSet with it that belongs to no current member. */
export interface Signer {
  /** `namespace/name` of the member, pod or StatefulSet. */
  readonly key: string;
  readonly kind: "node" | "pod" | "set";
  /** Creation time of its Node, milliseconds since the epoch. */
  readonly createdAt: number;
  /** True when it has a pod, gets one, or was allowed to start. */
  readonly isRunning: boolean;
  /** Machine of a pod. */
  readonly machine?: string | undefined;
}

/**
 * Returns the reason that `own` gets no pod; undefined when it comes first. Running members precede others,
 * then older ones.
 */
export function signerTrouble(own: Signer, others: readonly Signer[], address: string): Stop | undefined {
  const first = others.find((other) => comesBefore(other, own));
  if (first === undefined) return undefined;
  return { reason: "KeyInUse", message: messageOf(first, address), pod: "ends" };
}

function comesBefore(a: Signer, b: Signer): boolean {
  if (a.isRunning !== b.isRunning) return a.isRunning;
  if (a.kind !== b.kind) return a.kind === "node";
  if (a.createdAt !== b.createdAt) return a.createdAt < b.createdAt;
  return a.key < b.key;
}

function messageOf({ key, kind, machine = "its machine" }: Signer, address: string): string {
  if (kind === "node")
    return `the Node of ${key} also has the key of ${address}. Two nodes must not sign with one key`;
  const [namespace, name] = key.split("/");
  if (kind === "set")
    return `the StatefulSet ${key} still has the key of ${address} in its pod template, and would create its pod again. A Node with another key replaces it when the council can miss the pod; without a Node: kubectl -n ${namespace} delete statefulset ${name}`;
  return `the pod ${key} with the key of ${address} has not terminated. If ${machine} has failed for good: kubectl -n ${namespace} delete pod ${name} --force --grace-period=0`;
}
