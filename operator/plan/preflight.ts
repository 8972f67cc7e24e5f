/**
 * What must hold before a member is maintained: a list of checks, each of which says what speaks against it. While
 * it is the group that is busy all wait; one that is held up by itself lets others pass.
 */
import type { MaintenanceRun } from "../api/node-runs.ts";
import { LEVEL_BLOCKS, lagOf, type MemberView, newestOf, quorumTrouble } from "./group.ts";
import type { Turn } from "./order.ts";

/** A member that is to be maintained. */
export interface MaintainedMember extends MemberView {
  readonly syncing: boolean;
  /** Peers that are connected, and those that it is to keep. */
  readonly peers: number;
  readonly peersWanted: number;
  /** Free bytes of its volume; undefined when nobody has told. */
  readonly freeBytes: number | undefined;
}

/** What is looked at. */
export interface PreflightView {
  /** Undefined when it is gone. */
  readonly member: MaintainedMember | undefined;
  /** All members of the group. */
  readonly members: readonly MemberView[];
  /** Another member of the group that is being maintained. */
  readonly maintained: string | undefined;
  /** A member of the group that is being replaced, or is about to be. */
  readonly rolling: string | undefined;
  /** The group's Nodes that wait for their turn. */
  readonly turns: readonly Turn[];
  /** Whether maintenance may begin by itself at this time. */
  readonly isWindowOpen: boolean;
  /** What the node itself says of a migration; undefined when it was not asked, or cannot tell. */
  readonly room: MigrationRoom | undefined;
}

/** Bytes that are free on a member's volume, and bytes without which its node begins no migration. */
export interface MigrationRoom {
  readonly freeBytes: number;
  readonly neededBytes: number;
}

/** Where the node does not say how much it needs: with less than this it would refuse any migration. */
const MIN_FREE_BYTES = 256 * 1024 * 1024;

type Check = (
  view: PreflightView & { readonly member: MaintainedMember },
  run: Pick<MaintenanceRun, "operation" | "cause">,
) => string | undefined;

const groupChecks: readonly Check[] = [
  ({ maintained }) => (maintained === undefined ? undefined : `${maintained} is maintained first`),
  ({ rolling }) => (rolling === undefined ? undefined : `${rolling} is being replaced`),
];

const ownChecks: readonly Check[] = [
  ({ isWindowOpen }, { cause }) =>
    cause === "Annotation" || isWindowOpen ? undefined : "waits for a maintenance window",
  ({ member }) => (member.suspended ? "the replica is suspended" : undefined),
  ({ member }) => (member.ready ? undefined : "the replica is not ready"),
  ({ member }) => (member.syncing ? "the replica is taking in blocks that others have" : undefined),
  lagTrouble,
  ({ member }) =>
    member.peersWanted > 0 && member.peers === 0 ? "the replica is connected to no peer" : undefined,
  diskTrouble,
  ({ member, members }) => quorumTrouble(member, members),
];

/** What speaks against a beginning, as its run tells it. */
export type Trouble = Pick<MaintenanceRun, "message" | "held" | "freeSince">;

/** Why a run cannot begin now; undefined when it is at most not its turn. */
export function preflightTrouble(
  run: Pick<MaintenanceRun, "operation" | "cause">,
  view: PreflightView & { readonly member: MaintainedMember },
): Trouble | undefined {
  const group = firstOf(groupChecks, run, view);
  if (group !== undefined) return { message: group, held: undefined, freeSince: undefined };
  const own = firstOf(ownChecks, run, view);
  return own === undefined ? undefined : { message: own, held: true, freeSince: undefined };
}

function firstOf(checks: readonly Check[], run: Parameters<Check>[1], view: Parameters<Check>[0]) {
  for (const check of checks) {
    const trouble = check(view, run);
    if (trouble !== undefined) return trouble;
  }
  return undefined;
}

function lagTrouble({ member, members }: Parameters<Check>[0]): string | undefined {
  const lag = lagOf(member, newestOf(members));
  if (lag === undefined) return "the replica has not told its height";
  return lag > LEVEL_BLOCKS ? `the replica is ${lag} blocks behind` : undefined;
}

function diskTrouble(
  { member, room }: Parameters<Check>[0],
  { operation }: Parameters<Check>[1],
): string | undefined {
  if (operation !== "migrate") return undefined;
  const guess = { freeBytes: member.freeBytes ?? MIN_FREE_BYTES, neededBytes: MIN_FREE_BYTES };
  const { freeBytes, neededBytes } = room ?? guess;
  if (freeBytes >= neededBytes) return undefined;
  return `${freeBytes} bytes of the volume are free, a migration needs ${neededBytes}`;
}
