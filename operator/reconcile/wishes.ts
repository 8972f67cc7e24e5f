/**
 * Wishes for maintenance: the annotation, schedules and full volumes become runs in the status, one for each member,
 * that wait for their turn.
 */
import { annotations, type Operation, operations } from "../api/names.ts";
import type { MaintenanceRun, ScheduleMark } from "../api/node-runs.ts";
import type { NodeStatus } from "../api/node-status.ts";
import { kinds } from "../kube/resources.ts";
import { percentOf } from "../plan/storage.ts";
import { isOpenWindow } from "../plan/windows.ts";
import {
  addWishes,
  diskWishes,
  followSchedule,
  type RunBook,
  readWish,
  takeNext,
  type Wish,
} from "../plan/wishes.ts";
import { type Context, saveStatus } from "./context.ts";
import { goOn, type Outcome } from "./outcome.ts";

/** Notes what the annotation asks for in the status, then takes it away: a crash in between loses nothing. */
export async function wishStep(context: Context): Promise<Outcome> {
  const { node, around } = context;
  const text = node.meta.annotations[annotations.run];
  if (text === undefined || node.meta.deleted) return goOn;
  const wish = readWish(text);
  if ("operation" in wish) {
    add(context, wishesFor(context, wish.operation, "Annotation"));
    await saveStatus(context);
  } else {
    const known = Object.keys(operations).join(", ");
    const words = `${annotations.run}=${wish.unknown}: there is no such operation (known: ${known})`;
    around.events.tell(node, "MaintenanceRefused", words);
  }
  await takeAway(context, text);
  return goOn;
}

/** Only what was read, guarded by its version: a wish that came meanwhile is not taken away unread. */
async function takeAway({ node, around, key }: Context, text: string): Promise<void> {
  const { name, namespace, resourceVersion, annotations: present } = around.node(key)?.meta ?? node.meta;
  if (present[annotations.run] !== text) return;
  const patch = { metadata: { resourceVersion, annotations: { [annotations.run]: null } } };
  around.wrote(await around.client.merge(kinds.node, { name, namespace }, patch));
}

/** Notes what schedules and full volumes ask for. */
export function standingWishStep(context: Context): Outcome {
  const { node, around } = context;
  const { windows, stateMigration } = node.spec.maintenance;
  const now = around.clock.now();
  const terms = { now, isWindowOpen: isOpenWindow(windows, now) };
  const due = followSchedules(context, terms);
  add(
    context,
    due.flatMap((operation) => wishesFor(context, operation, "Schedule")),
  );
  const { diskPercent } = stateMigration;
  if (diskPercent === undefined || !terms.isWindowOpen) return goOn;
  const disks = context.members.map(({ member: { name }, status: { disk } }) => ({
    member: name,
    percent: percentFull(disk),
  }));
  add(context, diskWishes(disks, { atPercent: diskPercent, book: bookOf(context.status) }, now));
  return goOn;
}

function percentFull(disk: Context["members"][number]["status"]["disk"]): number | undefined {
  const { usedBytes, capacityBytes } = disk ?? {};
  return usedBytes === undefined || capacityBytes === undefined
    ? undefined
    : percentOf({ usedBytes, capacityBytes });
}

/** Gives what has come up; how far each schedule was followed is in the status together with what came of it. */
function followSchedules(
  context: Context,
  terms: { readonly now: number; readonly isWindowOpen: boolean },
): readonly Operation[] {
  const { node, around, status } = context;
  const { stateMigration, trieCache } = node.spec.maintenance;
  const marks: ScheduleMark[] = [];
  const due: Operation[] = [];
  const given = [
    ["migrate", stateMigration.schedule],
    ["save-cache", trieCache.schedule],
  ] as const;
  for (const [operation, schedule] of given) {
    if (schedule === undefined) continue;
    const before = status.schedules?.find((mark) => mark.operation === operation);
    const view = followSchedule({ operation, schedule }, before, terms);
    if (view === undefined) {
      around.events.tell(
        node,
        "MaintenanceRefused",
        `${operation}: "${schedule}" is no schedule of five fields`,
      );
      continue;
    }
    marks.push(view.mark);
    if (view.isDue) due.push(operation);
  }
  context.status = { ...status, schedules: marks.length === 0 ? undefined : marks };
  return due;
}

function wishesFor(
  { members }: Context,
  operation: Operation,
  cause: MaintenanceRun["cause"],
): readonly Wish[] {
  return members.map(({ member }) => ({ operation, member: member.name, cause }));
}

function add(context: Context, wishes: readonly Wish[]): void {
  const book = addWishes(bookOf(context.status), wishes, context.around.clock.now());
  context.status = withBook(context.status, takeNext(book));
}

/** The runs in a status. */
export function bookOf({ maintenance, maintenanceQueue = [], maintenanceHistory = [] }: NodeStatus): RunBook {
  return { current: maintenance, queue: maintenanceQueue, history: maintenanceHistory };
}

/** A status with these runs. */
export function withBook(status: NodeStatus, { current, queue, history }: RunBook): NodeStatus {
  return {
    ...status,
    maintenance: current,
    maintenanceQueue: queue.length === 0 ? undefined : queue,
    maintenanceHistory: history.length === 0 ? undefined : history,
  };
}
