/**
 * Records maintenance requests of the annotation, of schedules and of disk usage as queued runs in the
 * status.
 */
import { annotations, isCouncilOperation, operations, RESTART } from "../api/names.ts";
import type { MemberStatus, NodeStatus } from "../api/node-status.ts";
import type { NodeResource } from "../api/resource.ts";
import { membersOf } from "../build/names.ts";
import { kinds } from "../kube/resources.ts";
import { formatInstant } from "../observe/clock.ts";
import {
  addRequests,
  type MaintenanceRequest,
  type MemberDisk,
  parseRequest,
  type RunBook,
  startNext,
} from "../plan/requests.ts";
import { forAll, type StandingView, standingRequests } from "../plan/standing-requests.ts";
import { percentOf } from "../plan/storage.ts";
import { type Context, saveStatus } from "./context.ts";
import { goOn, type Outcome } from "./outcome.ts";

/**
 * Records the request of the annotation in the status, then removes the annotation, so that a crash in
 * between loses nothing.
 */
export async function requestStep(context: Context): Promise<Outcome> {
  const { node, deps } = context;
  const text = node.meta.annotations[annotations.run];
  if (text === undefined) return goOn;
  const request = parseRequest(text);
  if (text === RESTART) await recordRestart(context);
  else if ("operation" in request && isCouncilOperation(request.operation) && node.spec.type !== "core") {
    const words = `${annotations.run}=${request.operation}: only a core node can be a validator`;
    deps.events.record(node, "MaintenanceRefused", words);
  } else if ("operation" in request) {
    const members = context.members.map(({ member }) => ({ member: member.name }));
    add(context, forAll(members, { operation: request.operation, cause: "Annotation" }));
    await saveStatus(context);
  } else {
    const known = [...Object.keys(operations), RESTART].join(", ");
    const words = `${annotations.run}=${request.unknown}: unknown operation; the operations are ${known}`;
    deps.events.record(node, "MaintenanceRefused", words);
  }
  await removeAnnotation(context, text);
  return goOn;
}

/** Records a restart, which the rollout carries out: another restart is another pod template. */
async function recordRestart(context: Context): Promise<void> {
  const { node, deps } = context;
  context.status = { ...context.status, restartedAt: formatInstant(deps.clock.now()) };
  await saveStatus(context);
  deps.events.record(node, "RestartRequested", "the replicas are recreated one at a time");
}

/** Removes the annotation with the version as precondition, so that a newer request is not lost. */
async function removeAnnotation({ node, deps, key }: Context, text: string): Promise<void> {
  const { name, namespace, resourceVersion, annotations: present } = deps.cache.node(key)?.meta ?? node.meta;
  if (present[annotations.run] !== text) return;
  const patch = { metadata: { resourceVersion, annotations: { [annotations.run]: null } } };
  deps.cache.recordWrite(await deps.client.merge(kinds.node, { name, namespace }, patch));
}

/** Records requests of schedules and disk usage together with the progress of schedules. */
export function standingRequestStep(context: Context): Outcome {
  const { node, deps, status } = context;
  const disks = context.members.map(({ member, status: { disk } }) => diskOf(member.name, disk));
  const now = deps.clock.now();
  const { requests, marks, refused } = standingRequests(standingView({ ...node, status }, disks), now);
  for (const { operation, schedule } of refused) {
    const words = `${operation}: "${schedule}" is not a schedule of five fields`;
    deps.events.record(node, "MaintenanceRefused", words);
  }
  context.status = { ...status, schedules: marks.length === 0 ? undefined : marks };
  add(context, requests);
  return goOn;
}

/** Returns the runs of a Node, including requests that are not recorded yet. */
export function runsToCome(node: NodeResource, now: number): RunBook {
  const { meta, status } = node;
  const disks = membersOf(node).map(({ name }) =>
    diskOf(name, status.members?.find((member) => member.name === name)?.disk),
  );
  const request = parseRequest(meta.annotations[annotations.run] ?? "");
  const asked =
    "operation" in request ? forAll(disks, { operation: request.operation, cause: "Annotation" }) : [];
  const { requests } = standingRequests(standingView(node, disks), now);
  return startNext(addRequests(bookOf(status), [...asked, ...requests], now));
}

function standingView({ spec, status }: NodeResource, disks: readonly MemberDisk[]): StandingView {
  return { maintenance: spec.maintenance, marks: status.schedules ?? [], disks, book: bookOf(status) };
}

function diskOf(member: string, disk: MemberStatus["disk"]): MemberDisk {
  const { usedBytes, capacityBytes } = disk ?? {};
  const isKnown = usedBytes !== undefined && capacityBytes !== undefined;
  return { member, percent: isKnown ? percentOf({ usedBytes, capacityBytes }) : undefined };
}

function add(context: Context, requests: readonly MaintenanceRequest[]): void {
  const book = addRequests(bookOf(context.status), requests, context.deps.clock.now());
  context.status = withBook(context.status, startNext(book));
}

/** Reads the runs of a status. */
export function bookOf({ maintenance, maintenanceQueue = [], maintenanceHistory = [] }: NodeStatus): RunBook {
  return { current: maintenance, queue: maintenanceQueue, history: maintenanceHistory };
}

/** Returns a status with these runs. */
export function withBook(status: NodeStatus, { current, queue, history }: RunBook): NodeStatus {
  return {
    ...status,
    maintenance: current,
    maintenanceQueue: queue.length === 0 ? undefined : queue,
    maintenanceHistory: history.length === 0 ? undefined : history,
  };
}
