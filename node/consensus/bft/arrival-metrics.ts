/**
 * When what makes a block arrives: its proposal and the commits of others, in nanoseconds from the moment when it was
 * due, under the Go node's names. Told once a height is over, of the round that made its block.
 */
import type { Gauge, Metrics } from "../../observe/metrics.ts";
import type { RoundState } from "./round-state.ts";

/** Times in milliseconds since the epoch. */
export interface ArrivalTimes {
  now(): number;
  /** When the block after the newest one may be made. */
  due(): number;
}

/** The parts of a state that are looked at. */
export type Watched = Pick<RoundState<never>, "view" | "phase"> & {
  readonly electorate: Pick<RoundState<never>["electorate"], "required">;
  readonly judging: unknown;
  readonly commits: ReadonlyMap<string, unknown>;
};

const NANOSECONDS = 1e6;

/** Declares them; what it returns sees every state of the agreement. */
export function declareArrivalMetrics(metrics: Metrics, times: ArrivalTimes): (state: Watched) => void {
  const gauges = declareGauges(metrics);
  let round: RoundArrivals | undefined;
  return (state) => {
    if (round === undefined || round.sequence !== state.view.sequence) {
      if (round !== undefined) tell(gauges, round);
      round = arrivalsOf(state, Math.max(times.now(), times.due()));
    } else if (round.round !== state.view.round) round = arrivalsOf(state, round.since);
    note(round, state, times.now());
  };
}

/** What came in one round, in milliseconds from `since`. */
interface RoundArrivals {
  readonly sequence: number;
  readonly round: number;
  readonly since: number;
  readonly required: number;
  proposal: number | undefined;
  /** In the order in which they came. */
  readonly commits: Map<string, number>;
}

function arrivalsOf({ view, electorate }: Watched, since: number): RoundArrivals {
  return { ...view, since, required: electorate.required, proposal: undefined, commits: new Map() };
}

function note(round: RoundArrivals, { judging, phase, commits }: Watched, now: number): void {
  const passed = Math.max(0, now - round.since);
  if (judging !== undefined || phase !== "accepting") round.proposal ??= passed;
  if (commits.size === round.commits.size) return;
  for (const sender of commits.keys()) if (!round.commits.has(sender)) round.commits.set(sender, passed);
}

function tell(
  gauges: ReturnType<typeof declareGauges>,
  { proposal, commits, required }: RoundArrivals,
): void {
  const all = [...commits.values()];
  const quorum = all.slice(0, required);
  set(gauges.proposal, proposal);
  set(gauges.first, all[0]);
  set(gauges.last, all.at(-1));
  if (quorum.length < required) return;
  set(gauges.quorum, quorum.at(-1));
  set(gauges.mean, quorum.reduce((sum, ms) => sum + ms, 0) / required);
}

function set(gauge: Gauge, ms: number | undefined): void {
  if (ms !== undefined) gauge.set(Math.round(ms * NANOSECONDS));
}

function declareGauges(metrics: Metrics) {
  const gauge = (last: string, help: string): Gauge =>
    metrics.gauge({
      name: `vrank/${last}`,
      help: `Nanoseconds from when the last block was due to ${help}.`,
    });
  return {
    proposal: gauge("preprepare/first", "its proposal"),
    first: gauge("commit/first", "the first commit for it"),
    quorum: gauge("commit/quorumreached", "the commit that was enough"),
    mean: gauge("commit/quorumaverage", "the commits that were enough, their mean"),
    last: gauge("commit/last", "the last commit for it"),
  };
}
