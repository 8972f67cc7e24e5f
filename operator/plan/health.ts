/** Conditions and phase of a Node, derived from observations. Pure, one function per condition. */
import type { Phase } from "../api/names.ts";
import type { MaintenanceRun, Rollout } from "../api/node-runs.ts";
import {
  type JudgedType,
  type StopReason,
  stepReasons,
  stopReasons,
  verdictReasons,
} from "../api/reasons.ts";
import type { Verdict } from "./conditions.ts";
import { LEVEL_BLOCKS } from "./group.ts";
import { isOpen, isUnderWay } from "./maintenance.ts";
import type { VolumeVerdict } from "./storage.ts";

/** Observed state of a replica. */
export interface MemberHealth {
  readonly name: string;
  readonly ready: boolean;
  /** Reason for not being ready. */
  readonly reason: string | undefined;
  /** True once its node has reported. */
  readonly hasReport: boolean;
  /** Lag in blocks; undefined until its height is reported. */
  readonly lag: number | undefined;
  readonly syncing: boolean;
  readonly peersWanted: number;
  readonly peersMissing: number;
  /** Failure of its pod that does not resolve by waiting. */
  readonly failing: MemberFailure | undefined;
  /** True when it has no peer and its type needs one. */
  readonly isIsolated: boolean;
}

/** Failure of a pod. */
export interface MemberFailure {
  readonly reason: "ImagePullFailed" | "ContainerCrashing" | "ContainerNotStarted" | "MachineLost";
  readonly message: string;
}

/** Observed state of a Node. */
export interface HealthView {
  /** Set while `spec.suspend` is true: Suspended without pods, Suspending with pods. */
  readonly suspension: "Suspended" | "Suspending" | undefined;
  /** Reason that a requested suspension or deletion waits. */
  readonly held: string | undefined;
  /** The step that waits or failed; undefined when all completed. */
  readonly step: StepEnd | undefined;
  readonly members: readonly MemberHealth[];
  readonly rollout: Rollout | undefined;
  /** Members that wait to be recreated, and the reason. */
  readonly keep: readonly string[];
  readonly waits: string | undefined;
  readonly maintenance: MaintenanceRun | undefined;
  /** Worst verdict on its volumes. */
  readonly storage: VolumeVerdict | undefined;
}

/** A step that waits or failed. */
export interface StepEnd {
  readonly kind: "wait" | "fail";
  readonly reason: string;
  readonly message: string;
}

/** Returns all conditions in their order. */
export function judge(view: HealthView): readonly Verdict[] {
  return [
    readiness(view),
    availability(view),
    progress(view),
    degradation(view),
    peers(view),
    sync(view),
    maintaining(view),
    storage(view),
  ];
}

/** Returns the first phase that applies. */
export function phaseOf(view: HealthView): Phase {
  const { members, maintenance, suspension } = view;
  if (suspension === "Suspended") return "Suspended";
  if (degradation(view).status === "True") return "Degraded";
  if (suspension === "Suspending") return "Suspending";
  if (view.rollout !== undefined) return "Updating";
  if (maintenance !== undefined && isUnderWay(maintenance)) return "Maintaining";
  if (members.some((member) => member.syncing || isBehind(member))) return "Syncing";
  const away = members.filter(({ ready }) => !ready);
  if (away.length === 0) return "Running";
  return away.some(({ reason }) => reason === undefined || PENDING.has(reason)) ? "Pending" : "Starting";
}

/** Reasons of a replica that lacks a prerequisite. */
const PENDING: ReadonlySet<string> = new Set(["NodeKeyMissing", "GenesisMissing", "PodPending"]);

function readiness({ members, step, suspension }: HealthView): Verdict {
  const type = "Ready";
  if (suspension !== undefined && (suspension === "Suspended" || step?.kind !== "fail"))
    return { type, status: "False", reason: suspension, message: stepReasons[suspension] };
  const behind = step === undefined ? members.find(isBehind) : undefined;
  if (behind !== undefined) return { type, status: "False", reason: "Behind", message: lagText(behind) };
  if (step === undefined && members.every(({ ready }) => ready))
    return { type, status: "True", reason: "Ready", message: readyText(members) };
  const { reason = "NotAsked", message = readyText(members) } = step ?? {};
  return { type, status: "False", reason, message };
}

function readyText(members: readonly MemberHealth[]): string {
  return `${members.filter(({ ready }) => ready).length} of ${members.length} replicas are ready`;
}

function availability({ members, suspension }: HealthView): Verdict {
  if (suspension === "Suspended") return verdict("Available", "Suspended");
  const isAny = members.some(({ ready }) => ready);
  return verdict("Available", isAny ? "ReplicasReady" : "NoneReady", readyText(members));
}

/** Returns the verdict on a rollout that has failed. */
function haltOf(type: "Progressing" | "Degraded", view: HealthView): Verdict | undefined {
  const { rollout } = view;
  if (rollout?.state === "Paused") return verdict(type, "RolloutPaused", pausedText(view, rollout));
  return rollout?.state === "RolledBack" ? verdict(type, "RolledBack", rollout.message) : undefined;
}

function progress(view: HealthView): Verdict {
  const { rollout, keep, waits, members, suspension, step, held } = view;
  const type = "Progressing";
  if (held !== undefined) return verdict(type, "ChainStopRefused", held);
  const halt = haltOf(type, view);
  if (halt !== undefined) return halt;
  if (rollout !== undefined) return verdict(type, "RollingOut", `${rollout.message}${others(keep)}`);
  if (keep.length > 0) return verdict(type, "RolloutWaits", `${keep.join(", ")}: ${waits ?? "not yet"}`);
  if (suspension !== undefined) return verdict(type, suspension);
  if (step?.kind !== "fail" && members.some(({ ready }) => !ready))
    return verdict(type, "PodsStarting", readyText(members));
  return verdict(type, "UpToDate");
}

function others(keep: readonly string[]): string {
  return keep.length === 0 ? "" : `; then ${keep.join(", ")}`;
}

function degradation(view: HealthView): Verdict {
  const { step, members, storage: volume } = view;
  const type = "Degraded";
  if (step?.kind === "fail" && isStop(step.reason)) return verdict(type, step.reason, step.message);
  if (step?.kind === "fail") return verdict(type, "StepFailed", `${step.reason}: ${step.message}`);
  const halt = haltOf(type, view);
  if (halt !== undefined) return halt;
  const [failing] = members.flatMap(({ name, failing: found }) =>
    found === undefined ? [] : [{ ...found, message: `${name}: ${found.message}` }],
  );
  if (failing !== undefined) return verdict(type, failing.reason, failing.message);
  const isTrouble = volume !== undefined && STORAGE_TROUBLE.has(volume.reason);
  return isTrouble ? verdict(type, "StorageTrouble", volume.message) : verdict(type, "AsExpected");
}

/** Names the replica of a halted rollout, its failure, and the changes that let the rollout continue. */
function pausedText({ members, step, keep }: HealthView, { member, message }: Rollout): string {
  const failed = members.find(({ name }) => name === member);
  const why = failed?.failing?.message ?? failed?.reason ?? step?.message;
  const waiting = keep.length === 0 ? "" : `; ${keep.join(", ")} keep the former spec`;
  const remedy = `the rollout continues when ${member} is ready and has the newest block, or when the spec changes`;
  return `${message}${why === undefined ? "" : ` (${why})`}${waiting}; ${remedy}`;
}

function isStop(reason: string): reason is StopReason {
  return Object.hasOwn(stopReasons, reason);
}

const STORAGE_TROUBLE: ReadonlySet<string> = new Set([
  "Lost",
  "Terminating",
  "Unbindable",
  "GrowthFailed",
  "TooSmall",
  "Full",
  "LimitReached",
]);

/** Message for a node without a peer. */
export const NO_PEERS =
  "no peer is connected; a node of the network that this type dials, or a URL in spec.peers.urls, is required";

function peers({ members }: HealthView): Verdict {
  if (members.some(({ hasReport }) => !hasReport)) return verdict("PeersReady", "NotAsked");
  const alone = members.filter((each) => each.isIsolated && each.peersWanted === 0).map(({ name }) => name);
  if (alone.length > 0) return verdict("PeersReady", "NoPeers", `${alone.join(", ")}: ${NO_PEERS}`);
  const short = members.filter(({ peersMissing }) => peersMissing > 0);
  if (short.length === 0) return verdict("PeersReady", "Connected");
  const each = short.map(
    ({ name, peersMissing, peersWanted }) => `${name} ${peersMissing} of ${peersWanted}`,
  );
  return verdict("PeersReady", "PeersMissing", `missing peers: ${each.join(", ")}`);
}

function sync({ members }: HealthView): Verdict {
  if (members.some(({ hasReport, lag }) => !hasReport || lag === undefined))
    return verdict("Synced", "NotAsked");
  const alone = members.find(({ isIsolated }) => isIsolated);
  if (alone !== undefined) return verdict("Synced", "Isolated", `${alone.name}: ${NO_PEERS}`);
  const syncing = members.find((member) => member.syncing);
  if (syncing !== undefined) return verdict("Synced", "Syncing", lagText(syncing));
  const late = members.find(isBehind);
  return late === undefined ? verdict("Synced", "Level") : verdict("Synced", "Behind", lagText(late));
}

function isBehind({ lag = 0 }: MemberHealth): boolean {
  return lag > LEVEL_BLOCKS;
}

function lagText({ name, lag }: MemberHealth): string {
  return `${name} is ${lag} blocks behind the newest block`;
}

function maintaining({ maintenance: run }: HealthView): Verdict {
  const type = "MaintenanceInProgress";
  if (run === undefined || !isOpen(run)) return verdict(type, "Idle");
  const percent = run.percent === undefined ? "" : `, ${run.percent} percent`;
  const text = `${run.operation} of ${run.member}: ${run.message}${percent}`;
  return verdict(type, isUnderWay(run) ? "UnderWay" : "Waiting", text);
}

function storage({ storage: volume }: HealthView): Verdict {
  return verdict("StorageHealthy", volume?.reason ?? "Unbound", volume?.message);
}

/** Returns a condition with the text of its reason, or with `message`. */
function verdict<T extends JudgedType>(
  type: T,
  reason: keyof (typeof verdictReasons)[T] & string,
  message?: string,
): Verdict {
  const rows: Readonly<Record<string, readonly [Verdict["status"], string]>> = verdictReasons[type];
  const [status, words] = rows[reason] ?? ["Unknown", ""];
  return { type, status, reason, message: message ?? words };
}
