/** `admin`: the node itself. */
import { bareHex, toHex } from "../bytes/hex.ts";
import type { Chain } from "../chain/chain.ts";
import type { RpcProfile } from "../compat/profiles.ts";
import { chainConfigJson } from "../config/chain-config.ts";
import { jsonInteger } from "../config/exact-json.ts";
import type { BlsPublicInfo } from "../crypto/bls-possession.ts";
import { checksumAddress } from "../crypto/checksum.ts";
import { plain, text } from "../jsonrpc/codecs/plain.ts";
import { type Method, method } from "../jsonrpc/method.ts";
import { formatNodeUrl } from "../p2p/node-url.ts";
import type { P2p } from "../p2p/p2p.ts";

/** What these methods tell. */
export interface AdminParts {
  readonly chain: Chain;
  readonly profile: RpcProfile;
  readonly networkId: number;
  /** Absolute. */
  readonly dataDirectory: string;
  readonly p2p: Pick<P2p, "self">;
  /** Of the node's key. */
  readonly address: Uint8Array;
  /** Of the node's BLS key; made when it is first asked for. */
  readonly possession?: () => Promise<BlsPublicInfo>;
}

/** The methods of `admin`. */
export function adminMethods(parts: AdminParts): Method[] {
  return [
    method({
      name: "admin_nodeInfo",
      summary: "Who the node is, where it listens and where its chain stands.",
      params: {},
      result: plain<object>("node information"),
      handle: async () => {
        const bls = parts.profile.showsBlsKey ? await parts.possession?.() : undefined;
        return { ...nodeInfo(parts), ...(bls === undefined ? {} : { blsPublicKeyInfo: blsView(bls) }) };
      },
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

/** Hex without a prefix. */
function blsView({ publicKey, proof }: BlsPublicInfo): object {
  return { publicKey: bareHex(publicKey), pop: bareHex(proof) };
}

function nodeInfo(parts: AdminParts): object {
  const { id, name, url, ip, ports, listenAddr } = parts.p2p.self;
  return {
    id,
    name,
    kni: formatNodeUrl(url, parts.profile.alwaysDiscoveryPort ? "always" : "when-different"),
    ip,
    ports,
    listenAddr,
    protocols: { istanbul: protocolInfo(parts) },
    nodeAddress: checksumAddress(parts.address),
  };
}

function protocolInfo({ chain, profile, networkId }: AdminParts): object {
  const { header, hash } = chain.head();
  const config = Object.entries(chainConfigJson(chain.config));
  const shown = Object.fromEntries(config.filter(([key]) => !profile.unknownConfigKeys.includes(key)));
  return {
    network: networkId,
    [profile.totalScoreKey]: jsonInteger(chain.totalBlockScore(header.number)),
    genesis: toHex(chain.genesisHash),
    config: profile.showsBft ? { ...shown, isBFT: true } : shown,
    head: toHex(hash),
  };
}
