/** Kubernetes Events of Nodes and Networks. Repeated ones are counted. */
import { API_VERSION, type EventReason, eventReasons, FIELD_MANAGER } from "../api/names.ts";
import type { NetworkResource, NodeResource } from "../api/resource.ts";
import type { KubeClient, Place } from "../kube/client.ts";
import { kinds } from "../kube/resources.ts";
import { type Clock, formatInstant } from "../observe/clock.ts";
import type { Log } from "../observe/log.ts";
import { EventSeries } from "./event-series.ts";

/** Recorder of events. */
export interface EventRecorder {
  /** Records an event without waiting. A failure is logged only. */
  record(
    about: Pick<NodeResource | NetworkResource, "kind" | "meta">,
    reason: EventReason,
    message: string,
  ): void;
}

const MAX_CHARACTERS = 1_000;

/** Creates a recorder. */
export function createEventRecorder(
  client: Pick<KubeClient, "create" | "merge">,
  clock: Clock,
  log: Log,
): EventRecorder {
  const series = new EventSeries();
  return {
    record(about, reason, message) {
      const now = clock.now();
      const { uid, name, namespace } = about.meta;
      const what = `${reason} ${message}`;
      const write = series.next(uid, what, now);
      if (write === undefined) return;
      const place = { namespace, name: `${name}.${write.name}` };
      const writing =
        write.kind === "new"
          ? client.create(eventOf(about, reason, message, { now, place }))
          : client.merge(kinds.event, place, { count: write.count, lastTimestamp: formatInstant(now) });
      writing.catch((error: unknown) => {
        series.forget(uid, what);
        log.warn({ about: name, reason, error: String(error) }, "event cannot be recorded");
      });
    },
  };
}

function eventOf(
  { kind, meta }: Pick<NodeResource | NetworkResource, "kind" | "meta">,
  reason: EventReason,
  message: string,
  { now, place }: { readonly now: number; readonly place: Place },
) {
  const time = formatInstant(now);
  return {
    apiVersion: kinds.event.apiVersion,
    kind: kinds.event.kind,
    metadata: place,
    involvedObject: {
      apiVersion: API_VERSION,
      kind,
      name: meta.name,
      namespace: meta.namespace,
      uid: meta.uid,
      resourceVersion: meta.resourceVersion,
    },
    reason,
    message: message.slice(0, MAX_CHARACTERS),
    type: eventReasons[reason][0],
    firstTimestamp: time,
    lastTimestamp: time,
    count: 1,
    source: { component: FIELD_MANAGER },
    reportingComponent: FIELD_MANAGER,
    reportingInstance: FIELD_MANAGER,
  };
}
