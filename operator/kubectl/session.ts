/** The plugin's connection to the API server by KUBECONFIG. */
import { loadUserAccess } from "../kube/access.ts";
import { openKubeClient } from "../kube/client.ts";
import { systemClock } from "../observe/clock.ts";
import type { Session } from "./plugin.ts";

/** Field manager and user agent of the plugin. */
const NAME = "kubectl-knit";

/** Opens the connection of a context, of the current one when none is named. Throws `KubeError`. */
export async function openSession(context: string | undefined): Promise<Session> {
  const { access, namespace } = await loadUserAccess(() => systemClock.now(), context);
  const client = openKubeClient({ access, userAgent: NAME, fieldManager: NAME });
  return { client, namespace, [Symbol.asyncDispose]: () => client[Symbol.asyncDispose]() };
}
