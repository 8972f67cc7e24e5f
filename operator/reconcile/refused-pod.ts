/** The cause that a StatefulSet has no pod: the API server's refusal, which only an event of the StatefulSet has. */
import { stepReasons } from "../api/reasons.ts";
import { objectNames } from "../build/names.ts";
import { KubeError } from "../kube/error.ts";
import { kinds } from "../kube/resources.ts";
import type { MemberContext } from "./context.ts";

/** Maximum wait for the events. */
const ANSWER_MS = 5_000;

/** An event, as far as it is read. */
interface EventView {
  readonly message?: unknown;
  readonly lastTimestamp?: unknown;
}

/**
 * Returns the message about a missing pod. From the second look on, ten seconds after the first, it has the refusal of a
 * policy, a quota or a webhook, where there is one.
 */
export async function missingPodText(context: MemberContext): Promise<string> {
  const { meta } = context.node;
  const { statefulSet } = objectNames(context.member.name);
  const refusal =
    context.status.reason === "PodMissing" ? await newestRefusal(context, statefulSet) : undefined;
  if (refusal !== undefined) return `the API server refuses the pod: ${refusal}`;
  const command = `kubectl -n ${meta.namespace} describe statefulset ${statefulSet}`;
  return `${stepReasons.PodMissing}; if it does not appear, \`${command}\` has the cause, such as a policy or a quota`;
}

/** Reads the events; undefined without one, and without the right to read them. */
async function newestRefusal(
  { node, deps }: MemberContext,
  statefulSet: string,
): Promise<string | undefined> {
  const fieldSelector = `involvedObject.kind=StatefulSet,involvedObject.name=${statefulSet},reason=FailedCreate`;
  const selection = { kind: kinds.event, namespace: node.meta.namespace, fieldSelector };
  try {
    const { items } = await deps.client.page(selection, undefined, AbortSignal.timeout(ANSWER_MS));
    const newest = (items as readonly EventView[]).reduce<EventView>(
      (last, each) => (timeOf(each) >= timeOf(last) ? each : last),
      {},
    );
    return typeof newest.message === "string" ? newest.message : undefined;
  } catch (error) {
    if (!(error instanceof KubeError)) throw error;
    return undefined;
  }
}

/** Returns the time of an event as text that compares; empty without one. */
function timeOf({ lastTimestamp }: EventView): string {
  return typeof lastTimestamp === "string" ? lastTimestamp : "";
}
