/**
 * Runs maintenance one action at a time: the run is written to the status before the node is called, and the
 * response afterwards, with an event.
 */
import { isCouncilOperation, isVolumeOperation, type Operation, operations } from "../api/names.ts";
import type { MaintenanceRun } from "../api/node-runs.ts";
import { readBackup, readLastMigration, readMigration, readRoom, readSaving } from "../control/answers.ts";
import { ControlError } from "../control/error.ts";
import type { ControlMethod } from "../control/methods.ts";
import { afterBackup, type BackupProgress, recordedBackup, resumedBackup } from "../plan/backup.ts";
import {
  type Answer,
  afterProgress,
  afterResume,
  afterSaving,
  afterStart,
  afterStop,
  isOpen,
  type MaintenanceStep,
  type MigrationProgress,
  planMaintenance,
  type SavingProgress,
} from "../plan/maintenance.ts";
import type { Turn } from "../plan/order.ts";
import type { MaintainedMember, MigrationSpace, PreflightView } from "../plan/preflight.ts";
import { startNext } from "../plan/requests.ts";
import { isOpenWindow } from "../plan/windows.ts";
import { gatewayOf } from "./cluster-cache.ts";
import { type Context, type MemberContext, saveStatus } from "./context.ts";
import { councilsOfNode, limitingCouncils } from "./council.ts";
import { castVotes, followVotes } from "./council-votes.ts";
import { type Group, groupKey, groupOf, viewMember } from "./group.ts";
import { goOn, type Outcome } from "./outcome.ts";
import { isPaused } from "./paused.ts";
import { deleteVolume, followRenewal, renewalViewOf } from "./renewal.ts";
import { bookOf, runsToCome, withBook } from "./requests.ts";

/** Interval of progress checks. */
const LOOK_MS = 10_000;
/** Interval of checks of short operations: saving the cache, and verification. */
const SHORT_MS = 2_500;

/** Starts the next run after the last has completed, and performs its next action. */
export async function maintenanceStep(context: Context): Promise<Outcome> {
  context.status = withBook(context.status, startNext(bookOf(context.status), context.deps.clock.now()));
  const { maintenance: run } = context.status;
  if (run === undefined || !isOpen(run)) return goOn;
  const renewal = await renewalViewOf(context, run);
  const space = await roomFor(context, run); // and then what others have begun meanwhile
  const view = { ...preflightView(context, run), renewal, space };
  const step = planMaintenance(run, view, context.deps.clock.now());
  await note(context, step.run);
  const after = await carryOut(context, step);
  if (after !== undefined) await note(context, after);
  lookAgain(context, after ?? step.run);
  return goOn;
}

function lookAgain(context: Context, run: MaintenanceRun): void {
  const { deps, status, members } = context;
  const verified = members.find(({ member }) => run.state === "Verifying" && member.name === run.member);
  if (verified !== undefined) deps.poller.pollSoon(verified.key);
  const isSaving = run.state === "Running" && run.operation === "save-cache";
  const waitMs = verified !== undefined || isSaving ? SHORT_MS : LOOK_MS;
  if (isOpen(run)) context.againMs = Math.min(waitMs, context.againMs ?? waitMs);
  else if (status.maintenanceQueue !== undefined) context.againMs = 0;
}

/** Queries the disk space for a migration that is next; undefined when the node cannot be queried. */
async function roomFor(context: Context, run: MaintenanceRun): Promise<MigrationSpace | undefined> {
  if (run.operation !== "migrate" || run.state !== "Requested") return undefined;
  const step = planMaintenance(run, preflightView(context, run), context.deps.clock.now());
  if (step.do !== "begin") return undefined;
  try {
    return readRoom(await ask(context, run, "admin_stateMigrationRoom"));
  } catch (error) {
    if (error instanceof ControlError) return undefined;
    throw error;
  }
}

function preflightView(context: Context, run: MaintenanceRun): PreflightView {
  const { node, deps, members } = context;
  const group = groupOf(context);
  const member = members.find((each) => each.member.name === run.member);
  // An operation that another worker starts is in no status until that is written.
  const isBusy = deps.memory.isGroupLocked(group.key);
  const rolling = rollingMember(context, run, group);
  const maintained = isBusy ? "another member" : group.others[0]?.member;
  const isFree = run.state === "Requested" && maintained === undefined && rolling === undefined;
  return {
    member: member && viewMaintained(member),
    members: group.members,
    councils: isCouncilOperation(run.operation) ? councilsOfNode(context) : limitingCouncils(context),
    maintained,
    rolling,
    turns: isFree ? turnsIn(group, deps.clock.now()) : [], // many are looked at: only when it matters
    isWindowOpen: isOpenWindow(node.spec.maintenance.windows, deps.clock.now()),
    space: undefined,
  };
}

/**
 * Returns a member of the group that is being recreated, or is next. A halted rollout recreates nobody before its spec
 * changes, and that of the Node itself holds up no operation for a replica that has failed.
 */
function rollingMember(
  { node, rollout }: Context,
  { operation }: MaintenanceRun,
  { rollouts }: Group,
): string | undefined {
  const isHalted = [...rollouts.values()].some(({ state }) => state !== "Rolling");
  const isForFailed = isVolumeOperation(operation) || operation === "leave-council";
  const next = isHalted || isForFailed ? [] : (rollout?.keep ?? []);
  const rolling = [...rollouts].flatMap(([of, { state, member }]) =>
    state === "Rolling" && !(isForFailed && of === node.meta.name) ? [member] : [],
  );
  return [...next, ...rolling][0];
}

/** Lists the Nodes of a group with waiting runs. */
function turnsIn({ nodes }: Group, now: number): readonly Turn[] {
  return nodes.flatMap((node) => {
    if (isPaused(node.meta)) return [];
    const { current } = runsToCome(node, now);
    return current?.state === "Requested" ? [{ ...current, node: node.meta.name }] : [];
  });
}

function viewMaintained({ member, status, deps, facts }: MemberContext): MaintainedMember {
  const { usedBytes, capacityBytes, claimBytes } = status.disk ?? {};
  const isKnown = usedBytes !== undefined && capacityBytes !== undefined;
  return {
    ...viewMember(member, deps),
    syncing: facts.report?.syncing ?? false,
    peers: facts.report?.peers.size ?? 0,
    peersWanted: status.peersWanted ?? 0,
    freeBytes: isKnown ? capacityBytes - usedBytes : undefined,
    claimBytes: claimBytes || undefined,
    growth: facts.growth,
  };
}

type Asking = (context: Context, run: MaintenanceRun) => Promise<MaintenanceRun | undefined>;

const begin: Asking = async (context, run) => {
  const { operation } = run;
  if (isCouncilOperation(operation)) return castVotes(context, run, operation);
  if (isVolumeOperation(operation)) return deleteVolume(context, run);
  const answer = await command(context, run, operations[operation]);
  // An operation under way was begun by hand, or by an operator that ended before it noted the answer.
  const isUnderWay = answer.ok || (await isRunning(context, run, operation));
  return afterStart(run, isUnderWay ? { ok: true } : answer, context.deps.clock.now());
};

/** Reports of the node about its operations: the method, and the decoder of its result. */
const reports = {
  migrate: { method: "admin_stateMigrationStatus", read: readMigration },
  "save-cache": { method: "admin_saveTrieNodeStatus", read: readSaving },
  checkpoint: { method: "admin_backupStatus", read: readBackup },
} as const satisfies Partial<Record<Operation, { method: ControlMethod; read: (value: unknown) => object }>>;

/** True when the node reports that it carries out an operation; false when it is of a release without such reports. */
async function isRunning(
  context: Context,
  run: MaintenanceRun,
  operation: keyof typeof reports,
): Promise<boolean> {
  const { method, read } = reports[operation];
  const answer = await askNewer(context, run, method);
  return answer !== undefined && read(answer).running;
}

/** Queries the progress of a migration. A restarted node reports its last migration separately. */
async function progressOf(context: Context, run: MaintenanceRun): Promise<MigrationProgress> {
  const status = { ...readMigration(await ask(context, run, "admin_stateMigrationStatus")), isPast: false };
  if (status.running || status.block > 0 || status.error !== undefined) return status;
  const answer = await askNewer(context, run, "admin_stateMigrationLast");
  const last = answer === undefined ? undefined : readLastMigration(answer);
  if (last === undefined) return status;
  return { ...status, ...last, percent: last.error === undefined ? 100 : 0, isPast: true };
}

async function savingOf(context: Context, run: MaintenanceRun): Promise<SavingProgress | undefined> {
  const answer = await askNewer(context, run, "admin_saveTrieNodeStatus");
  return answer === undefined ? undefined : readSaving(answer);
}

/** Calls a method; undefined when the gateway or the node is of a release without it. */
async function askNewer(context: Context, run: MaintenanceRun, method: ControlMethod): Promise<unknown> {
  try {
    return await ask(context, run, method);
  } catch (error) {
    if (error instanceof ControlError && (error.code === "refused" || error.code === "node-error"))
      return undefined;
    throw error;
  }
}

/** Records a backup that is in the archive together with the run that made it. */
function noteBackup(context: Context, run: MaintenanceRun, { last }: BackupProgress): MaintenanceRun {
  if (run.state === "Verifying" && last !== undefined)
    context.status = { ...context.status, backup: recordedBackup(context.status.backup, run, last) };
  return run;
}

async function followBackup(context: Context, run: MaintenanceRun): Promise<MaintenanceRun> {
  const progress = readBackup(await ask(context, run, "admin_backupStatus"));
  return noteBackup(context, afterBackup(run, progress, context.deps.clock.now()), progress);
}

/** Returns the run of a backup that an earlier operator has begun; undefined when it did not. */
async function resumeBackup(context: Context, run: MaintenanceRun): Promise<MaintenanceRun | undefined> {
  const progress = readBackup(await ask(context, run, "admin_backupStatus"));
  const found = resumedBackup(run, progress, context.deps.clock.now());
  return found && noteBackup(context, found, progress);
}

const looks: Readonly<Record<Operation, Asking>> = {
  migrate: async (context, run) =>
    afterProgress(run, await progressOf(context, run), context.deps.clock.now()),
  "save-cache": async (context, run) =>
    afterSaving(run, await savingOf(context, run), context.deps.clock.now()),
  checkpoint: followBackup,
  "join-council": followVotes,
  "leave-council": followVotes,
  replace: (context, run) => Promise.resolve(followRenewal(context, run)),
  resync: (context, run) => Promise.resolve(followRenewal(context, run)),
};

/** Calls of each action, with the run after the response. */
const asking: Readonly<Record<MaintenanceStep["do"], Asking>> = {
  begin,
  async resume(context, run) {
    if (run.operation === "checkpoint") return (await resumeBackup(context, run)) ?? begin(context, run);
    if (run.operation !== "migrate") return begin(context, run);
    const found = afterResume(run, await progressOf(context, run), context.deps.clock.now());
    return found ?? begin(context, run);
  },
  look: (context, run) => looks[run.operation](context, run),
  async stop(context, run) {
    const method = run.operation === "checkpoint" ? "admin_stopBackup" : "admin_stopStateMigration";
    return afterStop(run, await command(context, run, method), context.deps.clock.now());
  },
  wait: () => Promise.resolve(undefined),
  end: () => Promise.resolve(undefined),
};

/** Performs an action and returns the next run; undefined when no call is needed or possible. */
async function carryOut(context: Context, step: MaintenanceStep): Promise<MaintenanceRun | undefined> {
  try {
    return await asking[step.do](context, step.run);
  } catch (error) {
    if (!(error instanceof ControlError)) throw error;
    const fields = { node: context.key, member: step.run.member, error: error.message };
    context.deps.log.warn(fields, "maintenance status cannot be queried");
    return undefined;
  }
}

/** Calls a command. An error of the node is a result. */
async function command(context: Context, run: MaintenanceRun, method: ControlMethod): Promise<Answer> {
  try {
    await ask(context, run, method);
    return { ok: true };
  } catch (error) {
    if (error instanceof ControlError && error.code === "node-error")
      return { ok: false, message: error.message };
    throw error;
  }
}

function ask({ members, deps }: Context, run: MaintenanceRun, method: ControlMethod): Promise<unknown> {
  const member = members.find((each) => each.member.name === run.member);
  const address = member?.facts.pod?.address;
  if (member === undefined || address === undefined)
    throw new ControlError("connect", `the pod of ${run.member} has no address`);
  return deps.channel.call(gatewayOf(member.key, address), method);
}

const REASONS = {
  Starting: undefined,
  Stopping: undefined,
  Requested: undefined,
  Verifying: undefined,
  Running: "MaintenanceStarted",
  Succeeded: "MaintenanceSucceeded",
  Failed: "MaintenanceFailed",
} as const;

/** Writes the run to the status. The group is locked until its start is written. */
async function note(context: Context, run: MaintenanceRun): Promise<void> {
  const before = context.status.maintenance;
  if (JSON.stringify(before) === JSON.stringify(run)) return;
  {
    using _lock = run.state === "Starting" ? context.deps.memory.lockGroup(groupKey(context)) : undefined;
    context.status = { ...context.status, maintenance: run };
    await saveStatus(context);
  }
  const reason = REASONS[run.state];
  if (reason === undefined || run.state === before?.state) return;
  context.deps.events.record(context.node, reason, `${run.operation} of ${run.member}: ${run.message}`);
}
