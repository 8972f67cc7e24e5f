/**
 * Asks the nodes how they are, all at the same moment, apart from reconciling: a node that hangs delays nobody.
 * What they tell is kept until the next time.
 */
import { readHeight, readNodeInfo, readPeerIds, readSyncing } from "../control/answers.ts";
import type { Channel, GatewayAddress } from "../control/channel.ts";
import type { Clock } from "../observe/clock.ts";
import { messageOf } from "../observe/message-of.ts";

/** What a node told, or why it told nothing. */
export type Observation =
  | {
      readonly ok: true;
      readonly at: number;
      readonly address: string;
      readonly id: string;
      readonly version: string;
      readonly height: number;
      readonly syncing: boolean;
      readonly peers: ReadonlySet<string>;
    }
  | { readonly ok: false; readonly at: number; readonly address: string; readonly message: string };

/** What a poller needs. */
export interface PollerOptions {
  readonly channel: Channel;
  /** The keys of all Nodes. */
  readonly keys: () => readonly string[];
  /** A Node's gateway; undefined while its pod has no address. */
  readonly gateway: (key: string) => GatewayAddress | undefined;
  /** Called when a node was asked. */
  readonly asked: (key: string) => void;
  readonly everyMs: number;
  readonly clock: Clock;
}

/** Nodes that are asked at once. */
const AT_ONCE = 64;

/** The poller. Disposing it stops it. */
export class Poller implements AsyncDisposable {
  readonly #options: PollerOptions;
  readonly #observations = new Map<string, Observation>();
  readonly #asking = new Map<string, Promise<void>>();
  readonly #waiting = new Set<string>();
  readonly #timer: NodeJS.Timeout;
  #closed = false;

  constructor(options: PollerOptions) {
    this.#options = options;
    this.#timer = setInterval(() => this.#round(), options.everyMs);
  }

  /** What the node last told. */
  get(key: string): Observation | undefined {
    return this.#observations.get(key);
  }

  /** Asks a node as soon as there is room, unless it is being asked. */
  look(key: string): void {
    if (this.#closed || this.#asking.has(key)) return;
    this.#waiting.add(key);
    this.#begin();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closed = true;
    clearInterval(this.#timer);
    await Promise.all(this.#asking.values());
  }

  #round(): void {
    const keys = new Set(this.#options.keys());
    for (const key of this.#observations.keys()) if (!keys.has(key)) this.#observations.delete(key);
    for (const key of keys) this.look(key);
  }

  #begin(): void {
    for (const key of this.#waiting) {
      if (this.#closed || this.#asking.size >= AT_ONCE) return;
      this.#waiting.delete(key);
      const gateway = this.#options.gateway(key);
      if (gateway !== undefined) this.#asking.set(key, this.#ask(key, gateway));
    }
  }

  async #ask(key: string, gateway: GatewayAddress): Promise<void> {
    await Promise.resolve(); // so that the map has this before it can end
    const observation = await observe(this.#options, gateway);
    this.#observations.set(key, observation);
    this.#asking.delete(key);
    if (this.#closed) return;
    this.#options.asked(key);
    this.#begin();
  }
}

async function observe({ channel, clock }: PollerOptions, gateway: GatewayAddress): Promise<Observation> {
  const address = gateway.host;
  try {
    const [info, peers, height, syncing] = await Promise.all([
      channel.call(gateway, "admin_nodeInfo").then(readNodeInfo),
      channel.call(gateway, "admin_peers").then(readPeerIds),
      channel.call(gateway, "chain_blockNumber").then(readHeight),
      channel.call(gateway, "chain_syncing").then(readSyncing),
    ]);
    return { ok: true, at: clock.now(), address, ...info, height, syncing, peers };
  } catch (error) {
    return { ok: false, at: clock.now(), address, message: messageOf(error) };
  }
}
