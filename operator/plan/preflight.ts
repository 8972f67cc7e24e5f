/**
 * Checks before maintenance, each with a reason to wait. A busy group holds up all runs; a member that is not
 * ready itself lets others pass.
 */

import { isCouncilOperation, isVolumeOperation } from "../api/names.ts";
import type { MaintenanceRun } from "../api/node-runs.ts";
import { type Council, leaveTrouble, quorumTrouble } from "./council.ts";
import { LEVEL_BLOCKS, lagOf, type MemberView, newestOf } from "./group.ts";
import type { Turn } from "./order.ts";
import { type RenewalView, renewalTrouble } from "./renewal.ts";
import { NO_WAITS } from "./run-states.ts";

/** Observed state of the member to maintain. */
export interface MaintainedMember extends MemberView {
  readonly syncing: boolean;
  /** Numbers of connected and of required peers. */
  readonly peers: number;
  readonly peersWanted: number;
  /** Free bytes of its volume; undefined when unknown. */
  readonly freeBytes: number | undefined;
  /** Size of its claim; undefined when unknown. */
  readonly claimBytes: number | undefined;
  /** Prospect of more space on its volume, for a message; undefined when unknown. */
  readonly growth: string | undefined;
}

/** Inputs of the checks. */
export interface PreflightView {
  /** Undefined when it was removed. */
  readonly member: MaintainedMember | undefined;
  /** All members of the group. */
  readonly members: readonly MemberView[];
  /** Councils of the chain; none when it may stop. */
  readonly councils: readonly Council[];
  /** Another member of the group with maintenance in progress. */
  readonly maintained: string | undefined;
  /** A member of the group that is being recreated, or is next. */
  readonly rolling: string | undefined;
  /** Nodes of the group with waiting runs. */
  readonly turns: readonly Turn[];
  /** True while a maintenance window is open. */
  readonly isWindowOpen: boolean;
  /** Volume that an operation replaces; undefined for other operations. */
  readonly renewal?: RenewalView | undefined;
  /** Disk space as the node reports it; undefined when it was not or cannot be queried. */
  readonly space: MigrationSpace | undefined;
}

/** Free bytes of a volume, and bytes that the node requires for a migration. */
export interface MigrationSpace {
  readonly freeBytes: number;
  readonly neededBytes: number;
}

/** Minimum of free bytes for a migration, when the node does not report its requirement. */
const MIN_FREE_BYTES = 256 * 1024 * 1024;

type Check = (
  view: PreflightView & { readonly member: MaintainedMember },
  run: Pick<MaintenanceRun, "operation" | "cause">,
) => string | Obstacle | undefined;

/** Reason to wait; `volumeBytes` is the size that the volume needs, undefined when its size is not the reason. */
interface Obstacle {
  readonly message: string;
  readonly volumeBytes: number | undefined;
}

const groupChecks: readonly Check[] = [
  ({ maintained }) => (maintained === undefined ? undefined : `${maintained} is being maintained`),
  ({ rolling }) => (rolling === undefined ? undefined : `${rolling} is being recreated`),
];

const ownChecks: readonly Check[] = [
  ({ isWindowOpen }, { cause }) =>
    cause === "Annotation" || isWindowOpen ? undefined : "waits for a maintenance window",
  ({ member }) => (member.suspended ? "the replica is suspended" : undefined),
  ({ member }) => (member.ready ? undefined : "the replica is not ready"),
  ({ member }) =>
    member.syncing ? "the replica is importing blocks that its peers already have" : undefined,
  lagTrouble,
  ({ member }) =>
    member.peersWanted > 0 && member.peers === 0 ? "the replica has no connected peer" : undefined,
  shortageOf,
  ({ member, councils }) => quorumTrouble(member, councils),
];

/** A validator that has failed can be removed from the council; one that joins must take part at once. */
const councilChecks = {
  "join-council": ownChecks.slice(0, -1),
  "leave-council": [({ member, councils }) => leaveTrouble(member, councils)],
} as const satisfies Readonly<Record<string, readonly Check[]>>;

/** A replica that has failed can have another volume. */
const volumeChecks: readonly Check[] = [
  ({ member }) => (member.suspended ? "the replica is suspended" : undefined),
  ({ member, renewal }) => renewalTrouble(member, renewal),
];

function checksOf({ operation }: Pick<MaintenanceRun, "operation">): readonly Check[] {
  if (isVolumeOperation(operation)) return volumeChecks;
  return isCouncilOperation(operation) ? councilChecks[operation] : ownChecks;
}

/** Reason to wait, as fields of the run. */
export type Trouble = Pick<MaintenanceRun, "message" | "held" | "freeSince" | "volumeBytes">;

/** Returns the reason not to start a run now; undefined when none but the order remains. */
export function preflightTrouble(
  run: Pick<MaintenanceRun, "operation" | "cause">,
  view: PreflightView & { readonly member: MaintainedMember },
): Trouble | undefined {
  const group = firstOf(groupChecks, run, view);
  if (group !== undefined) return { ...NO_WAITS, message: group.message };
  const own = firstOf(checksOf(run), run, view);
  return own && { ...own, held: true, freeSince: undefined };
}

function firstOf(
  checks: readonly Check[],
  run: Parameters<Check>[1],
  view: Parameters<Check>[0],
): Obstacle | undefined {
  for (const check of checks) {
    const trouble = check(view, run);
    if (typeof trouble === "string") return { message: trouble, volumeBytes: undefined };
    if (trouble !== undefined) return trouble;
  }
  return undefined;
}

function lagTrouble({ member, members }: Parameters<Check>[0]): string | undefined {
  const lag = lagOf(member, newestOf(members));
  if (lag === undefined) return "the replica has not reported its height";
  return lag > LEVEL_BLOCKS ? `the replica is ${lag} blocks behind` : undefined;
}

/** Returns the shortage of space for a migration, and the size that the volume needs; undefined for none. */
function shortageOf(
  { member, space }: Parameters<Check>[0],
  { operation }: Parameters<Check>[1],
): Obstacle | undefined {
  if (operation !== "migrate") return undefined;
  const guess = { freeBytes: member.freeBytes ?? MIN_FREE_BYTES, neededBytes: MIN_FREE_BYTES };
  const { freeBytes, neededBytes } = space ?? guess;
  if (freeBytes >= neededBytes) return undefined;
  const { claimBytes, growth } = member;
  const text = `${freeBytes} bytes of the volume are free; a migration needs ${neededBytes}`;
  return {
    message: growth === undefined ? text : `${text}; ${growth}`,
    volumeBytes: claimBytes === undefined ? undefined : claimBytes + neededBytes - freeBytes,
  };
}
