/** A stop: a member may not go on before a person has judged, and nothing of it is replaced. */
import { annotations } from "../api/names.ts";
import type { StopReason } from "../api/reasons.ts";

/** Why, and what becomes of the member's pod meanwhile. */
export interface Stop {
  readonly reason: StopReason;
  readonly message: string;
  /** `stays`: its objects are left as they are. `ends`: its StatefulSet is scaled to zero. */
  readonly pod: "stays" | "ends";
}

/** A permission by annotation. Each value counts once: `followed` is the one that was followed last. */
export function isAllowed(value: string | undefined, followed: string | undefined): boolean {
  return value !== undefined && truncatePermission(value) !== followed;
}

/** As much of an annotation's value as the status keeps. */
export function truncatePermission(value: string): string {
  return value.slice(0, 64);
}

/** The command that allows it. */
export function allowCommand(kind: "kn" | "knet", name: string, permission: "new-key" | "new-chain"): string {
  const annotation = permission === "new-key" ? annotations.allowNewKey : annotations.allowNewChain;
  return `kubectl annotate --overwrite ${kind} ${name} ${annotation}="$(date)"`;
}
