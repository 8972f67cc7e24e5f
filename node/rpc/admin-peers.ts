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

/** Dependencies of the methods about peers. */
export interface AdminPeersDeps {
  readonly p2p: Pick<P2p, "peers" | "addPeer" | "removePeer">;
  readonly profile: RpcProfile;
}

/** The methods of `admin` about peers. */
export function adminPeersMethods({ p2p, profile }: AdminPeersDeps): Method[] {
  return [
    method({
      name: "admin_peers",
      summary: "Returns the connected peers, sorted by id.",
      params: {},
      result: plain<readonly object[]>("peer[]", arraySchema(objectSchema("peer"))),
      handle: () => p2p.peers().map((peer) => peerJson(peer, profile)),
    }),
    method({
      name: "admin_addPeer",
      summary:
        "Adds a static peer, to which the node keeps a connection. Returns before it connects; false for an invalid URL.",
      params: { url: text },
      result: boolean,
      handle: ({ url }) => {
        if (!profile.failureIsFalse) checkUrl(url);
        return p2p.addPeer(url);
      },
    }),
    method({
      name: "admin_removePeer",
      summary: "Removes a static peer and disconnects it. Returns false for an unknown one.",
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

/** Formats a peer under the profile's names for block score and connection. */
function peerJson({ networks, protocols, ...peer }: PeerInfo, profile: RpcProfile): object {
  const [only] = networks;
  const single = profile.singleNetwork && networks.length === 1;
  return {
    ...peer,
    ...(single ? { network: only } : { networks }),
    protocols: Object.fromEntries(
      Object.entries(protocols).map(([name, facts]) => [name, renameScore(facts, profile)]),
    ),
  };
}

function renameScore(facts: unknown, { totalScoreKey }: RpcProfile): unknown {
  if (typeof facts !== "object" || facts === null || !("blockscore" in facts)) return facts;
  return Object.fromEntries(
    Object.entries(facts).map(([key, value]) => [key === "blockscore" ? totalScoreKey : key, value]),
  );
}
