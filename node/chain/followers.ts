/** Everything that is derived from blocks beside the chain itself. */
import { type FollowerParts, openLogFollower } from "./log-follower.ts";
import { openSenderHashFollower } from "./sender-hashes.ts";

/** Begins to follow; disposing ends all of it. */
export function openFollowers(
  parts: FollowerParts,
  wanted: { readonly senderHashes: boolean },
): AsyncDisposable {
  const followers = new AsyncDisposableStack();
  followers.use(openLogFollower(parts));
  if (wanted.senderHashes) followers.use(openSenderHashFollower(parts));
  return followers;
}
