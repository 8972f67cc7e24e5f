/** Forks of a created network that begin after block 0: which may be scheduled, and which nodes lack them. Pure. */
import { type LaterForks, laterForks } from "../api/network-spec.ts";

/** A name of a fork. */
type ForkName = (typeof laterForks)[number];

/** First release of knit with each fork. */
const FIRST_RELEASE: Readonly<Record<ForkName, readonly [number, number, number]>> = { osaka: [0, 1, 0] };

/** Blocks that the replacement of a pod can take, and the minimum for all. */
const BLOCKS_FOR_A_POD = 120;
const MIN_BLOCKS = 600;

/** A node of the network. */
export interface ForkedNode {
  readonly name: string;
  /** Client version; undefined until it is reported. */
  readonly version: string | undefined;
  /** First blocks of forks in its configuration by key; undefined until they are reported. */
  readonly forks: Readonly<Record<string, number>> | undefined;
}

/** Inputs of the decision on a schedule. */
export interface ForkView {
  readonly wanted: LaterForks | undefined;
  /** Schedule that the nodes get. */
  readonly recorded: LaterForks | undefined;
  /** Newest block; undefined when unknown. */
  readonly height: number | undefined;
  readonly nodes: readonly ForkedNode[];
}

/** Returns the reason not to give the nodes the wanted schedule now; undefined when they may get it. */
export function scheduleTrouble(view: ForkView): string | undefined {
  const changed = laterForks.filter((fork) => view.wanted?.[fork] !== view.recorded?.[fork]);
  for (const fork of changed) {
    const trouble = moveTrouble(fork, view) ?? nodesTrouble(fork, view);
    if (trouble !== undefined) return trouble;
  }
  return undefined;
}

/** A fork moves forward, and only while it lies ahead. */
function moveTrouble(fork: ForkName, { wanted, recorded, height }: ForkView): string | undefined {
  const [next, before] = [wanted?.[fork], recorded?.[fork]];
  if (next === undefined) return `${fork} cannot be removed from the schedule`;
  if (height === undefined) return "the newest block is not known";
  if (before !== undefined && before <= height) return `${fork} has begun at block ${before}`;
  return before !== undefined && next < before ? `${fork} cannot be moved to an earlier block` : undefined;
}

/** Every node must have the fork, and there must be time to replace all pods. */
function nodesTrouble(fork: ForkName, { wanted, height = 0, nodes }: ForkView): string | undefined {
  const next = wanted?.[fork] ?? 0;
  const room = Math.max(MIN_BLOCKS, BLOCKS_FOR_A_POD * nodes.length);
  if (next < height + room)
    return `${fork} at block ${next} is too close to block ${height}: the replacement of ${nodes.length} pods can take ${room} blocks`;
  const without = nodes.filter(({ version }) => !hasFork(version, fork));
  return without.length === 0 ? undefined : `${fork} is unknown to ${namesOf(without)}`;
}

/** True for a client version that has the fork. */
export function hasFork(version: string | undefined, fork: ForkName): boolean {
  const numbers = /^Knit\/(?:[^/]*\/)?v(\d+)\.(\d+)\.(\d+)/
    .exec(version ?? "")
    ?.slice(1)
    .map(Number);
  if (numbers === undefined) return false;
  const first = FIRST_RELEASE[fork];
  const place = numbers.findIndex((number, index) => number !== first[index]);
  return place < 0 || (numbers[place] ?? 0) > (first[place] ?? 0);
}

/** Returns the scheduled forks that a node does not report, as text with the blocks that are left; undefined for none. */
export function missingForks(
  { forks, version }: Pick<ForkedNode, "forks" | "version">,
  schedule: LaterForks,
  height: number | undefined,
): string | undefined {
  const missing = laterForks.flatMap((fork) => {
    const block = schedule[fork];
    if (block === undefined || forks?.[`${fork}CompatibleBlock`] === block) return [];
    const why = hasFork(version, fork) ? "is not configured yet" : `is unknown to ${version ?? "the node"}`;
    return [`${fork} at block ${block} ${why}${leftText(block, height)}`];
  });
  return missing.length === 0 ? undefined : missing.join("; ");
}

/** A block takes a second. */
function leftText(block: number, height: number | undefined): string {
  if (height === undefined) return "";
  if (block <= height) return ", and has begun";
  return `, ${block - height} blocks are left (${((block - height) / 86_400).toFixed(1)} days)`;
}

function namesOf(nodes: readonly ForkedNode[]): string {
  const names = nodes.slice(0, 5).map(({ name, version }) => `${name} (${version ?? "not reported"})`);
  return names.join(", ") + (nodes.length > 5 ? ` and ${nodes.length - 5} others` : "");
}
