/**
 * Heights in the statuses: one reading for all Nodes of a chain, whose statuses are then written in one pass, so that
 * Nodes with the same blocks show the same height. Passes take turns, and each is paid for before the next, so that a
 * thousand Nodes cost no more writes a second than one.
 */
import { keyOf, type NodeResource } from "../api/resource.ts";
import { type Member, membersOf } from "../build/names.ts";
import type { Clock } from "../observe/clock.ts";
import { commonHeight } from "../plan/group.ts";
import type { Observation } from "./observation.ts";

/** Options of the passes. */
export interface HeightPassOptions {
  /** Lists the Nodes by the key of their chain. */
  readonly chains: () => ReadonlyMap<string, readonly NodeResource[]>;
  readonly latest: (member: string) => Observation | undefined;
  /** Called for each pass with the common height, undefined without reports, and the keys of the chain's Nodes. */
  readonly onPass: (chain: string, height: number | undefined, nodes: readonly string[]) => void;
  /** Minimum interval of the passes of a chain: that of the polls. */
  readonly everyMs: number;
  readonly clock: Clock;
}

/** Statuses written a second on average, which determines the age of heights in statuses. */
const NODES_PER_SECOND = 1;
const TICK_MS = 100;

/** The passes. Disposing them stops them. */
export class HeightPasses implements Disposable {
  readonly #options: HeightPassOptions;
  readonly #timer: NodeJS.Timeout;
  /** Chains that had a pass, with its time, the earliest first. */
  readonly #passedAt = new Map<string, number>();
  /** Statuses that may be written; below 0 after a pass of several. */
  #credit = NODES_PER_SECOND;

  constructor(options: HeightPassOptions) {
    this.#options = options;
    this.#timer = setInterval(() => this.#tick(), TICK_MS);
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer);
  }

  #tick(): void {
    this.#credit = Math.min(this.#credit + (NODES_PER_SECOND * TICK_MS) / 1_000, NODES_PER_SECOND);
    if (this.#credit < NODES_PER_SECOND) return;
    const { chains: list, clock, everyMs, onPass } = this.#options;
    const chains = new Map([...list()].filter(([, nodes]) => this.#isPolled(nodes)));
    for (const chain of this.#passedAt.keys()) if (!chains.has(chain)) this.#passedAt.delete(chain);
    const next = this.#next([...chains.keys()]);
    const nodes = next === undefined ? undefined : chains.get(next);
    if (next === undefined || nodes === undefined) return;
    // Also after the clock was set back.
    if (Math.abs(clock.now() - (this.#passedAt.get(next) ?? 0)) < everyMs) return;
    this.#passedAt.delete(next); // to be the last
    this.#passedAt.set(next, clock.now());
    this.#credit -= nodes.length;
    onPass(
      next,
      this.#read(nodes),
      nodes.map(({ meta }) => keyOf(meta)),
    );
  }

  /** Returns a chain without a pass, else the one whose pass was the earliest. */
  #next(chains: readonly string[]): string | undefined {
    return chains.find((chain) => !this.#passedAt.has(chain)) ?? this.#passedAt.keys().next().value;
  }

  /** False for a chain of which nothing is known yet. */
  #isPolled(nodes: readonly NodeResource[]): boolean {
    return nodes.flatMap(membersOf).some((member) => this.#options.latest(keyOfMember(member)) !== undefined);
  }

  #read(nodes: readonly NodeResource[]): number | undefined {
    const { latest, clock } = this.#options;
    const reports = nodes.flatMap(membersOf).flatMap((member) => {
      const observation = latest(keyOfMember(member));
      if (observation?.ok !== true || clock.now() > observation.until) return [];
      return [{ height: observation.height, reportedAt: observation.at }];
    });
    return commonHeight(reports);
  }
}

function keyOfMember({ node, name }: Member): string {
  return keyOf({ namespace: node.meta.namespace, name });
}
