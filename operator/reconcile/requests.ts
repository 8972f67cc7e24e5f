/**
 * Records maintenance requests of the annotation, of schedules and of disk usage as queued runs in the
 * status.
 */
import { annotations, isCouncilOperation, operationNames, RESTART } from "../api/names.ts";
import type { BackupStatus } from "../api/node-backup.ts";
import type { MemberStatus, NodeStatus } from "../api/node-status.ts";
import { keyOf, type NodeResource } from "../api/resource.ts";
import { type Member, membersOf, objectNames } from "../build/names.ts";
import { lastAppliedTemplate, latestRestart, templateRestart } from "../build/template.ts";
import { kinds } from "../kube/resources.ts";
import { formatInstant } from "../observe/clock.ts";
import { backupMember } from "../plan/backup.ts";
import {
  type AnnotationRequest,
  addRequests,
  type MaintenanceRequest,
  type MemberDisk,
  parseRequest,
  type RunBook,
  requestedMembers,
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
  else {
    const refusal = refusalOfRequest(node, request);
    if (refusal !== undefined) {
      const words = `${annotations.run}=${text.slice(0, 64)}: ${refusal}`;
      deps.events.record(node, "MaintenanceRefused", words);
    } else {
      add(context, requestsOf(context, request));
      await saveStatus(context);
    }
  }
  await removeAnnotation(context, text);
  return goOn;
}

/** Returns the reason not to record a request; undefined for one to record. */
function refusalOfRequest(node: NodeResource, request: AnnotationRequest): string | undefined {
  if (!("operation" in request))
    return `unknown operation; the operations are ${[...operationNames, RESTART].join(", ")}`;
  const { operation, member } = request;
  if (operation === "checkpoint" && node.spec.backup === undefined) return "spec.backup names no archive";
  if (isCouncilOperation(operation) && node.spec.type !== "core")
    return "only a core node can be a validator";
  const names = membersOf(node).map(({ name }) => name);
  if (requestedMembers(request, names) !== undefined) return undefined;
  return member === undefined
    ? `name one of the replicas, as in ${operation}:${names[0]}`
    : `there is no such replica; the replicas are ${names.join(", ")}`;
}

/** Returns the requests of the annotation: of each replica, of the named one, or of one for a backup. */
function requestsOf(
  { node, status }: { readonly node: NodeResource; readonly status: NodeStatus },
  request: AnnotationRequest,
): readonly MaintenanceRequest[] {
  if (!("operation" in request) || refusalOfRequest(node, request) !== undefined) return [];
  const { operation, member } = request;
  const names = membersOf(node).map(({ name }) => name);
  const one = operation === "checkpoint" ? (member ?? backedUpMember({ ...node, status })) : undefined;
  const members = one === undefined ? (requestedMembers(request, names) ?? []) : [one];
  return forAll(
    members.map((name) => ({ member: name })),
    { operation, cause: "Annotation" },
  );
}

function backedUpMember(node: NodeResource): string | undefined {
  const { members = [], backup } = node.status;
  return backupMember(
    membersOf(node).map(({ name }) => name),
    members,
    backup?.member,
  );
}

/**
 * Records a restart, which the rollout carries out: another restart is another pod template. Its time is later than that of
 * the last one, also when the clock was set back since.
 */
async function recordRestart(context: Context): Promise<void> {
  const { node, deps, members } = context;
  const earlier = members.map(({ member }) => timeOf(lastRestart(member, deps)));
  const time = Math.max(deps.clock.now(), ...earlier.map((at) => at + 1_000));
  context.status = { ...context.status, restartedAt: formatInstant(time) };
  await saveStatus(context);
  deps.events.record(node, "RestartRequested", "the replicas are recreated one at a time");
}

function lastRestart(member: Member, { cache, applier }: Context["deps"]): string | undefined {
  const key = keyOf({ ...member.node.meta, name: objectNames(member.name).statefulSet });
  const set = applier.latest("StatefulSet", key, cache.find("statefulSet", key));
  return latestRestart(member, templateRestart(lastAppliedTemplate(set)));
}

/** Returns a time in milliseconds since the epoch; 0 for none. */
function timeOf(instant: string | undefined): number {
  return (instant === undefined ? 0 : Date.parse(instant)) || 0;
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
  const schedules = marks.length === 0 ? undefined : marks;
  const schedule = scheduleOf(schedules);
  const isNew = schedule !== undefined && schedule !== scheduleOf(status.schedules);
  const known = backupIn(node.spec.backup?.to.url, status) ?? noBackup(now);
  const backup = node.spec.backup && (isNew ? { ...known, since: formatInstant(now) } : known);
  context.status = { ...status, schedules, backup };
  add(context, requests);
  return goOn;
}

/** Returns the schedule of the backups. */
function scheduleOf(marks: NodeStatus["schedules"]): string | undefined {
  return marks?.find(({ operation }) => operation === "checkpoint")?.schedule;
}

/** Returns the newest backup, unless it is in another archive than the spec names. */
function backupIn(archive: string | undefined, { backup }: NodeStatus): BackupStatus | undefined {
  return backup?.archive === undefined || backup.archive === archive ? backup : undefined;
}

/** Returns the status of a Node without a backup. */
function noBackup(now: number): BackupStatus {
  return {
    since: formatInstant(now),
    member: undefined,
    checkpoint: undefined,
    archive: undefined,
    height: undefined,
    bytes: undefined,
    sentBytes: undefined,
    at: undefined,
    verifiedAt: undefined,
  };
}

/** Returns the runs of a Node, including requests that are not recorded yet. */
export function runsToCome(node: NodeResource, now: number): RunBook {
  const { meta, status } = node;
  const disks = membersOf(node).map(({ name }) =>
    diskOf(name, status.members?.find((member) => member.name === name)?.disk),
  );
  const request = parseRequest(meta.annotations[annotations.run] ?? "");
  const asked = requestsOf({ node, status }, request);
  const { requests } = standingRequests(standingView(node, disks), now);
  return startNext(addRequests(bookOf(status), [...asked, ...requests], now), now);
}

function standingView(node: NodeResource, disks: readonly MemberDisk[]): StandingView {
  const { spec, status } = node;
  const { maintenance, backup } = spec;
  const backedUp = backedUpMember(node);
  return { maintenance, backup, backedUp, marks: status.schedules ?? [], disks, book: bookOf(status) };
}

function diskOf(member: string, disk: MemberStatus["disk"]): MemberDisk {
  const { usedBytes, capacityBytes } = disk ?? {};
  const isKnown = usedBytes !== undefined && capacityBytes !== undefined;
  return { member, percent: isKnown ? percentOf({ usedBytes, capacityBytes }) : undefined };
}

function add(context: Context, requests: readonly MaintenanceRequest[]): void {
  const now = context.deps.clock.now();
  const book = addRequests(bookOf(context.status), requests, now);
  context.status = withBook(context.status, startNext(book, now));
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
