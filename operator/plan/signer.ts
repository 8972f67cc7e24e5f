/** One signer per address: which of several members with one key may have a pod. Pure. */
import type { Stop } from "./stop.ts";

/** A member with the address in question, or a pod with it that no present member explains. */
export interface Signer {
  /** `namespace/name` of the member or pod. */
  readonly key: string;
  readonly kind: "node" | "pod";
  /** When its Node was made, milliseconds since the epoch. */
  readonly createdAt: number;
  /** It has a pod, gets one, or may still get one: it was allowed to start. */
  readonly isRunning: boolean;
  /** The machine of a pod. */
  readonly machine?: string | undefined;
}

/** Gives why `own` gets no pod; undefined when it comes first: who runs, then who is older. */
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
  if (kind === "node") return `the Node of ${key} has the key of ${address}: no two nodes sign with one key`;
  const [namespace, name] = key.split("/");
  return `the pod ${key} with the key of ${address} has not ended: it is waited for. Only when ${machine} is gone for good: kubectl -n ${namespace} delete pod ${name} --force --grace-period=0`;
}
