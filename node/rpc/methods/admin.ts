/** `admin`: the node itself. */
import { bareHex, toHex } from "../../bytes/hex.ts";
import type { Chain } from "../../chain/chain.ts";
import { chainConfigJson } from "../../config/chain-config.ts";
import { jsonInteger } from "../../config/exact-json.ts";
import { checksumAddress } from "../../crypto/checksum.ts";
import { plain, text } from "../codecs/plain.ts";
import { type Method, method } from "../method.ts";
import type { RpcProfile } from "../profiles.ts";

/** What these methods tell. */
export interface AdminParts {
  readonly chain: Chain;
  readonly profile: RpcProfile;
  readonly clientName: string;
  readonly networkId: number;
  /** Absolute. */
  readonly dataDirectory: string;
  /** The node's public key, 64 bytes, and the address of it. */
  readonly id: Uint8Array;
  readonly address: Uint8Array;
  /** Where peers would reach it; ports of 0 when it does not listen. */
  readonly listening: { readonly host: string; readonly port: number; readonly discoveryPort: number };
}

/** The methods of `admin`. */
export function adminMethods(parts: AdminParts): Method[] {
  return [
    method({
      name: "admin_nodeInfo",
      summary: "Who the node is, where it listens and where its chain stands.",
      params: {},
      result: plain<object>("node information"),
      handle: () => nodeInfo(parts),
    }),
    method({
      name: "admin_peers",
      summary: "The connected peers.",
      params: {},
      result: plain<readonly object[]>("peer[]"),
      handle: () => [],
    }),
    method({
      name: "admin_datadir",
      summary: "The absolute path of the data directory.",
      params: {},
      result: text,
      handle: () => parts.dataDirectory,
    }),
  ];
}

function nodeInfo(parts: AdminParts): object {
  const { host, port, discoveryPort } = parts.listening;
  const shownHost = host.includes(":") ? `[${host}]` : host;
  return {
    id: bareHex(parts.id),
    name: parts.clientName,
    kni: nodeUrl(parts),
    ip: host,
    ports: { discovery: discoveryPort, listener: port },
    listenAddr: `${shownHost}:${port}`,
    protocols: { istanbul: protocolInfo(parts) },
    nodeAddress: checksumAddress(parts.address),
  };
}

function nodeUrl({ id, listening, profile }: AdminParts): string {
  const { host, port, discoveryPort } = listening;
  const shownHost = host.includes(":") ? `[${host}]` : host;
  const discovery = profile.alwaysDiscoveryPort || discoveryPort !== port ? `?discport=${discoveryPort}` : "";
  return `kni://${bareHex(id)}@${shownHost}:${port}${discovery}`;
}

function protocolInfo({ chain, profile, networkId }: AdminParts): object {
  const { header, hash } = chain.head();
  const config = chainConfigJson(chain.config);
  return {
    network: networkId,
    [profile.totalScoreKey]: jsonInteger(chain.totalBlockScore(header.number)),
    genesis: toHex(chain.genesisHash),
    config: profile.showsBft ? { ...config, isBFT: true } : config,
    head: toHex(hash),
  };
}
