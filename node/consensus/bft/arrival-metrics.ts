/**
 * Arrival times of the messages that make a block: its proposal and the commits of other validators, in
 * nanoseconds from the time at which the block was due, under the Go node's metric names
 * (`consensus/istanbul/core/vrank.go@v2.2.2`). The gauges are set once a height is over, from the round that made its
 * block.
 */
import type { Gauge, Metrics } from "../../observe/metrics.ts";
import type { RoundState } from "./round-state.ts";

/** Clock readings, in milliseconds since the epoch. */
export interface ArrivalTimes {
  now(): number;
  /** Earliest time of the block after the newest one. */
  due(): number;
}

/** Members of the round state that the metrics read. */
export type ObservedState = Pick<RoundState<never>, "view" | "phase"> & {
  readonly validators: Pick<RoundState<never>["validators"], "required">;
  readonly verifying: unknown;
  readonly commits: ReadonlyMap<string, unknown>;
};

const NANOSECONDS = 1e6;

/** Declares the gauges and returns the observer of round states. */
export function declareArrivalMetrics(metrics: Metrics, times: ArrivalTimes): (state: ObservedState) => void {
  const gauges = declareGauges(metrics);
  let round: RoundArrivals | undefined;
  return (state) => {
    if (round === undefined || round.sequence !== state.view.sequence) {
      if (round !== undefined) reportArrivals(gauges, round);
      round = arrivalsOf(state, Math.max(times.now(), times.due()));
    } else if (round.round !== state.view.round) round = arrivalsOf(state, round.startedAt);
    recordArrivals(round, state, times.now());
  };
}

/** Arrivals in one round, in milliseconds from `startedAt`. */
interface RoundArrivals {
  readonly sequence: number;
  readonly round: number;
  readonly startedAt: number;
  readonly required: number;
  proposal: number | undefined;
  /** Arrival of each sender's commit, in order of arrival. */
  readonly commits: Map<string, number>;
}

function arrivalsOf({ view, validators }: ObservedState, startedAt: number): RoundArrivals {
  return { ...view, startedAt, required: validators.required, proposal: undefined, commits: new Map() };
}

function recordArrivals(
  round: RoundArrivals,
  { verifying, phase, commits }: ObservedState,
  now: number,
): void {
  const passed = Math.max(0, now - round.startedAt);
  if (verifying !== undefined || phase !== "accepting") round.proposal ??= passed;
  if (commits.size === round.commits.size) return;
  for (const sender of commits.keys()) if (!round.commits.has(sender)) round.commits.set(sender, passed);
}

function reportArrivals(
  gauges: ReturnType<typeof declareGauges>,
  { proposal, commits, required }: RoundArrivals,
): void {
  const all = [...commits.values()];
  const quorum = all.slice(0, required);
  setGauge(gauges.proposal, proposal);
  setGauge(gauges.first, all[0]);
  setGauge(gauges.last, all.at(-1));
  if (quorum.length < required) return;
  setGauge(gauges.quorum, quorum.at(-1));
  setGauge(gauges.mean, quorum.reduce((sum, ms) => sum + ms, 0) / required);
}

function setGauge(gauge: Gauge, ms: number | undefined): void {
  if (ms !== undefined) gauge.set(Math.round(ms * NANOSECONDS));
}

function declareGauges(metrics: Metrics) {
  const gauge = (last: string, help: string): Gauge =>
    metrics.gauge({
      name: `vrank/${last}`,
      help: `Nanoseconds from the due time of the last block to ${help}.`,
    });
  return {
    proposal: gauge("preprepare/first", "its proposal"),
    first: gauge("commit/first", "the first commit for it"),
    quorum: gauge("commit/quorumreached", "the commit that completed the quorum"),
    mean: gauge("commit/quorumaverage", "the commits of the quorum, on average"),
    last: gauge("commit/last", "the last commit for it"),
  };
}
