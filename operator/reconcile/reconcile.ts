/**
 * Makes one Node so: a list of named steps, each of which goes on, waits for something or fails with a reason. Some are
 * the Node's, the others each member's. A failure stays where it is: the members' pods and nodes are looked at, and the
 * status is written, whatever came of the steps before. Nothing here asks what kind of change it was that led here.
 */
import { type StopReason, stopReasons } from "../api/reasons.ts";
import { keyOf, type NodeResource } from "../api/resource.ts";
import { isRace, KubeError } from "../kube/error.ts";
import { messageOf } from "../observe/message-of.ts";
import { isForeign } from "../plan/owner.ts";
import { certificateStep, renewalStep } from "./certificate.ts";
import { chainStep, volumeStep } from "./chain.ts";
import { claimStep } from "./claim.ts";
import { conclude, concludePaused } from "./conclude.ts";
import { type Context, type MemberContext, type Step, saveStatus } from "./context.ts";
import { createContext } from "./create-context.ts";
import { endNode, endWithNamespace } from "./deletion.ts";
import type { ReconcileDeps } from "./deps.ts";
import { finalizerStep } from "./finalizer.ts";
import { genesisStep, networkStep } from "./genesis.ts";
import { maintenanceStep } from "./maintenance.ts";
import { meshStep, peersStep } from "./mesh.ts";
import { nodeKeyStep } from "./node-key.ts";
import { memberStep, pruneStep, sharedStep, suspendStep } from "./objects.ts";
import { failWith, goOn, type Outcome, refusalOf, worstOf } from "./outcome.ts";
import { reportForeign } from "./ownership.ts";
import { isPaused, pausedText } from "./paused.ts";
import { permissionStep } from "./permissions.ts";
import { requestStep, standingRequestStep } from "./requests.ts";
import { rolloutStep } from "./rollout.ts";
import { answerStep, awaitsFirstAnswer, podStep, readyStep, validatorStep } from "./running.ts";
import { signerStep } from "./signer.ts";

/** Steps of a Node. One that does not continue ends the list, unless later steps are independent of it. */
const steps: readonly Step[] = [
  { name: "hold", run: finalizerStep },
  { name: "suspend", run: suspendStep },
  { ...each("renewals", [{ name: "renewal", run: renewalStep }]), isAlone: true },
  { name: "request", run: requestStep },
  { name: "network", run: networkStep },
  each("chain", [
    { name: "node key", run: findKey },
    { name: "chain", run: chainStep },
    { name: "signer", run: signerStep },
  ]),
  { ...each("claims", [{ name: "claim", run: claimStep }]), isAlone: true },
  { name: "identity", run: awaitAnyKey },
  { name: "genesis", run: genesisStep },
  { name: "shared objects", run: sharedStep, isAlone: true },
  { name: "prune", run: pruneStep, isAlone: true },
  { name: "rollout", run: rolloutStep },
  each("members", [
    { name: "key", run: ({ facts }) => facts.key ?? goOn },
    { name: "certificate", run: certificateStep, isAlone: true },
    { name: "objects", run: memberStep },
  ]),
];

/** Steps that observe a member's pod and node. */
const looks: readonly Step<MemberContext>[] = [
  { name: "validator", run: validatorStep },
  { name: "pod", run: podStep, isAlone: true },
  { name: "answer", run: answerStep },
  { name: "volume", run: volumeStep },
  { name: "mesh", run: meshStep },
  { name: "peers", run: peersStep, isAlone: true },
  { name: "ready", run: readyStep },
];

/** Steps that change neither the node nor an object. */
const observations = looks.filter(({ run }) => run !== meshStep);

/** Finds the key; neither the volume nor other members wait for it. */
async function findKey(context: MemberContext): Promise<Outcome> {
  context.facts.key = await nodeKeyStep(context).catch(refusalOf);
  return goOn;
}

/** Waits while no member has its key. */
function awaitAnyKey({ members }: Context): Outcome {
  const keys = members.map(({ facts: { key = goOn } }) => key);
  return keys.some(({ kind }) => kind === "continue") ? goOn : worstOf(keys);
}

/** Steps that run even when members wait or other steps failed. */
const afterwards: readonly Step[] = [
  { name: "permissions", run: permissionStep },
  { name: "standing requests", run: standingRequestStep },
  { name: "maintenance", run: maintenanceStep },
];

/** A failed step that needs a change by the user. */
export class ReconcileError extends Error {
  override readonly name = "ReconcileError";
  readonly code = "step-failed";
  /** Minimum delay of the retry in milliseconds. */
  readonly minWaitMs: number;

  constructor(message: string, minWaitMs: number) {
    super(message);
    this.minWaitMs = minWaitMs;
  }
}

/** Maximum interval of reconciliations. */
const RESYNC_MS = 600_000;
/** Maximum delay of a Node whose nodes are being polled for the first time. */
const UNHEARD_MS = 20_000;

/**
 * Reconciles a Node; returns the milliseconds until the next time. Throws `ReconcileError` and errors of the
 * API server.
 */
export async function reconcile(node: NodeResource, deps: ReconcileDeps): Promise<number> {
  if (isForeign(node.meta, deps.settings.operatorId)) return reportForeign(node, deps);
  if (deps.cache.isEnding(node.meta.namespace)) return endWithNamespace(node, deps);
  const context = createContext(node, deps);
  if (isPaused(node.meta) && !node.meta.deleted) return observePaused(context);
  recordStop(context);
  if (node.meta.deleted && context.stop?.isHeld !== true) return endNode(node, deps);
  deps.memory.endDeletion(keyOf(node.meta)); // a held one starts its wait again
  if (awaitsFirstAnswer(context)) return UNHEARD_MS;
  const outcome = await runAll(context).catch(async (error: unknown) => {
    if (isRace(error)) throw error; // nothing that anybody has to know
    await lookAtAll(context).catch(() => undefined);
    conclude(context, failWith("Error", messageOf(error)));
    await saveStatus(context).catch(() => undefined);
    throw error;
  });
  conclude(context, outcome);
  await saveStatus(context);
  if (outcome.kind === "fail") {
    tellFailure(node, outcome, deps);
    const minWaitMs = outcome.isFinal ? (context.againMs ?? RESYNC_MS) : 0;
    throw new ReconcileError(`${outcome.reason}: ${outcome.message}`, minWaitMs);
  }
  return waitAfter(outcome, context);
}

/** Returns the milliseconds until the next reconciliation: the shortest wait of an outcome, the Node and its members. */
function waitAfter(outcome: Outcome, context: Context): number {
  const agains = [context, ...context.members.map(({ facts }) => facts)].map(({ againMs }) => againMs);
  return Math.min(
    outcome.kind === "wait" ? outcome.afterMs : RESYNC_MS,
    ...agains.map((againMs) => againMs ?? RESYNC_MS),
  );
}

function recordStop({ node, stop, deps }: Context): void {
  if (stop === undefined) return;
  deps.events.record(node, stop.isHeld ? "ChainStopRefused" : "ChainStops", stop.message);
}

/** Observes a paused Node; returns the milliseconds until the next time. */
async function observePaused(context: Context): Promise<number> {
  if (awaitsFirstAnswer(context)) return UNHEARD_MS;
  const seen = await lookAtAll(context, observations);
  if (context.status.phase !== "Paused")
    context.deps.events.record(context.node, "Paused", pausedText(context.node));
  concludePaused(context, seen);
  await saveStatus(context);
  return seen.kind === "wait" ? seen.afterMs : RESYNC_MS;
}

function tellFailure(
  node: NodeResource,
  { reason, message }: { readonly reason: string; readonly message: string },
  { events }: ReconcileDeps,
): void {
  if (isStop(reason)) events.record(node, reason, message);
  else events.record(node, "ReconcileFailed", `${reason}: ${message}`);
}

function isStop(reason: string): reason is StopReason {
  return Object.hasOwn(stopReasons, reason);
}

/** Returns the minimum delay after a failure: as the server requests, or for a final failure. */
export function minWaitOf(error: unknown): number {
  if (error instanceof KubeError) return error.retryAfterMs ?? 0;
  return error instanceof ReconcileError ? error.minWaitMs : 0;
}

async function runAll(context: Context): Promise<Outcome> {
  const made = await runSteps(context, steps);
  const seen = await lookAtAll(context);
  const stops = context.members.map(stopOf).filter((stop) => stop !== undefined);
  const outcome = worstOf([...stops, made, seen]);
  await runSteps(context, afterwards);
  return outcome;
}

/** Runs steps in order and returns the worst outcome. */
async function runSteps<C extends Pick<Context, "key" | "deps">>(
  context: C,
  list: readonly Step<C>[],
): Promise<Outcome> {
  const left: Outcome[] = [];
  for (const { name, run, isAlone = false } of list) {
    const outcome = await run(context);
    if (outcome.kind === "continue") continue;
    context.deps.log.debug({ node: context.key, step: name, ...outcome }, "step waits");
    left.push(outcome);
    if (!isAlone) break;
  }
  return worstOf(left);
}

/** Combines steps of each member to one step. A member that waits does not block the others. */
function each(name: string, list: readonly Step<MemberContext>[]): Step {
  return {
    name,
    async run({ members }) {
      const outcomes: Outcome[] = [];
      for (const member of members) {
        const outcome = await runSteps(member, list);
        outcomes.push(outcome);
        member.facts.trouble ??= outcome.kind === "continue" ? undefined : outcome;
      }
      return worstOf(outcomes);
    },
  };
}

/** Observes all members, whatever steps failed. A stopped member reports its stop. */
async function lookAtAll({ members }: Context, list = looks): Promise<Outcome> {
  const outcomes: Outcome[] = [];
  for (const member of members) {
    const seen = await runSteps(member, list);
    outcomes.push(seen);
    const { report, pod, trouble = seen } = member.facts;
    const { kind, reason } = { reason: undefined, ...(stopOf(member) ?? trouble) };
    member.status = {
      ...member.status,
      ready: report !== undefined && pod?.ready === true,
      reason: kind === "continue" ? undefined : reason,
    };
  }
  return worstOf(outcomes);
}

function stopOf({ facts: { stop } }: MemberContext): Outcome | undefined {
  return stop && failWith(stop.reason, stop.message);
}
