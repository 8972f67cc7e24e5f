/** What a pod tells of itself. */

/** A pod as it matters here. */
export interface PodView {
  /** Undefined until it has one. */
  readonly address: string | undefined;
  readonly ready: boolean;
  /** Why it is not ready, as far as it says. */
  readonly trouble: string;
}

interface PodStatus {
  readonly phase?: unknown;
  readonly podIP?: unknown;
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
  readonly state?: { readonly waiting?: { readonly reason?: unknown; readonly message?: unknown } };
}

const ADDRESS = /^[0-9a-fA-F.:]{2,45}$/;

/** Reads a pod. */
export function readPod(object: unknown): PodView {
  const status = (object as { status?: PodStatus | null }).status ?? {};
  const { podIP } = status;
  const conditions = listOf(status.conditions);
  const ready = conditions.find(({ type }) => type === "Ready")?.status === "True";
  return {
    address: typeof podIP === "string" && ADDRESS.test(podIP) ? podIP : undefined,
    ready,
    trouble: ready ? "" : troubleOf(status),
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
