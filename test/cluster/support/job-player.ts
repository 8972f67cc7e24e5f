/**
 * Plays the pods of Jobs on a cluster without kubelets: each is the operator's program as a process, with the pod's
 * arguments and the rights that its account has at that moment; the pod's phase is what became of it.
 */
import { type Cluster, type Printed, run } from "./cluster.ts";
import { MAIN } from "./operator-process.ts";

interface JobPod {
  readonly metadata: { readonly name: string };
  readonly spec: {
    readonly serviceAccountName: string;
    readonly containers: readonly { readonly args: readonly string[] }[];
  };
  readonly status?: { readonly phase?: string };
}

/** The player. Disposing it ends the playing. */
export interface JobPlayer extends AsyncDisposable {
  /** Output of each pod so far. */
  readonly runs: readonly Printed[];
}

const LOOK_MS = 200;

/** Begins to play the Jobs of a namespace. */
export function openJobPlayer(cluster: Cluster, namespace: string): JobPlayer {
  const runs: Printed[] = [];
  const closing = new AbortController();
  const play = async ({ metadata: { name }, spec }: JobPod): Promise<void> => {
    const KUBECONFIG = await cluster.kubeconfigOf(namespace, spec.serviceAccountName);
    const printed = await run(process.execPath, [MAIN, ...(spec.containers[0]?.args ?? [])], {
      env: { KUBECONFIG },
    });
    runs.push(printed);
    const patch = JSON.stringify({ status: { phase: printed.code === 0 ? "Succeeded" : "Failed" } });
    const place = ["-n", namespace, "patch", "pod", name, "--subresource=status", "--type=merge"];
    await cluster.kubectl([...place, "-p", patch]);
  };
  const look = async (): Promise<void> => {
    const { items } = await cluster.get<{ items: JobPod[] }>("-n", namespace, "pod", "-l", "job-name");
    for (const pod of items.filter(({ status }) => status?.phase === "Pending")) await play(pod);
  };
  const playing = (async () => {
    while (!closing.signal.aborted) {
      await look().catch((error: unknown) => process.stderr.write(`job player: ${String(error)}\n`));
      await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
    }
  })();
  return {
    runs,
    async [Symbol.asyncDispose]() {
      closing.abort();
      await playing;
    },
  };
}
