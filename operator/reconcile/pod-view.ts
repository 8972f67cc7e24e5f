/** What a pod tells of itself. */
import type { MemberStatus } from "../api/node-status.ts";

/** A pod as it matters here. */
export interface PodView {
  /** Undefined until it has one. */
  readonly address: string | undefined;
  /** The machine's address. */
  readonly hostAddress: string | undefined;
  readonly ready: boolean;
  /** Why it is not ready, as far as it says. */
  readonly trouble: string;
  /** How a container of it ended last, the newest end of all. */
  readonly lastExit: LastExit | undefined;
}

type LastExit = NonNullable<MemberStatus["lastExit"]>;

interface PodStatus {
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

interface ContainerStatus {
  readonly name?: unknown;
  readonly state?: {
    readonly waiting?: { readonly reason?: unknown; readonly message?: unknown };
    readonly terminated?: Terminated;
  };
  readonly lastState?: { readonly terminated?: Terminated };
}

interface Terminated {
  readonly reason?: unknown;
  readonly exitCode?: unknown;
  readonly finishedAt?: unknown;
}

const ADDRESS = /^[0-9a-fA-F.:]{2,45}$/;

/** Reads a pod. */
export function readPod(object: unknown): PodView {
  const status = (object as { status?: PodStatus | null }).status ?? {};
  const { podIP, hostIP } = status;
  const conditions = listOf(status.conditions);
  const ready = conditions.find(({ type }) => type === "Ready")?.status === "True";
  return {
    address: typeof podIP === "string" && ADDRESS.test(podIP) ? podIP : undefined,
    hostAddress: typeof hostIP === "string" && ADDRESS.test(hostIP) ? hostIP : undefined,
    ready,
    trouble: ready ? "" : troubleOf(status),
    lastExit: lastExitOf(status),
  };
}

/** Of the containers that run on: an init container's end is as it should be. */
function lastExitOf({ containerStatuses }: PodStatus): LastExit | undefined {
  const ends = listOf(containerStatuses).flatMap(({ name, state, lastState }) => {
    const end = state?.terminated ?? lastState?.terminated;
    return end === undefined || end === null ? [] : [exitOf(name, end)];
  });
  return ends.sort((a, b) => ((a.finishedAt ?? "") < (b.finishedAt ?? "") ? 1 : -1))[0];
}

function exitOf(name: unknown, { reason, exitCode, finishedAt }: Terminated): LastExit {
  return {
    container: typeof name === "string" ? name.slice(0, 63) : "",
    reason: typeof reason === "string" ? reason.slice(0, 60) : "Unknown",
    exitCode: Number.isInteger(exitCode) ? Math.max(-1, Math.min(255, Number(exitCode))) : -1,
    finishedAt: typeof finishedAt === "string" ? finishedAt.slice(0, 40) : undefined,
  };
}

function troubleOf(status: PodStatus): string {
  const containers = [...listOf(status.initContainerStatuses), ...listOf(status.containerStatuses)];
  const [stuck] = containers.flatMap(waitingText);
  if (stuck !== undefined) return stuck;
  const scheduled = listOf(status.conditions).find(({ type }) => type === "PodScheduled");
  if (scheduled?.status === "False" && typeof scheduled.message === "string") {
    return scheduled.message.slice(0, 300);
  }
  return typeof status.phase === "string" ? `the pod is ${status.phase}` : "the pod is being made";
}

function waitingText({ name, state }: ContainerStatus): string[] {
  const { reason, message } = state?.waiting ?? {};
  if (typeof reason !== "string" || reason === "PodInitializing") return [];
  const detail = typeof message === "string" ? `: ${message.slice(0, 200)}` : "";
  return [`${typeof name === "string" ? name : "a container"}: ${reason}${detail}`];
}

/** The objects in what should be a list of them. */
function listOf<T>(value: readonly T[] | undefined): readonly T[] {
  return Array.isArray(value) ? value.filter((each) => typeof each === "object" && each !== null) : [];
}
