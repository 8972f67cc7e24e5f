/**
 * Makes one Node so: a list of named steps, each of which goes on, waits for something or fails with a reason. The
 * status is written in the end whatever came of them. Nothing here asks what kind of change it was that led here.
 */
import { privilegedModules } from "../api/node-api.ts";
import type { NodeResource } from "../api/resource.ts";
import { isRace } from "../kube/error.ts";
import { messageOf } from "../observe/message-of.ts";
import { nextConditions, type Verdict } from "../plan/conditions.ts";
import { certificateStep } from "./certificate.ts";
import { type Context, createContext, type Step, saveStatus } from "./context.ts";
import { genesisStep } from "./genesis.ts";
import { maintenanceStep, wishStep } from "./maintenance.ts";
import { meshStep } from "./mesh.ts";
import { nodeKeyStep } from "./node-key.ts";
import { objectsStep } from "./objects.ts";
import { goOn, type Outcome } from "./outcome.ts";
import { answerStep, podStep, readyStep } from "./running.ts";
import type { Surroundings } from "./surroundings.ts";

const steps: readonly Step[] = [
  { name: "wish", run: wishStep },
  { name: "node key", run: nodeKeyStep },
  { name: "genesis", run: genesisStep },
  { name: "certificate", run: certificateStep },
  { name: "objects", run: objectsStep },
  { name: "pod", run: podStep },
  { name: "answer", run: answerStep },
  { name: "mesh", run: meshStep },
  { name: "ready", run: readyStep },
  { name: "maintenance", run: maintenanceStep },
];

/** A step that failed for a reason that somebody has to change. */
export class ReconcileError extends Error {
  override readonly name = "ReconcileError";
  readonly code = "step-failed";
}

/** Even what seems well is looked at again after this long. */
const RESYNC_MS = 300_000;

/** Gives the milliseconds after which to look again. Throws `ReconcileError`, and what the API server refused. */
export async function reconcile(node: NodeResource, around: Surroundings): Promise<number> {
  if (node.meta.deleted) return RESYNC_MS; // what it owns goes with it
  const context = createContext(node, around);
  const outcome = await runSteps(context).catch(async (error: unknown) => {
    if (isRace(error)) throw error; // nothing that anybody has to know
    conclude(context, { kind: "fail", reason: "Error", message: messageOf(error) });
    await saveStatus(context).catch(() => undefined);
    throw error;
  });
  conclude(context, outcome);
  await saveStatus(context);
  if (outcome.kind === "fail") {
    around.events.tell(node, "ReconcileFailed", `${outcome.reason}: ${outcome.message}`);
    throw new ReconcileError(`${outcome.reason}: ${outcome.message}`);
  }
  return outcome.kind === "wait" ? outcome.afterMs : RESYNC_MS;
}

async function runSteps(context: Context): Promise<Outcome> {
  for (const { name, run } of steps) {
    const outcome = await run(context);
    if (outcome.kind === "continue") continue;
    context.around.log.debug({ node: context.key, step: name, ...outcome }, "step did not go on");
    return outcome;
  }
  return goOn;
}

/** Judges what was found and puts it into the status. */
function conclude(context: Context, outcome: Outcome): void {
  const { node, around, facts } = context;
  const isReady = facts.told !== undefined && facts.pod?.ready === true;
  const verdicts = [readiness(outcome, isReady), mesh(context), ...privileges(node)];
  const { generation } = node.meta;
  const now = around.clock.now();
  context.status = {
    ...context.status,
    observedGeneration: generation,
    conditions: nextConditions(context.status.conditions, verdicts, { generation, now }),
  };
}

function readiness(outcome: Outcome, isReady: boolean): Verdict {
  if (isReady && outcome.kind !== "fail") {
    return { type: "Ready", status: "True", reason: "Ready", message: "the node answers" };
  }
  if (outcome.kind === "continue") return { type: "Ready", status: "False", reason: "Unknown", message: "" };
  return { type: "Ready", status: "False", reason: outcome.reason, message: outcome.message };
}

function mesh({ facts: { missingPeers } }: Context): Verdict {
  if (missingPeers === undefined) {
    return {
      type: "PeersReady",
      status: "Unknown",
      reason: "NotAsked",
      message: "the node has not told its peers",
    };
  }
  if (missingPeers > 0) {
    return {
      type: "PeersReady",
      status: "False",
      reason: "PeersMissing",
      message: `${missingPeers} peers are not connected`,
    };
  }
  return {
    type: "PeersReady",
    status: "True",
    reason: "Connected",
    message: "connected to every peer to be kept",
  };
}

/** A warning, there only while it holds. */
function privileges({ spec: { api } }: NodeResource): Verdict[] {
  const served = [...(api.http.enabled ? api.http.modules : []), ...(api.ws.enabled ? api.ws.modules : [])];
  const open = privilegedModules.filter((name) => served.includes(name));
  if (!api.privileged || open.length === 0) return [];
  const message = `${open.join(", ")} are open to whoever reaches the node's port`;
  return [{ type: "PrivilegedApi", status: "True", reason: "Allowed", message }];
}
