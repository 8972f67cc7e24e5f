/** Applies the CustomResourceDefinitions of this version to the cluster, as a Job before an upgrade of the chart. */
import { definitions } from "../api/definition.ts";
import { FIELD_MANAGER } from "../api/names.ts";
import { loadAccess } from "../kube/access.ts";
import { type KubeClient, openKubeClient } from "../kube/client.ts";
import { systemClock } from "../observe/clock.ts";
import type { Log } from "../observe/log.ts";

/** Applies both definitions. Throws `KubeError`. */
export async function upgradeDefinitions(log: Log): Promise<void> {
  const access = await loadAccess(() => systemClock.now());
  await using client = openKubeClient({ access, userAgent: FIELD_MANAGER, fieldManager: FIELD_MANAGER });
  await applyDefinitions(client, log);
}

/** Applies the definitions with a client. */
export async function applyDefinitions(client: Pick<KubeClient, "applyDefinition">, log: Log): Promise<void> {
  for (const definition of definitions) {
    await client.applyDefinition(definition);
    log.info({ definition: definition.metadata.name }, "definition applied");
  }
}
