/** Reads pods. */
import type { MemberStatus } from "../api/node-status.ts";
import { type CachedObject, projectObject } from "../kube/cached-object.ts";
import {
  type ContainerStatus,
  containersOf,
  listOf,
  type PodStatus,
  type Terminated,
  waitingText,
} from "./pod-failure.ts";

/** Observed state of a pod. */
export interface PodView {
  /** Pod IP; undefined until it is assigned. */
  readonly address: string | undefined;
  /** Address of the machine. */
  readonly hostAddress: string | undefined;
  readonly ready: boolean;
  /** Reason for not being ready, from the pod's status. */
  readonly trouble: string;
  /** True once the startup probe has succeeded. */
  readonly started: boolean;
  /** Changes with each restart of the node. */
  readonly incarnation: string;
  /** Last termination of a container. */
  readonly lastExit: LastExit | undefined;
}

type LastExit = NonNullable<MemberStatus["lastExit"]>;

const ADDRESS = /^[0-9a-fA-F.:]{2,45}$/;

/** Projects a pod to the fields that are read, for the cache. Throws `ApiError` for an invalid object. */
export function projectPod(object: unknown): CachedObject {
  return projectObject(object, (pod) => {
    const { status, metadata, spec } = pod as {
      status?: PodStatus | null;
      metadata: { uid?: unknown }; // it has metadata
      spec?: { nodeName?: unknown };
    };
    const { phase, podIP, hostIP, conditions, containerStatuses, initContainerStatuses } = status ?? {};
    return {
      metadata: { uid: metadata.uid },
      spec: { nodeName: spec?.nodeName },
      status: {
        phase,
        podIP,
        hostIP,
        conditions: listOf(conditions).map((each) => ({
          type: each.type,
          status: each.status,
          message: each.message,
        })),
        containerStatuses: listOf(containerStatuses).map(containerPart),
        initContainerStatuses: listOf(initContainerStatuses).map(containerPart),
      },
    };
  });
}

function containerPart(container: ContainerStatus): ContainerStatus {
  const { name, ready, started, restartCount, state, lastState } = container;
  return { name, ready, started, restartCount, ...(state && { state }), ...(lastState && { lastState }) };
}

/** Reads a pod. */
export function readPod(object: unknown): PodView {
  const { status: reported, metadata } = object as {
    status?: PodStatus | null;
    metadata?: { uid?: unknown };
  };
  const status = reported ?? {};
  const conditions = listOf(status.conditions);
  const ready = conditions.find(({ type }) => type === "Ready")?.status === "True";
  const node = listOf(status.containerStatuses).find(({ name }) => name === "node");
  return {
    address: addressIn(status.podIP),
    hostAddress: addressIn(status.hostIP),
    ready,
    trouble: ready ? "" : troubleOf(status),
    started: ready || node?.started === true,
    incarnation: `${String(metadata?.uid)}/${String(node?.restartCount)}`,
    lastExit: lastExitOf(status),
  };
}

function addressIn(text: unknown): string | undefined {
  return typeof text === "string" && ADDRESS.test(text) ? text : undefined;
}

/** Returns the last termination of a regular container; init containers terminate normally. */
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
  const [stuck] = containersOf(status).flatMap(waitingText);
  if (stuck !== undefined) return stuck;
  const scheduled = listOf(status.conditions).find(({ type }) => type === "PodScheduled");
  if (scheduled?.status === "False" && typeof scheduled.message === "string") {
    return scheduled.message.slice(0, 300);
  }
  return typeof status.phase === "string" ? `the pod is ${status.phase}` : "the pod is being created";
}
