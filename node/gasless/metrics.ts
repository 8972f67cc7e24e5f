/** Metrics of gasless transactions, under the Go node's names. */
import type { Metrics } from "../observe/metrics.ts";
import type { KnownTransactions } from "./known.ts";

/** Declares the gauges, read when scraped. */
export function declareGaslessMetrics(
  metrics: Metrics,
  known: Pick<KnownTransactions, "queued" | "pending" | "executable" | "oldestMs">,
): void {
  const gauge = (name: string, help: string, read: () => number): void =>
    void metrics.gauge({ name: `txpool/knowntxs/${name}`, help, read });
  gauge("num/queue", "Waiting gasless transactions.", () => known.queued);
  gauge("num/pending", "Executable gasless transactions.", () => known.pending);
  gauge(
    "num/executable",
    "Executable gasless transactions without those that failed in a block.",
    () => known.executable,
  );
  gauge("oldesttime/seconds", "Time since the oldest known gasless transaction came in, in seconds.", () =>
    Math.floor(known.oldestMs / 1000),
  );
}
