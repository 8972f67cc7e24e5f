/** `admin`: the node's peers. */

import { boolean, plain, text } from "../jsonrpc/codecs/plain.ts";
import { type Method, method } from "../jsonrpc/method.ts";
import {
  arraySchema,
  mapSchema,
  namedSchema,
  plainSchemas,
  recordSchema,
  schemaRefs,
} from "../jsonrpc/schemas.ts";
import type { P2p } from "../p2p/p2p.ts";
import type { PeerInfo } from "../p2p/protocol.ts";

/** Dependencies of the methods about peers. */
export interface AdminPeersDeps {
  readonly p2p: Pick<P2p, "peers" | "addPeer" | "removePeer">;
}

/** A peer with one connection has `network`, or on the Go lines a list `networks` as all others. */
const peerSchema = namedSchema("peer", () => {
  const { integer } = plainSchemas;
  const network = recordSchema<PeerInfo["networks"][number]>({
    localAddress: text.schema,
    remoteAddress: text.schema,
    inbound: boolean.schema,
    trusted: boolean.schema,
    static: boolean.schema,
    nodeType: text.schema,
  });
  const status = recordSchema({
    version: integer,
    "difficulty?": integer,
    "blockscore?": integer,
    head: schemaRefs.hash,
  });
  return recordSchema({
    id: text.schema,
    name: text.schema,
    caps: arraySchema(text.schema),
    "network?": network,
    "networks?": arraySchema(network),
    protocols: mapSchema("status by protocol", { oneOf: [status, { enum: ["handshake", "unknown"] }] }),
  });
});

/** The methods of `admin` about peers. */
export function adminPeersMethods({ p2p }: AdminPeersDeps): Method[] {
  return [
    method({
      name: "admin_peers",
      summary: "Returns the connected peers, sorted by id.",
      params: {},
      result: plain<readonly object[]>("peer[]", arraySchema(peerSchema)),
      handle: () => p2p.peers().map((peer) => peerJson(peer)),
    }),
    method({
      name: "admin_addPeer",
      summary:
        "Adds a static peer, to which the node keeps a connection. Returns before it connects; false for an invalid URL.",
      params: { url: text },
      result: boolean,
      handle: ({ url }) => p2p.addPeer(url),
    }),
    method({
      name: "admin_removePeer",
      summary: "Removes a static peer and disconnects it. Returns false for an unknown one.",
      params: { url: text },
      result: boolean,
      handle: ({ url }) => p2p.removePeer(url),
    }),
  ];
}

/** Formats a peer. A peer with one connection has a `network` instead of a list `networks`. */
function peerJson({ networks, protocols, ...peer }: PeerInfo): object {
  const [only] = networks;
  return {
    ...peer,
    ...(networks.length === 1 ? { network: only } : { networks }),
    protocols: Object.fromEntries(
      Object.entries(protocols).map(([name, facts]) => [name, scoreAsDifficulty(facts)]),
    ),
  };
}

function scoreAsDifficulty(facts: unknown): unknown {
  if (typeof facts !== "object" || facts === null || !("blockscore" in facts)) return facts;
  return Object.fromEntries(
    Object.entries(facts).map(([key, value]) => [key === "blockscore" ? "difficulty" : key, value]),
  );
}
