/**
 * Asks the nodes how they are, one after another and spread evenly, apart from reconciling: a node that hangs delays
 * nobody. What they tell is kept until the next time. So that a thousand nodes cost little, there are at most so many
 * questions a second, and a node whose height alone has changed is not reconciled.
 */
import { readReport } from "../control/answers.ts";
import type { Channel } from "../control/channel.ts";
import { ControlError } from "../control/error.ts";
import type { GatewayAddress } from "../control/exchange.ts";
import type { Clock } from "../observe/clock.ts";
import { messageOf } from "../observe/message-of.ts";
import { isPolledChanged, nextPolled, type Observation, type PolledNode } from "./observation.ts";

/** Options of a poller. */
export interface PollerOptions {
  readonly channel: Channel;
  /** Lists the keys of all members. */
  readonly keys: () => readonly string[];
  /** Returns the gateway of a member; undefined while its pod has no address. */
  readonly gateway: (key: string) => GatewayAddress | undefined;
  /** Called for a relevant change. */
  readonly onObservation: (key: string) => void;
  /** Interval of polls of a node, unless `perSecond` limits it. */
  readonly everyMs: number;
  readonly clock: Clock;
  /** Maximum polls a second of all nodes. */
  readonly perSecond?: number;
}

/** Maximum concurrent polls. */
const AT_ONCE = 64;
/** Maximum concurrent polls that are not slow. A connection takes 100 kB, which is not fully returned. */
const SOON_AT_ONCE = 16;
/** Time after which a poll is slow and another may start. */
const SOON_MS = 500;
/** Default of polls a second. A poll over a resumed TLS session takes one or two milliseconds of CPU time. */
const PER_SECOND = 8;
const TICK_MS = 100;
/** Minimum validity of an observation; otherwise three intervals. */
const FRESH_MS = 45_000;

/** The poller. Disposing it stops it. */
export class Poller implements AsyncDisposable {
  readonly #options: PollerOptions;
  readonly #polled = new Map<string, PolledNode>();
  readonly #asking = new Map<string, Promise<void>>();
  /** Slow polls. */
  readonly #slow = new Set<string>();
  readonly #waiting = new Set<string>();
  readonly #timer: NodeJS.Timeout;
  #round: readonly string[] = [];
  #next = 0;
  /** Polls that may start now; a fraction carries over to the next tick. */
  #credit = 0;
  #closed = false;

  constructor(options: PollerOptions) {
    this.#options = options;
    this.#timer = setInterval(() => this.#tick(), TICK_MS);
  }

  /** Returns the last observation of a member. */
  latest(key: string): Observation | undefined {
    return this.#polled.get(key)?.observation;
  }

  /** Polls a node as soon as capacity is free, unless a poll is running. */
  pollSoon(key: string): void {
    if (this.#closed || this.#asking.has(key)) return;
    this.#waiting.add(key);
    this.#begin();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closed = true;
    clearInterval(this.#timer);
    await Promise.all(this.#asking.values());
  }

  #tick(): void {
    if (this.#next >= this.#round.length) this.#beginRound();
    this.#credit += (this.#round.length * TICK_MS) / this.#roundMs();
    for (; this.#credit >= 1 && this.#next < this.#round.length; this.#credit--) {
      const key = this.#round[this.#next++];
      if (key !== undefined) this.pollSoon(key);
    }
    this.#credit = Math.min(this.#credit, 1);
  }

  #beginRound(): void {
    this.#round = this.#options.keys();
    this.#next = 0;
    const present = new Set(this.#round);
    for (const key of this.#polled.keys()) if (!present.has(key)) this.#polled.delete(key);
  }

  #roundMs(): number {
    const { everyMs, perSecond = PER_SECOND } = this.#options;
    return Math.max(everyMs, (this.#round.length * 1_000) / perSecond);
  }

  #begin(): void {
    for (const key of this.#waiting) {
      if (this.#closed || !this.#hasRoom()) return;
      this.#waiting.delete(key);
      const gateway = this.#options.gateway(key);
      if (gateway !== undefined) this.#asking.set(key, this.#ask(key, gateway));
    }
  }

  #hasRoom(): boolean {
    const { size } = this.#asking;
    return size < AT_ONCE && size - this.#slow.size < SOON_AT_ONCE;
  }

  async #ask(key: string, gateway: GatewayAddress): Promise<void> {
    await Promise.resolve(); // so that the map has this before it can end
    const freshMs = Math.max(FRESH_MS, 3 * this.#roundMs());
    const before = this.#polled.get(key);
    const patience = setTimeout(() => this.#makeWay(key), SOON_MS);
    const after = nextPolled(before, await observe(this.#options, gateway, freshMs));
    clearTimeout(patience);
    this.#polled.set(key, after);
    this.#asking.delete(key);
    this.#slow.delete(key);
    if (this.#closed) return;
    if (isPolledChanged(before, after)) this.#options.onObservation(key);
    this.#begin();
  }

  #makeWay(key: string): void {
    this.#slow.add(key);
    this.#begin();
  }
}

async function observe(
  { channel, clock }: PollerOptions,
  gateway: GatewayAddress,
  freshMs: number,
): Promise<Observation> {
  const address = gateway.host;
  try {
    const { peers, ...report } = readReport(await channel.call(gateway, "gateway_report"));
    const at = clock.now();
    return { ok: true, at, until: at + freshMs, address, ...report, peers: new Set(peers) };
  } catch (error) {
    const reason = error instanceof ControlError ? error.reason : "Error";
    return { ok: false, at: clock.now(), address, reason, message: messageOf(error) };
  }
}
