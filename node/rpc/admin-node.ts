/** `admin`: how the node was configured, and what its staking information is (rpc.md 2.1). */

import type { RpcProfile } from "../compat/profiles.ts";
import { count, nothing, plain, text } from "../jsonrpc/codecs/plain.ts";
import { failure } from "../jsonrpc/errors.ts";
import { type Method, method } from "../jsonrpc/method.ts";
import { type NodeSettings, nodeConfigJson } from "../presenters/node-config.ts";

/** What these methods tell. */
export interface NodeStateParts {
  readonly profile: RpcProfile;
  readonly settings: NodeSettings;
}

/** See the head of this file. */
export function adminNodeMethods({ profile, settings }: NodeStateParts): Method[] {
  return [
    method({
      name: "admin_nodeConfig",
      summary: "The node's settings under the names that they have in the Go node.",
      params: {},
      result: plain<object>("settings"),
      handle: () => nodeConfigJson(settings, profile.line),
    }),
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
