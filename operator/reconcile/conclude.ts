/** What is judged of a Node when its steps are done, and put into its status. */

import type { Phase } from "../api/names.ts";
import { privilegedModules } from "../api/node-api.ts";
import type { MemberStatus } from "../api/node-status.ts";
import type { NodeResource } from "../api/resource.ts";
import { nextConditions, type Verdict } from "../plan/conditions.ts";
import type { Context } from "./context.ts";
import type { Outcome } from "./outcome.ts";

/** Puts the members and the sums of what they tell into the status, and what follows from the outcome. */
export function conclude(context: Context, outcome: Outcome): void {
  const { node, around } = context;
  const members = context.members.map(({ status }) => status);
  const isReady = members.every(({ ready }) => ready);
  const verdicts = [readiness(outcome, isReady), mesh(context), ...privileges(node)];
  const { generation } = node.meta;
  const now = around.clock.now();
  context.status = {
    ...context.status,
    observedGeneration: generation,
    phase: phaseOf(node, outcome, members),
    ...sumsOf(members),
    members,
    conditions: nextConditions(context.status.conditions, verdicts, { generation, now }),
  };
}

/** What a Node with one member says is what that member says. */
function sumsOf(members: readonly MemberStatus[]) {
  const [first] = members;
  const heights = members.flatMap(({ height }) => height ?? []);
  const peers = members.flatMap(({ peers: each }) => each ?? []);
  return {
    readyMembers: members.filter(({ ready }) => ready).length,
    height: heights.length === 0 ? undefined : Math.max(...heights),
    syncing: members.some(({ syncing }) => syncing),
    peers: peers.length === 0 ? undefined : peers.reduce((sum, each) => sum + each, 0),
    url: first?.url,
    address: first?.address,
    version: first?.version,
  };
}

function phaseOf({ spec, status }: NodeResource, outcome: Outcome, members: readonly MemberStatus[]): Phase {
  if (outcome.kind === "fail") return "Degraded";
  if (spec.suspend) return "Suspended";
  if (status.maintenance?.state === "Running") return "Maintaining";
  if (!members.every(({ ready }) => ready)) {
    return members.some(({ url, reason }) => url === undefined || reason === "PodPending")
      ? "Pending"
      : "Starting";
  }
  return members.some(({ syncing }) => syncing) ? "Syncing" : "Running";
}

function readiness(outcome: Outcome, isReady: boolean): Verdict {
  if (isReady && outcome.kind !== "fail") {
    return { type: "Ready", status: "True", reason: "Ready", message: "the node answers" };
  }
  if (outcome.kind === "continue") return { type: "Ready", status: "False", reason: "Unknown", message: "" };
  return { type: "Ready", status: "False", reason: outcome.reason, message: outcome.message };
}

function mesh({ members }: Context): Verdict {
  if (members.some(({ facts }) => facts.told === undefined)) {
    const message = "not every replica has told its peers";
    return { type: "PeersReady", status: "Unknown", reason: "NotAsked", message };
  }
  const missing = members.reduce((sum, { status }) => sum + (status.peersMissing ?? 0), 0);
  if (missing > 0) {
    const message = `${missing} peers are not connected`;
    return { type: "PeersReady", status: "False", reason: "PeersMissing", message };
  }
  const message = "connected to every peer to be kept";
  return { type: "PeersReady", status: "True", reason: "Connected", message };
}

/** A warning, there only while it holds. */
function privileges({ spec: { api } }: NodeResource): Verdict[] {
  const served = [...(api.http.enabled ? api.http.modules : []), ...(api.ws.enabled ? api.ws.modules : [])];
  const open = privilegedModules.filter((name) => served.includes(name));
  if (!api.privileged || open.length === 0) return [];
  const message = `${open.join(", ")} are open to whoever reaches the node's port`;
  return [{ type: "PrivilegedApi", status: "True", reason: "Allowed", message }];
}
