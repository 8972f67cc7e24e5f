/** `net` and `web3`: which network this is, who is connected, what the node is called. */

import type { RpcProfile } from "../compat/profiles.ts";
import { keccak256 } from "../crypto/keccak.ts";
import { data, hash, numberQuantity } from "../jsonrpc/codecs/hex.ts";
import { boolean, plain, text } from "../jsonrpc/codecs/plain.ts";
import { type Method, method } from "../jsonrpc/method.ts";
import { mapSchema } from "../jsonrpc/schemas.ts";
import type { P2p } from "../p2p/p2p.ts";

/** What these methods tell. */
export interface NetParts {
  readonly networkId: number;
  readonly clientName: string;
  readonly p2p: Pick<P2p, "countByType" | "listening">;
  readonly profile: RpcProfile;
}

/** The methods of `net` and `web3`. */
export function netMethods({ networkId, clientName, p2p, profile }: NetParts): Method[] {
  return [
    method({
      name: "net_version",
      summary: "The network's number as decimal text.",
      params: {},
      result: text,
      handle: () => String(networkId),
    }),
    method({
      name: "net_networkID",
      summary: "The network's number.",
      params: {},
      result: plain<string | number>("network number", { type: ["string", "integer"] }),
      handle: () => (profile.networkIdAsText ? String(networkId) : networkId),
    }),
    method({
      name: "net_listening",
      summary: "True when other nodes can connect to this one.",
      params: {},
      result: boolean,
      handle: () => profile.alwaysListening || p2p.listening,
    }),
    method({
      name: "net_peerCount",
      summary: "How many peers are connected.",
      params: {},
      result: numberQuantity,
      handle: () => p2p.countByType().total,
    }),
    method({
      name: "net_peerCountByType",
      summary: "How many peers of each type are connected, and in total.",
      params: {},
      result: plain<Readonly<Record<string, number>>>(
        "object of type to count",
        mapSchema("count by type", { type: "integer" }),
      ),
      handle: () => p2p.countByType(),
    }),
    ...web3Methods(clientName),
  ];
}

function web3Methods(clientName: string): Method[] {
  return [
    method({
      name: "web3_clientVersion",
      summary: "The node's name and version.",
      params: {},
      result: text,
      handle: () => clientName,
    }),
    method({
      name: "web3_sha3",
      summary: "keccak-256 of data.",
      params: { data },
      result: hash,
      handle: (args) => keccak256(args.data),
    }),
  ];
}
