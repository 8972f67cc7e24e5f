/**
 * Metrics of requested and of unsolicited blocks, under the Go node's names (datasync/downloader/metrics.go
 * and datasync/fetcher/metrics.go@v2.2.2).
 */
import type { Counter, Metrics, Timer } from "../observe/metrics.ts";
import { messages } from "./messages.ts";

/** Metrics of one kind of request. */
export interface RequestMetrics {
  /** Items in answers. */
  readonly items: Counter;
  /** Time from a request to its answer. */
  readonly time: Timer;
  /** Answers without an open request. */
  readonly late: Counter;
  readonly timeouts: Counter;
}

/** Metrics of announced and pushed blocks. */
export interface GossipMetrics {
  readonly announced: Counter;
  readonly pushed: Counter;
  /** Dropped: too far from our head. */
  readonly tooFar: Counter;
  /** Dropped: too many are queued. */
  readonly noRoom: Counter;
  /** Time from a block's arrival to its forwarding, and to its announcement after the import. */
  readonly forwarded: Timer;
  readonly announcedAfter: Timer;
}

/** Metrics of requests, by the code of the answer, and of gossip. */
export interface SyncMetrics {
  readonly requests: ReadonlyMap<number, RequestMetrics>;
  readonly gossip: GossipMetrics;
}

/** Declares the metrics. */
export function declareSyncMetrics(metrics: Metrics): SyncMetrics {
  const meter = (name: string, help: string): Counter =>
    metrics.meter({ name, help: `${help} a second, over the last minute.` });
  const requestMetrics = (kind: string, what: string): RequestMetrics => ({
    items: meter(`klay/downloader/${kind}/in`, `${what} received as answers`),
    time: metrics.timer({
      name: `klay/downloader/${kind}/req`,
      help: `Time from a request for ${kind} to its answer.`,
    }),
    late: meter(`klay/downloader/${kind}/drop`, `Answers with ${kind} without an open request`),
    timeouts: meter(`klay/downloader/${kind}/timeout`, `Requests for ${kind} that timed out`),
  });
  const gossipMeter = (last: string, help: string): Counter => meter(`cn/fetcher/prop/${last}`, help);
  return {
    requests: new Map([
      [messages.headers.code, requestMetrics("headers", "Headers")],
      [messages.bodies.code, requestMetrics("bodies", "Bodies")],
    ]),
    gossip: {
      announced: gossipMeter("announces/in", "Blocks announced by peers"),
      announcedAfter: metrics.timer({
        name: "cn/fetcher/prop/announces/out",
        help: "Time from the arrival of a pushed block to its announcement.",
      }),
      pushed: gossipMeter("broadcasts/in", "Blocks pushed by peers"),
      forwarded: metrics.timer({
        name: "cn/fetcher/prop/broadcasts/out",
        help: "Time from the arrival of a pushed block to its forwarding.",
      }),
      tooFar: gossipMeter("broadcasts/drop", "Pushed blocks dropped as too far from the head"),
      noRoom: gossipMeter("broadcasts/dos", "Pushed blocks dropped because too many were queued"),
    },
  };
}
