/** A stop: a member does not continue until a user intervenes, and nothing of it is replaced. */
import { annotations } from "../api/names.ts";
import type { StopReason } from "../api/reasons.ts";

/** Reason of the stop, and its effect on the pod. */
export interface Stop {
  readonly reason: StopReason;
  readonly message: string;
  /** `stays`: objects stay unchanged. `ends`: the StatefulSet is scaled to zero. */
  readonly pod: "stays" | "ends";
}

/** True for a permission by annotation. Each value takes effect once; `followed` is the last one. */
export function isAllowed(value: string | undefined, followed: string | undefined): boolean {
  return value !== undefined && truncatePermission(value) !== followed;
}

/** Truncates an annotation value to the length that the status stores. */
export function truncatePermission(value: string): string {
  return value.slice(0, 64);
}

const permitting = {
  "new-key": annotations.allowNewKey,
  "new-chain": annotations.allowNewChain,
  "chain-stop": annotations.allowChainStop,
} as const;

/** A permission by annotation. */
export type Permission = keyof typeof permitting;

/** Formats the command that grants a permission. */
export function allowCommand(kind: "kn" | "knet", name: string, permission: Permission): string {
  return `kubectl annotate --overwrite ${kind} ${name} ${permitting[permission]}="$(date)"`;
}
