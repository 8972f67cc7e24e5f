/** `admin`: the node's peers. */

import type { RpcProfile } from "../compat/profiles.ts";
import { boolean, plain, text } from "../jsonrpc/codecs/plain.ts";
import { failure } from "../jsonrpc/errors.ts";
import { type Method, method } from "../jsonrpc/method.ts";
import { arraySchema, objectSchema } from "../jsonrpc/schemas.ts";
import { P2pError } from "../p2p/error.ts";
import { parseNodeUrl } from "../p2p/node-url.ts";
import type { P2p } from "../p2p/p2p.ts";
import type { PeerInfo } from "../p2p/protocol.ts";

/** What these methods work on. */
export interface AdminPeersParts {
  readonly p2p: Pick<P2p, "peers" | "addPeer" | "removePeer">;
  readonly profile: RpcProfile;
}

/** The methods of `admin` about peers. */
export function adminPeersMethods({ p2p, profile }: AdminPeersParts): Method[] {
  return [
    method({
      name: "admin_peers",
      summary: "The connected peers, sorted by id.",
      params: {},
      result: plain<readonly object[]>("peer[]", arraySchema(objectSchema("peer"))),
      handle: () => p2p.peers().map((peer) => peerView(peer, profile)),
    }),
    method({
      name: "admin_addPeer",
      summary: "Keeps a node connected from now on. Does not wait; false for a URL that cannot be read.",
      params: { url: text },
      result: boolean,
      handle: ({ url }) => {
        if (!profile.failureIsFalse) checkUrl(url);
        return p2p.addPeer(url);
      },
    }),
    method({
      name: "admin_removePeer",
      summary: "Stops keeping a node and disconnects it; false when it was not kept.",
      params: { url: text },
      result: boolean,
      handle: ({ url }) => {
        if (!profile.failureIsFalse) checkUrl(url);
        return p2p.removePeer(url) || !profile.failureIsFalse;
      },
    }),
  ];
}

function checkUrl(url: string): void {
  try {
    parseNodeUrl(url);
  } catch (error) {
    if (error instanceof P2pError) throw failure(`invalid kni: ${error.message}`);
    throw error;
  }
}

/** A peer with its score and its connection under the profile's names. */
function peerView({ networks, protocols, ...peer }: PeerInfo, profile: RpcProfile): object {
  const [only] = networks;
  const single = profile.singleNetwork && networks.length === 1;
  return {
    ...peer,
    ...(single ? { network: only } : { networks }),
    protocols: Object.fromEntries(
      Object.entries(protocols).map(([name, facts]) => [name, renamedScore(facts, profile)]),
    ),
  };
}

function renamedScore(facts: unknown, { totalScoreKey }: RpcProfile): unknown {
  if (typeof facts !== "object" || facts === null || !("blockscore" in facts)) return facts;
  return Object.fromEntries(
    Object.entries(facts).map(([key, value]) => [key === "blockscore" ? totalScoreKey : key, value]),
  );
}
