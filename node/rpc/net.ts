/** `net` and `web3`: network id, peer count and client version. */

import { keccak256 } from "../crypto/keccak.ts";
import { data, hash, numberQuantity } from "../jsonrpc/codecs/hex.ts";
import { boolean, plain, text } from "../jsonrpc/codecs/plain.ts";
import { type Method, method } from "../jsonrpc/method.ts";
import { mapSchema } from "../jsonrpc/schemas.ts";
import type { P2p } from "../p2p/p2p.ts";

/** Dependencies of the methods of `net` and `web3`. */
export interface NetMethodDeps {
  readonly networkId: number;
  readonly clientName: string;
  /** Set on a development chain. */
  readonly development?: unknown;
  readonly p2p: Pick<P2p, "countByType" | "listening">;
}

/** The methods of `net` and `web3`. */
export function netMethods({ networkId, clientName, development, p2p }: NetMethodDeps): Method[] {
  return [
    method({
      name: "net_version",
      summary: "Returns the network id as decimal text.",
      params: {},
      result: text,
      handle: () => String(networkId),
    }),
    method({
      name: "net_networkID",
      summary: "Returns the network id.",
      params: {},
      result: plain<string | number>("network number", { type: ["string", "integer"] }),
      handle: () => String(networkId),
    }),
    method({
      name: "net_listening",
      summary: "Returns true when the node accepts connections.",
      params: {},
      result: boolean,
      handle: () => p2p.listening,
    }),
    method({
      name: "net_peerCount",
      summary: "Returns the number of connected peers.",
      params: {},
      result: numberQuantity,
      handle: () => p2p.countByType().total,
    }),
    method({
      name: "net_peerCountByType",
      summary: "Returns the number of connected peers by type, and in total.",
      params: {},
      result: plain<Readonly<Record<string, number>>>(
        "object of type to count",
        mapSchema("count by type", { type: "integer" }),
      ),
      handle: () => p2p.countByType(),
    }),
    ...web3Methods(development === undefined ? clientName : `${TOOLS_NAME}/${clientName}`),
  ];
}

/** Helpers of Hardhat refuse every node whose name does not begin with that of a development chain that they know. */
const TOOLS_NAME = "anvil";

function web3Methods(clientName: string): Method[] {
  return [
    method({
      name: "web3_clientVersion",
      summary: "Returns the name and the version of the node.",
      params: {},
      result: text,
      handle: () => clientName,
    }),
    method({
      name: "web3_sha3",
      summary: "Returns the Keccak-256 hash of data.",
      params: { data },
      result: hash,
      handle: (args) => keccak256(args.data),
    }),
  ];
}
