/**
 * The council of a chain: its validators as the chain reports them, in any namespace, and the number of them that may
 * be missing. Pure.
 */
import { LEVEL_BLOCKS, lagOf, newestOf, type ReportedHeight } from "./group.ts";

/** A validator of the council. */
export interface Seat {
  /** Undefined for a core node that has no key yet. */
  readonly address: string | undefined;
  /** `namespace/name` of the replica with this address; undefined when no Node of this cluster has it. */
  readonly member: string | undefined;
  /** True when it does not take part in consensus: its replica is not ready, synced and left alone, or no peer has its address. */
  readonly isMissing: boolean;
  /** True for a replica that is to have a pod: neither deleted nor suspended. False without a replica. */
  readonly isWanted: boolean;
}

/** Validators of one chain at one time. */
export type Council = readonly Seat[];

/** Addresses of validators that a node reports, with its height. */
export interface CouncilReport extends ReportedHeight {
  readonly council: readonly string[];
}

/**
 * Returns the reported councils in the order of addresses, the newest first, each once. Nodes that are not synced do
 * not count. Several exist while a vote takes effect; an action must be safe in each. A height above that of all other
 * reports excludes none of them, and its council is the last.
 */
export function reportedCouncils(reports: readonly CouncilReport[]): readonly (readonly string[])[] {
  const newest = newestConfirmed(reports);
  const level = reports
    .filter((report) => isLevel(report, newest))
    .sort(
      (a, b) => Number(isAhead(a, newest)) - Number(isAhead(b, newest)) || (b.height ?? 0) - (a.height ?? 0),
    );
  const councils = level.map(({ council }) => [...council].sort());
  return [...new Map(councils.map((council) => [council.join(), council])).values()];
}

/** Returns the newest report that a second one is level with, or the only one; undefined when no two agree. */
function newestConfirmed(reports: readonly CouncilReport[]): CouncilReport | undefined {
  if (reports.length <= 1) return reports[0];
  return newestOf(
    reports.filter((report) => reports.some((other) => other !== report && areLevel(report, other))),
  );
}

function areLevel(a: ReportedHeight, b: ReportedHeight): boolean {
  return isLevel(a, b) && isLevel(b, a);
}

function isLevel(report: ReportedHeight, newest: ReportedHeight | undefined): boolean {
  return (lagOf(report, newest) ?? Number.POSITIVE_INFINITY) <= LEVEL_BLOCKS;
}

/** True for a report far above the newest confirmed one. */
function isAhead(report: ReportedHeight, newest: ReportedHeight | undefined): boolean {
  return newest !== undefined && !isLevel(newest, report);
}

/**
 * Returns the number of validators that may be missing for good while blocks go on: floor((n-1)/3), as Istanbul BFT
 * tolerates. It is 0 below four validators.
 */
export function maxMissing(validators: number): number {
  return Math.max(0, Math.floor((validators - 1) / 3));
}

/** Returns the number that may be missing for a restart: at least 1, because nodes must be restarted at times. */
export function mayMiss(validators: number): number {
  return Math.max(1, maxMissing(validators));
}

/** A replica in the council, or beside it. */
export interface CouncilMember {
  readonly key: string;
  readonly address: string | undefined;
}

/** Returns the reason not to restart a node now; undefined when it may stop or is in no council. */
export function quorumTrouble(member: CouncilMember, councils: readonly Council[]): string | undefined {
  return firstTrouble(member, councils, (council) => mayMiss(council.length));
}

/**
 * Returns the member that ends with a pod: a pod with another key than that of its replica by now, whose own seat may be
 * missing and counts as such, or the replica.
 */
export function signerOfPod(member: CouncilMember, podAddress: string | undefined): CouncilMember {
  if (podAddress === undefined || podAddress === member.address) return member;
  return { key: `${member.key}-0`, address: podAddress };
}

/** Trouble of stopping a validator for good. */
export interface StopTrouble {
  readonly message: string;
  /** False when no other validator of this cluster is to go on: the whole chain is being stopped. */
  readonly isRefused: boolean;
}

/** Returns the trouble of stopping a node for good; undefined when blocks go on without it. */
export function stopTrouble(member: CouncilMember, councils: readonly Council[]): StopTrouble | undefined {
  const message = firstTrouble(member, councils, (council) => maxMissing(council.length));
  if (message === undefined) return undefined;
  const others = councils.flat().filter((seat) => !isSeatOf(seat, member));
  return { message, isRefused: others.some(({ isWanted }) => isWanted) };
}

/** Returns the reason not to remove a validator from the council: the others would make no blocks. */
export function leaveTrouble(member: CouncilMember, councils: readonly Council[]): string | undefined {
  for (const council of councils) {
    const others = council.filter((seat) => !isSeatOf(seat, member));
    if (others.length === council.length) continue;
    if (others.length === 0) return "it is the only validator of the council";
    const missing = others.filter(({ isMissing }) => isMissing);
    const most = maxMissing(others.length);
    if (missing.length > most) return `without it ${troubleText(others, most, missing)}`;
  }
  return undefined;
}

function firstTrouble(
  member: CouncilMember,
  councils: readonly Council[],
  most: (council: Council) => number,
): string | undefined {
  for (const council of councils) {
    if (!council.some((seat) => isSeatOf(seat, member))) continue;
    const missing = council.filter((seat) => seat.isMissing && !isSeatOf(seat, member));
    if (missing.length + 1 > most(council)) return troubleText(council, most(council), missing);
  }
  return undefined;
}

function isSeatOf(seat: Seat, { key, address }: CouncilMember): boolean {
  return seat.member === key || (address !== undefined && seat.address === address);
}

function troubleText(council: Council, most: number, missing: readonly Seat[]): string {
  const text = `at most ${most} of ${council.length} validators may be unavailable`;
  if (missing.length === 0) return text;
  const names = missing.map(nameOf).join(", ");
  return `${text}, and ${names} already ${missing.length === 1 ? "is" : "are"}`;
}

/** Returns the name of a seat for a message: its replica, or its address. */
export function nameOf({ member, address }: Seat): string {
  return member ?? address ?? "a validator";
}

/**
 * Returns the number of healthy validators that a drain must leave in a namespace: as many as blocks need, less those
 * that run elsewhere. A number of pods that may be missing would not do, because a validator without a pod, such as a
 * suspended one, is in no count of a budget. Undefined when the namespace has no validator, or when no validator of the
 * council may ever be missing, because such a budget would block every drain.
 */
export function minHealthy(councils: readonly Council[], namespace: string): number | undefined {
  const limiting = councils.filter(
    (council) => maxMissing(council.length) > 0 && council.some((seat) => isIn(seat, namespace)),
  );
  if (limiting.length === 0) return undefined;
  const needed = limiting.map((each) => {
    const outside = each.filter((seat) => !seat.isMissing && !isIn(seat, namespace));
    return each.length - maxMissing(each.length) - outside.length;
  });
  return Math.max(0, ...needed);
}

/** Returns the number of a namespace's validators, each counted once: a budget that keeps all of them is closed. */
export function seatsIn(councils: readonly Council[], namespace: string): number {
  return new Set(
    councils.flat().flatMap(({ member }) => (member?.startsWith(`${namespace}/`) === true ? [member] : [])),
  ).size;
}

function isIn({ member }: Seat, namespace: string): boolean {
  return member?.startsWith(`${namespace}/`) === true;
}

/** Time for which one namespace of several may have its validators evicted, and the pause before it. */
const TURN_MS = 60_000;
const PAUSE_MS = 10_000;

/** Lists the namespaces with validators of a council, sorted. */
export function namespacesOf(councils: readonly Council[]): readonly string[] {
  const namespaces = councils.flat().flatMap(({ member }) => member?.split("/")[0] ?? []);
  return [...new Set(namespaces)].sort();
}

/**
 * Returns the namespace whose budget may be open now. Budgets of several namespaces do not know of each other, so they
 * are open one after another; undefined in the pauses.
 */
export function openNamespace(namespaces: readonly string[], now: number): string | undefined {
  if (namespaces.length <= 1) return namespaces[0];
  return now % TURN_MS < PAUSE_MS ? undefined : namespaces[Math.floor(now / TURN_MS) % namespaces.length];
}
