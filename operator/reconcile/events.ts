/** Events of a Node, as `kubectl describe` shows them. One that repeats is told once in a while. */
import { API_VERSION, type EventReason, eventReasons, FIELD_MANAGER } from "../api/names.ts";
import type { NodeResource } from "../api/resource.ts";
import type { KubeClient } from "../kube/client.ts";
import { kinds } from "../kube/resources.ts";
import { type Clock, instant } from "../observe/clock.ts";
import type { Log } from "../observe/log.ts";

/** Tells events. */
export interface EventRecorder {
  /** Does not wait and never fails: an event that is lost is only logged. */
  tell(node: NodeResource, reason: EventReason, message: string): void;
}

const REPEAT_MS = 600_000;
const MOST_REMEMBERED = 2_000;
const MOST_CHARACTERS = 1_000;

/** Creates a recorder. */
export function createEventRecorder(
  client: Pick<KubeClient, "create">,
  clock: Clock,
  log: Log,
): EventRecorder {
  const told = new Map<string, number>();
  let count = 0;
  return {
    tell(node, reason, message) {
      const now = clock.now();
      const key = `${node.meta.uid} ${reason} ${message}`;
      if (now - (told.get(key) ?? Number.NEGATIVE_INFINITY) < REPEAT_MS) return;
      if (told.size >= MOST_REMEMBERED) told.clear();
      told.set(key, now);
      count++;
      client.create(eventOf(node, reason, message, { now, count })).catch((error: unknown) => {
        log.warn({ node: node.meta.name, reason, error: String(error) }, "event was not told");
      });
    },
  };
}

function eventOf(
  { meta }: NodeResource,
  reason: EventReason,
  message: string,
  { now, count }: { readonly now: number; readonly count: number },
) {
  const time = instant(now);
  return {
    apiVersion: kinds.event.apiVersion,
    kind: kinds.event.kind,
    metadata: { name: `${meta.name}.${now.toString(16)}${count.toString(16)}`, namespace: meta.namespace },
    involvedObject: {
      apiVersion: API_VERSION,
      kind: "Node",
      name: meta.name,
      namespace: meta.namespace,
      uid: meta.uid,
      resourceVersion: meta.resourceVersion,
    },
    reason,
    message: message.slice(0, MOST_CHARACTERS),
    type: eventReasons[reason],
    firstTimestamp: time,
    lastTimestamp: time,
    count: 1,
    source: { component: FIELD_MANAGER },
    reportingComponent: FIELD_MANAGER,
    reportingInstance: FIELD_MANAGER,
  };
}
