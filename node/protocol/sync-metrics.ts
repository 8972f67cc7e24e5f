/** What operators watch of blocks that are asked for and of those that come unasked, under the Go node's names. */
import type { Counter, Metrics, Timer } from "../observe/metrics.ts";
import { messages } from "./messages.ts";

/** Of questions of one kind. */
export interface AskedMetrics {
  /** Items of answers. */
  readonly items: Counter;
  /** From a question to its answer. */
  readonly time: Timer;
  /** Answers that nobody waited for. */
  readonly late: Counter;
  readonly timeouts: Counter;
}

/** Of blocks that peers tell of or send by themselves. */
export interface GossipMetrics {
  readonly announced: Counter;
  readonly pushed: Counter;
  /** Not kept: too far from our head. */
  readonly tooFar: Counter;
  /** Not kept: too many wait. */
  readonly noRoom: Counter;
  /** From a block's arrival to sending it on, and to telling others of it when it was taken. */
  readonly sentOn: Timer;
  readonly told: Timer;
}

/** All of them; questions by the code of their answers. */
export interface SyncMetrics {
  readonly asked: ReadonlyMap<number, AskedMetrics>;
  readonly gossip: GossipMetrics;
}

/** Declares them. */
export function declareSyncMetrics(metrics: Metrics): SyncMetrics {
  const meter = (name: string, help: string): Counter =>
    metrics.meter({ name, help: `${help} a second, over the last minute.` });
  const asked = (kind: string, what: string): AskedMetrics => ({
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
    asked: new Map([
      [messages.headers.code, asked("headers", "Headers")],
      [messages.bodies.code, asked("bodies", "Bodies")],
    ]),
    gossip: {
      announced: unasked("announces/in", "Blocks that peers told of by their hashes"),
      told: metrics.timer({
        name: "cn/fetcher/prop/announces/out",
        help: "From the arrival of a block that came unasked to telling of it by its hash.",
      }),
      pushed: unasked("broadcasts/in", "Blocks that came unasked"),
      sentOn: metrics.timer({
        name: "cn/fetcher/prop/broadcasts/out",
        help: "From the arrival of a block that came unasked to sending it on.",
      }),
      tooFar: unasked("broadcasts/drop", "Of these, those too far from our head"),
      noRoom: unasked("broadcasts/dos", "Of these, those for which too many wait"),
    },
  };
}
