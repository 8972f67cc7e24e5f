/** Everything that is derived from blocks beside the chain itself, and the pruning of old blocks. */
import type { Pause } from "../runtime/scheduler.ts";
import { openAddressIndex } from "./address-index.ts";
import { openBlockPruner } from "./block-pruner.ts";
import type { Chain } from "./chain.ts";
import { type FollowerDeps, openLogFollower } from "./log-follower.ts";
import { openSenderHashFollower } from "./sender-hashes.ts";
import { openSupply, type Supply } from "./supply.ts";

/** The chain and the state that followers read. */
export interface FollowersDeps extends FollowerDeps {
  readonly chain: Chain;
  readonly pause: Pause;
  /** The oldest block that the chain can be taken back to. */
  readonly oldestRewind: () => number;
}

/** Followers to run. */
export interface WantedFollowers {
  readonly senderHashes: boolean;
  readonly addresses: boolean;
  /** Newest blocks that stay whole; 0 is all. */
  readonly blocks: number;
}

/** Disposing them ends all of it. */
export interface Followers extends AsyncDisposable {
  readonly supply: Supply;
}

/** Begins to follow. */
export function openFollowers(deps: FollowersDeps, wanted: WantedFollowers): Followers {
  const followers = new AsyncDisposableStack();
  const supply = followers.use(openSupply(deps));
  const reading = [supply, followers.use(openLogFollower(deps))];
  if (wanted.senderHashes) reading.push(followers.use(openSenderHashFollower(deps)));
  if (wanted.addresses) reading.push(followers.use(openAddressIndex(deps)));
  if (wanted.blocks > 0) {
    const oldestNeeded = (): number => Math.min(deps.oldestRewind(), ...reading.map(({ next }) => next));
    const pruner = followers.use(openBlockPruner({ ...deps, blocks: wanted.blocks, oldestNeeded }));
    for (const each of reading) void each.caughtUp().then(() => pruner.wake()); // no block may come for long
  }
  return { supply, [Symbol.asyncDispose]: () => followers.disposeAsync() };
}
