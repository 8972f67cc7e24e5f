/** Changes of the council: the validators of this cluster vote for or against an address, until the chain reports it. */
import { type CouncilOperation, councilVotes, isCouncilOperation } from "../api/names.ts";
import type { MaintenanceRun } from "../api/node-runs.ts";
import { objectNames } from "../build/names.ts";
import { ControlError } from "../control/error.ts";
import type { Seat } from "../plan/council.ts";
import { afterCouncil, afterVotes } from "../plan/maintenance.ts";
import { gatewayOf } from "./cluster-cache.ts";
import type { Context } from "./context.ts";
import { councilsOfNode, reportedAddresses } from "./council.ts";
import type { ReconcileDeps } from "./deps.ts";
import { groupOf } from "./group.ts";
import { readPod } from "./pod-view.ts";

/** Time after which votes are cast again: a validator that restarts forgets a vote that no block carries. */
const CAST_AGAIN_MS = 300_000;

/** Asks each validator of this cluster for its vote; undefined when the council or the address is not known. */
export async function castVotes(
  context: Context,
  run: MaintenanceRun,
  operation: CouncilOperation,
): Promise<MaintenanceRun | undefined> {
  const { deps } = context;
  const address = addressOf(context, run);
  const [council] = councilsOfNode(context);
  if (address === undefined || council === undefined) return undefined;
  const isMember = council.some((seat) => seat.address === address);
  const before = afterCouncil(run, { isMember, validators: council.length }, deps.clock.now());
  if (before !== run) return before;
  const errors: string[] = [];
  let cast = 0;
  for (const seat of council) {
    try {
      if (await askForVote(seat, [councilVotes[operation], address], deps)) cast++;
    } catch (error) {
      if (!(error instanceof ControlError)) throw error;
      errors.push(`${seat.member}: ${error.message}`);
    }
  }
  deps.log.info({ node: context.key, operation, address, cast }, "council votes cast");
  const votes = { validators: council.length, cast, error: errors[0] };
  return afterVotes(run, votes, deps.clock.now());
}

/** Returns false for a validator elsewhere, or without a pod. */
async function askForVote(
  { member }: Seat,
  vote: readonly [name: string, address: string],
  { cache, channel }: ReconcileDeps,
): Promise<boolean> {
  const pod = member === undefined ? undefined : cache.find("pod", objectNames(member).pod); // keys end as names do
  const host = pod === undefined || pod.meta.deleted ? undefined : readPod(pod.object).address;
  if (member === undefined || host === undefined) return false;
  await channel.call(gatewayOf(member, host), "governance_vote", ...vote);
  return true;
}

/** Looks whether the chain reports the change; votes again from time to time. */
export async function followVotes(
  context: Context,
  run: MaintenanceRun,
): Promise<MaintenanceRun | undefined> {
  const { operation } = run;
  const address = addressOf(context, run);
  const { network, deps } = context;
  const now = deps.clock.now();
  const [council] = reportedAddresses({ network, nodes: groupOf(context).nodes, deps });
  if (address === undefined || council === undefined) return undefined;
  const view = { isMember: council.includes(address), validators: council.length };
  const after = afterCouncil(run, view, now);
  const isDue = after === run && now - Date.parse(run.stateAt) >= CAST_AGAIN_MS;
  return isDue && isCouncilOperation(operation) ? castVotes(context, run, operation) : after;
}

function addressOf({ members }: Context, run: MaintenanceRun): string | undefined {
  return members.find(({ member }) => member.name === run.member)?.status.address;
}
