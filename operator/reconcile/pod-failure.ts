/** Failures of a pod that do not resolve by waiting, with the reason and the remedy. */

import { keyOf } from "../api/resource.ts";
import type { CachedObject } from "../kube/cached-object.ts";

/** Status of a pod, as far as it is read. */
export interface PodStatus {
  readonly phase?: unknown;
  readonly podIP?: unknown;
  readonly hostIP?: unknown;
  readonly conditions?: readonly {
    readonly type?: unknown;
    readonly status?: unknown;
    readonly message?: unknown;
  }[];
  readonly containerStatuses?: readonly ContainerStatus[];
  readonly initContainerStatuses?: readonly ContainerStatus[];
}

/** Status of a container. */
export interface ContainerStatus {
  readonly name?: unknown;
  readonly ready?: unknown;
  readonly started?: unknown;
  readonly restartCount?: unknown;
  readonly state?: {
    readonly waiting?: { readonly reason?: unknown; readonly message?: unknown };
    readonly running?: { readonly startedAt?: unknown };
    readonly terminated?: Terminated;
  };
  readonly lastState?: { readonly terminated?: Terminated };
}

/** Termination of a container. */
export interface Terminated {
  readonly reason?: unknown;
  readonly message?: unknown;
  readonly exitCode?: unknown;
  readonly startedAt?: unknown;
  readonly finishedAt?: unknown;
}

/** Failure of a pod. */
export interface PodFailure {
  readonly reason: "ImagePullFailed" | "ContainerCrashing" | "ContainerNotStarted" | "MachineLost";
  readonly message: string;
}

/** Waiting reasons that resolve by themselves. */
const PASSING: ReadonlySet<unknown> = new Set(["PodInitializing", "ContainerCreating"]);
/** Waiting reasons of an image that cannot be pulled. */
const PULLING: ReadonlySet<unknown> = new Set([
  "ErrImagePull",
  "ImagePullBackOff",
  "ErrImageNeverPull",
  "InvalidImageName",
  "ImageInspectError",
  "RegistryUnavailable",
]);
/** Duration of a run after which the kubelet restarts a container without delay; a shorter one counts as a crash. */
const SHORT_RUN_MS = 600_000;
const MAX_LINE = 300;

/** Time after the end of its grace period at which a terminating pod counts as stuck. */
const STUCK_MS = 60_000;

/** Returns the failure of a pod at `now`; undefined for a ready one, and when there is none. */
export function podFailure({ meta, object }: CachedObject, now: number): PodFailure | undefined {
  const { status: read, spec } = object as {
    status?: PodStatus | null;
    spec?: { nodeName?: unknown } | null;
  };
  const status = read ?? {};
  const machine = typeof spec?.nodeName === "string" ? spec.nodeName.slice(0, 253) : undefined;
  const isStuck = meta.deletedAt !== undefined && now - meta.deletedAt > STUCK_MS;
  if (isStuck || isUnreported(status)) return machineLost(keyOf(meta), machine);
  if (meta.deleted || statusOf(status, "Ready") === "True") return undefined;
  for (const container of containersOf(status)) {
    const failure = crashOf(container, now) ?? waitingFailure(container);
    if (failure !== undefined) return failure;
  }
  return undefined;
}

/** Describes a pod on a machine that does not report. Its StatefulSet starts no other pod before it is deleted. */
function machineLost(pod: string, machine = "of the pod"): PodFailure {
  const [namespace, name] = pod.split("/");
  return {
    reason: "MachineLost",
    message: `the machine ${machine} does not report about the pod ${pod}, and no other pod starts before that one has ended: start the machine again. Only when it is gone for good: kubectl -n ${namespace} delete pod ${name} --force --grace-period=0`,
  };
}

/**
 * True when the node controller set the pod to not ready while the kubelet last reported all containers as ready
 * (`MarkPodsNotReady` of Kubernetes).
 */
function isUnreported(status: PodStatus): boolean {
  return statusOf(status, "Ready") === "False" && statusOf(status, "ContainersReady") === "True";
}

function statusOf({ conditions }: PodStatus, of: string): unknown {
  return listOf(conditions).find(({ type }) => type === of)?.status;
}

function waitingFailure(container: ContainerStatus): PodFailure | undefined {
  const waiting = container.state?.waiting?.reason;
  const [text] = PASSING.has(waiting) ? [] : waitingText(container);
  if (text === undefined) return undefined;
  if (!PULLING.has(waiting)) return { reason: "ContainerNotStarted", message: text };
  const remedy = "correct the image, or give the service account of the Node a pull secret";
  return { reason: "ImagePullFailed", message: `${text}; ${remedy}` };
}

/**
 * Returns the failure of a container that ended at least twice after short runs. It holds between two crashes
 * too, until the pod is ready or the container has run for ten minutes.
 */
function crashOf(container: ContainerStatus, now: number): PodFailure | undefined {
  const { name, state, lastState, restartCount } = container;
  const last = state?.terminated ?? lastState?.terminated ?? undefined;
  const isBackOff = state?.waiting?.reason === "CrashLoopBackOff";
  if (!isBackOff && (last === undefined || !isCrashLoop(container, last, now))) return undefined;
  return crash(name, restartCount, last ?? {});
}

/** True for a container whose last run was short, and whose current run is short so far. */
function isCrashLoop(
  { ready, restartCount, state }: ContainerStatus,
  last: Terminated,
  now: number,
): boolean {
  if (ready === true || !(Number(restartCount) >= 2) || last.exitCode === 0) return false;
  const began = timeOf(state?.running?.startedAt);
  const isYoung = Number.isNaN(began) || now - began < SHORT_RUN_MS;
  return isYoung && timeOf(last.finishedAt) - timeOf(last.startedAt) < SHORT_RUN_MS;
}

function crash(name: unknown, restarts: unknown, { exitCode, reason, message }: Terminated): PodFailure {
  const why = typeof reason === "string" ? ` (${reason.slice(0, 60)})` : "";
  const line = lastLineOf(message);
  const said = line === undefined ? "" : `: ${line}`;
  const ended = Number.isInteger(exitCode) ? `ended with exit code ${Number(exitCode)}${why}` : "ended";
  const times = Number.isInteger(restarts) ? ` and was restarted ${Number(restarts)} times` : "";
  return { reason: "ContainerCrashing", message: `${textOf(name)} ${ended}${times}${said}` };
}

/** Returns the last line of a termination message, which ends with the log of a failed container. */
function lastLineOf(message: unknown): string | undefined {
  if (typeof message !== "string") return undefined;
  return message
    .slice(-4_096)
    .split("\n")
    .findLast((line) => line.trim() !== "")
    ?.trim()
    .slice(0, MAX_LINE);
}

function timeOf(text: unknown): number {
  return typeof text === "string" ? Date.parse(text) : Number.NaN;
}

/** Lists init containers and containers. */
export function containersOf({
  initContainerStatuses,
  containerStatuses,
}: PodStatus): readonly ContainerStatus[] {
  return [...listOf(initContainerStatuses), ...listOf(containerStatuses)];
}

/** Returns the reason of a waiting container as text; none for one that does not wait. */
export function waitingText({ name, state }: ContainerStatus): string[] {
  const { reason, message } = state?.waiting ?? {};
  if (typeof reason !== "string" || reason === "PodInitializing") return [];
  const detail = typeof message === "string" ? `: ${message.slice(0, 200)}` : "";
  return [`${textOf(name)}: ${reason}${detail}`];
}

function textOf(name: unknown): string {
  return typeof name === "string" ? name.slice(0, 63) : "a container";
}

/** Returns a list of objects, empty for any other value. */
export function listOf<T>(value: readonly T[] | undefined): readonly T[] {
  return Array.isArray(value) ? value.filter((each) => typeof each === "object" && each !== null) : [];
}
