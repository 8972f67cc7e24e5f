/** `admin`: identity and data directory of the node. */
import type { Address } from "../bytes/brands.ts";
import { bareHex, toHex } from "../bytes/hex.ts";
import type { Chain } from "../chain/chain.ts";
import { chainConfigJson } from "../config/chain-config.ts";
import { jsonInteger } from "../config/exact-json.ts";
import type { BlsPublicInfo } from "../crypto/bls-possession.ts";
import { checksumAddress } from "../crypto/checksum.ts";
import { plain, text } from "../jsonrpc/codecs/plain.ts";
import { type Method, method } from "../jsonrpc/method.ts";
import { namedSchema, plainSchemas, recordSchema, schemaRefs } from "../jsonrpc/schemas.ts";
import { formatNodeUrl } from "../p2p/node-url.ts";
import type { P2p } from "../p2p/p2p.ts";
import type { SelfInfo } from "../p2p/self-info.ts";
import { chainConfigSchema } from "../presenters/governance-schemas.ts";

/** Dependencies of the methods about the node. */
export interface AdminDeps {
  readonly chain: Chain;
  readonly networkId: number;
  /** Absolute path. */
  readonly dataDirectory: string;
  readonly p2p: Pick<P2p, "self">;
  /** Address of the node's key. */
  readonly address: Address;
  /** The node information contains the BLS key and its proof of possession. */
  readonly showsBlsKey: boolean;
  /** Computes the proof of possession of the node's BLS key on first use. */
  readonly possession?: () => Promise<BlsPublicInfo>;
}

const { integer } = plainSchemas;

/** The sum of all block scores is `difficulty`, and `blockscore` on the Go lines. */
const nodeInfoSchema = namedSchema("nodeInfo", () => {
  const istanbul = recordSchema({
    network: integer,
    "difficulty?": integer,
    "blockscore?": integer,
    genesis: schemaRefs.hash,
    config: chainConfigSchema,
    head: schemaRefs.hash,
  });
  return recordSchema({
    id: text.schema,
    name: text.schema,
    kni: text.schema,
    ip: text.schema,
    ports: recordSchema<SelfInfo["ports"]>({ discovery: integer, listener: integer }),
    listenAddr: text.schema,
    protocols: recordSchema({ istanbul }),
    nodeAddress: schemaRefs.address,
    "blsPublicKeyInfo?": recordSchema({ publicKey: text.schema, pop: text.schema }),
  });
});

/** The methods of `admin` about the node itself. */
export function adminMethods(deps: AdminDeps): Method[] {
  return [
    method({
      name: "admin_nodeInfo",
      summary: "Returns the node's identity, its endpoints and the status of its protocols.",
      params: {},
      result: plain<object>("node information", nodeInfoSchema),
      handle: async () => {
        const bls = deps.showsBlsKey ? await deps.possession?.() : undefined;
        return { ...nodeInfo(deps), ...(bls === undefined ? {} : { blsPublicKeyInfo: blsJson(bls) }) };
      },
    }),
    method({
      name: "admin_datadir",
      summary: "Returns the absolute path of the data directory.",
      params: {},
      result: text,
      handle: () => deps.dataDirectory,
    }),
  ];
}

/** Formats a BLS public key and its proof, as hex without a prefix. */
function blsJson({ publicKey, proof }: BlsPublicInfo): object {
  return { publicKey: bareHex(publicKey), pop: bareHex(proof) };
}

function nodeInfo(deps: AdminDeps): object {
  const { id, name, url, ip, ports, listenAddr } = deps.p2p.self;
  return {
    id,
    name,
    kni: formatNodeUrl(url, "always"),
    ip,
    ports,
    listenAddr,
    protocols: { istanbul: protocolInfo(deps) },
    nodeAddress: checksumAddress(deps.address),
  };
}

function protocolInfo({ chain, networkId }: AdminDeps): object {
  const { header, hash } = chain.head();
  return {
    network: networkId,
    difficulty: jsonInteger(chain.totalBlockScore(header.number)),
    genesis: toHex(chain.genesisHash),
    config: { ...chainConfigJson(chain.config), isBFT: true },
    head: toHex(hash),
  };
}
