/**
 * Maintenance: the annotation is a wish, which is noted in the status and taken away; it is granted to one node of
 * a network at a time. What the node answers, an error included, is in the status and an event.
 */
import { annotations, operations } from "../api/names.ts";
import type { Maintenance } from "../api/node-status.ts";
import { readMigration } from "../control/answers.ts";
import { ControlError } from "../control/error.ts";
import { kinds } from "../kube/resources.ts";
import { type Answer, isOpen, progressed, readWish, request, started, turn } from "../plan/maintenance.ts";
import { type Context, gatewayOf, saveStatus } from "./context.ts";
import { goOn, type Outcome, waitFor } from "./outcome.ts";

/** How often a running migration is looked at. */
const LOOK_MS = 10_000;

/** Notes a wish in the status, then takes the annotation away: a crash in between loses nothing. */
export async function wishStep(context: Context): Promise<Outcome> {
  const { node, around, status } = context;
  const text = node.meta.annotations[annotations.run];
  if (text === undefined || node.meta.deleted) return goOn;
  const wish = readWish(text);
  const noted =
    "operation" in wish ? request(status.maintenance, wish.operation, around.clock.now()) : undefined;
  if (noted === undefined) {
    const why =
      "operation" in wish ? `${status.maintenance?.operation} is not done yet` : "there is no such operation";
    const known = Object.keys(operations).join(", ");
    around.events.tell(
      node,
      "MaintenanceRefused",
      `${annotations.run}=${text.slice(0, 64)}: ${why} (known: ${known})`,
    );
  } else {
    context.status = { ...status, maintenance: noted };
    await saveStatus(context);
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

/** Carries out the wish, or looks how far it is. */
export async function maintenanceStep(context: Context): Promise<Outcome> {
  const { maintenance } = context.status;
  if (maintenance === undefined || !isOpen(maintenance)) return goOn;
  if (maintenance.state === "Running") return follow(context, maintenance);
  const { node, around } = context;
  const others = around
    .nodes(node.meta.namespace)
    .filter(({ meta, spec }) => spec.network.name === node.spec.network.name && !meta.deleted);
  const next = turn(
    others.map(({ meta, status }) => ({
      name: meta.name,
      maintenance: meta.name === node.meta.name ? maintenance : status.maintenance,
    })),
  );
  if (next !== node.meta.name) return waitFor("MaintenanceWaits", `${next} is maintained first`);
  // What another worker has begun is in no status before the node has answered.
  const group = `${node.meta.namespace}/${node.spec.network.name}`;
  if (around.beginning.has(group)) return waitFor("MaintenanceWaits", "another node begins", 1_000);
  around.beginning.add(group);
  try {
    return await begin(context, maintenance);
  } finally {
    around.beginning.delete(group);
  }
}

async function begin(context: Context, maintenance: Maintenance): Promise<Outcome> {
  const answer = await ask(context, maintenance);
  if (answer === undefined) return waitFor("MaintenanceWaits", "the node cannot be asked", LOOK_MS);
  await note(context, started(maintenance, answer, context.around.clock.now()));
  return context.status.maintenance?.state === "Running"
    ? waitFor("Maintenance", "migrating", LOOK_MS)
    : goOn;
}

/** The node's answer; undefined when it could not be asked. */
async function ask(context: Context, { operation }: Maintenance): Promise<Answer | undefined> {
  const { around } = context;
  const gateway = gatewayOfFirst(context);
  if (gateway === undefined) return undefined;
  try {
    await around.channel.call(gateway, operations[operation]);
    return { ok: true };
  } catch (error) {
    if (!(error instanceof ControlError)) throw error;
    if (error.code !== "node-error") return undefined;
    // Asked before, by an operator that ended before it could note it?
    const running = operation === "migrate" && (await isMigrating(context));
    return running ? { ok: true } : { ok: false, message: error.message };
  }
}

async function isMigrating(context: Context): Promise<boolean> {
  const progress = await progressOf(context).catch(() => undefined);
  return progress?.running === true;
}

async function progressOf(context: Context) {
  const gateway = gatewayOfFirst(context);
  if (gateway === undefined) throw new ControlError("connect", "the pod has no address");
  return readMigration(await context.around.channel.call(gateway, "admin_stateMigrationStatus"));
}

function gatewayOfFirst({ members: [first] }: Context) {
  const address = first?.facts.pod?.address;
  return first === undefined || address === undefined ? undefined : gatewayOf(first.key, address);
}

async function follow(context: Context, maintenance: Maintenance): Promise<Outcome> {
  try {
    const progress = await progressOf(context);
    await note(context, progressed(maintenance, progress, context.around.clock.now()));
  } catch (error) {
    if (!(error instanceof ControlError)) throw error;
    context.around.log.warn({ node: context.key, error: error.message }, "migration cannot be followed");
  }
  const open = context.status.maintenance?.state === "Running";
  return open ? waitFor("Maintenance", "migrating", LOOK_MS) : goOn;
}

const REASONS = {
  Running: "MaintenanceStarted",
  Succeeded: "MaintenanceSucceeded",
  Failed: "MaintenanceFailed",
} as const;

async function note(context: Context, after: Maintenance): Promise<void> {
  const before = context.status.maintenance;
  context.status = { ...context.status, maintenance: after };
  await saveStatus(context);
  if (after.state === "Requested" || after.state === before?.state) return;
  context.around.events.tell(context.node, REASONS[after.state], `${after.operation}: ${after.message}`);
}
