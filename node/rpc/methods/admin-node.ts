/** `admin`: how the node was configured, and what goes on in its databases (rpc.md 2.1). */
import type { SaveStart } from "../../state/node-cache.ts";
import { count, nothing, plain, text } from "../codecs/plain.ts";
import { failure } from "../errors.ts";
import { type Method, method } from "../method.ts";
import type { RpcProfile } from "../profiles.ts";
import { type NodeSettings, nodeConfigView } from "../views/node-config.ts";

/** What these methods tell. */
export interface NodeStateParts {
  readonly profile: RpcProfile;
  readonly settings: NodeSettings;
  readonly saveNodes: () => SaveStart;
}

/** See the head of this file. */
export function adminNodeMethods({ profile, settings, saveNodes }: NodeStateParts): Method[] {
  return [
    method({
      name: "admin_nodeConfig",
      summary: "The node's settings under the names that they have in the Go node.",
      params: {},
      result: plain<object>("settings"),
      handle: () => nodeConfigView(settings, profile.line),
    }),
    method({
      name: "admin_stateMigrationStatus",
      summary: "How far a migration of the state is; none runs.",
      params: {},
      result: plain<object>("migration status"),
      handle: () => IDLE_MIGRATION,
    }),
    method({
      name: "admin_stopStateMigration",
      summary: "Ends a migration of the state; an error while none runs.",
      params: {},
      result: nothing,
      handle: () => {
        throw failure("not in migration");
      },
    }),
    saving(saveNodes),
    method({
      name: "admin_syncStakingInfo",
      summary:
        "Always an error: staking information is part of the chain's own data here and is never missing.",
      params: { peer: text, from: count, to: count },
      result: nothing,
      handle: ({ from, to }) => {
        throw failure(profile.line.words.noStakingSync(from, to));
      },
    }),
    method({
      name: "admin_syncStakingInfoStatus",
      summary: "How far the fetching of staking information is: there is never any.",
      params: {},
      result: plain<object>("status"),
      handle: () => ({ syncing: false, pending: [], total: 0, completed: 0 }),
    }),
  ];
}

function saving(saveNodes: () => SaveStart): Method {
  return method({
    name: "admin_saveTrieNodeToDisk",
    aliases: ["admin_saveTrieNodeCacheToDisk"],
    summary:
      "Starts to write the trie nodes in memory to `fastcache` in the data directory, for the next start.",
    privilege: "process",
    params: {},
    result: nothing,
    handle: () => {
      const start = saveNodes();
      if (start !== "started") throw failure(NOT_SAVED[start]);
    },
  });
}

const NOT_SAVED: Readonly<Record<Exclude<SaveStart, "started">, string>> = {
  off: "trie node cache is disabled, nothing to save to file",
  running: "saving trie node cache has been triggered already",
};

const IDLE_MIGRATION = {
  committed: 0,
  err: "null",
  isMigration: false,
  migrationBlockNumber: 0,
  pending: 0,
  progress: 0,
  read: 0,
};
