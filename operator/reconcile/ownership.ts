/**
 * The operator of a Node, by an annotation: the first one that leads takes a Node, and others leave it alone. So releases
 * with overlapping scopes or of other versions never write the same objects.
 */
import { annotations } from "../api/names.ts";
import type { NodeResource, ObjectMeta } from "../api/resource.ts";
import { kinds } from "../kube/resources.ts";
import { formatInstant } from "../observe/clock.ts";
import type { Verdict } from "../plan/conditions.ts";
import type { ReconcileDeps } from "./deps.ts";

/** Interval at which another operator repeats its claim. */
const REPEAT_MS = 600_000;
/** Age at which the claim of another operator is no longer reported. */
const STALE_MS = 3 * REPEAT_MS;

/** Reports to the Node, and so to its operator, that this one would manage it; returns the next time. */
export async function reportForeign({ kind, meta }: NodeResource, deps: ReconcileDeps): Promise<number> {
  const { operatorId, version } = deps.settings;
  const { namespace, name } = meta;
  const owner = meta.annotations[annotations.operator];
  const command = `kubectl -n ${namespace} annotate --overwrite kn ${name} ${annotations.operator}=${operatorId}`;
  const message = `the operator ${operatorId} ${version} leaves the Node to the operator ${owner}, whose scope overlaps: uninstall one of them, or limit watchNamespace. To hand the Node over: ${command}`;
  deps.events.record({ kind, meta }, "ManagedByAnother", message);
  const known = readContender(meta);
  const now = deps.clock.now();
  if (known?.operator === operatorId && known.version === version && now - known.at < REPEAT_MS)
    return REPEAT_MS;
  const contender = `${operatorId} ${version} ${formatInstant(now)}`;
  await deps.client.merge(
    kinds.node,
    { namespace, name },
    {
      metadata: {
        resourceVersion: meta.resourceVersion,
        annotations: { [annotations.contender]: contender },
      },
    },
  );
  return REPEAT_MS;
}

interface Contender {
  readonly operator: string;
  readonly version: string;
  readonly at: number;
}

function readContender({ annotations: given }: Pick<ObjectMeta, "annotations">): Contender | undefined {
  const [operator = "", version = "", time = ""] = (given[annotations.contender] ?? "").split(" ");
  const at = Date.parse(time);
  return Number.isNaN(at) ? undefined : { operator, version, at };
}

/** Returns the warning condition about another operator, present only while that one repeats its claim. */
export function contestedVerdicts(
  { meta }: NodeResource,
  { settings: { operatorId }, clock }: Pick<ReconcileDeps, "settings" | "clock">,
): readonly Verdict[] {
  const contender = readContender(meta);
  if (contender === undefined || contender.operator === operatorId) return [];
  if (clock.now() - contender.at > STALE_MS) return [];
  const message = `the operator ${contender.operator} ${contender.version} would manage this Node too, and leaves it alone: uninstall one of them, or limit watchNamespace`;
  return [{ type: "Contested", status: "True", reason: "ScopesOverlap", message }];
}
