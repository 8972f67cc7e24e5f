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
  const asked = (kind: string, what: string): RequestMetrics => ({
    items: meter(`klay/downloader/${kind}/in`, `${what} that were asked for and came`),
    time: metrics.timer({
      name: `klay/downloader/${kind}/req`,
      help: `From asking for ${kind} to the answer.`,
    }),
    late: meter(`klay/downloader/${kind}/drop`, `Answers with ${kind} that nobody waited for`),
    timeouts: meter(
      `klay/downloader/${kind}/timeout`,
      `Questions for ${kind} that were not answered in time`,
    ),
  });
  const unasked = (last: string, help: string): Counter => meter(`cn/fetcher/prop/${last}`, help);
  return {
    requests: new Map([
      [messages.headers.code, asked("headers", "Headers")],
      [messages.bodies.code, asked("bodies", "Bodies")],
    ]),
    gossip: {
      announced: unasked("announces/in", "Blocks that peers told of by their hashes"),
      announcedAfter: metrics.timer({
        name: "cn/fetcher/prop/announces/out",
        help: "From the arrival of a block that came unasked to telling of it by its hash.",
      }),
      pushed: unasked("broadcasts/in", "Blocks that came unasked"),
      forwarded: metrics.timer({
        name: "cn/fetcher/prop/broadcasts/out",
        help: "From the arrival of a block that came unasked to sending it on.",
      }),
      tooFar: unasked("broadcasts/drop", "Of these, those too far from our head"),
      noRoom: unasked("broadcasts/dos", "Of these, those for which too many wait"),
    },
  };
}
