/** Metrics of the consensus engine, under the Go node's names (`consensus/istanbul/core/core.go@v2.2.2`). */
import type { Metrics } from "../../observe/metrics.ts";
import { type ArrivalTimes, declareArrivalMetrics } from "./arrival-metrics.ts";
import type { Proposal } from "./message.ts";
import type { RoundState } from "./round-state.ts";

/** Observes the round state before and after each step. */
export interface EngineMetrics {
  observe<P extends Proposal>(before: RoundState<P> | undefined, after: RoundState<P>): void;
  /** Observes that another node signs with this node's key. */
  observeDoppelganger(): void;
}

function nameOf(last: string): string {
  return `consensus/istanbul/core/${last}`;
}

/** Declares the metrics and returns their observer. */
export function declareEngineMetrics(metrics: Metrics, times: ArrivalTimes): EngineMetrics {
  const arrived = declareArrivalMetrics(metrics, times);
  const gauge = (last: string, help: string) => metrics.gauge({ name: nameOf(last), help });
  const rounds = metrics.counter({
    name: nameOf("round"),
    help: "Rounds after the first ones that this node voted for or entered.",
  });
  const heights = metrics.counter({ name: nameOf("sequence"), help: "Heights completed." });
  const current = gauge("currentRound", "Round of the block under agreement.");
  const council = gauge("councilSize", "Qualified validators of the next block.");
  const committee = gauge("committeeSize", "Validators in the committee of the current round.");
  const lock = gauge("hashLock", "1 while this node is locked on a block that is not in the chain yet.");
  const timer = gauge("timer", "Nanoseconds from the acceptance of a proposal to the next height.");
  const doppelganger = metrics.gauge({
    name: "knit_consensus_doppelganger",
    help: "1 when another node signs with this node's key; this node has stopped signing then.",
  });
  let acceptedAt: number | undefined;
  return {
    observe(before, after) {
      if (before === after) return;
      arrived(after);
      const grown = after.view.sequence - (before?.view.sequence ?? after.view.sequence);
      if (grown > 0) {
        heights.add(grown);
        if (acceptedAt !== undefined) timer.set((times.now() - acceptedAt) * 1e6);
        acceptedAt = undefined;
      } else rounds.add(Math.max(0, after.view.round - (before?.view.round ?? 0)));
      if (after.phase === "preprepared") acceptedAt ??= times.now();
      current.set(after.view.round);
      council.set(after.validators.qualified.size);
      committee.set(after.validators.committee(after.started).size);
      lock.set(Number(after.lock !== undefined));
    },
    observeDoppelganger: () => doppelganger.set(1),
  };
}
