/** A network made of its terms: every node with its key and place, the genesis, the accounts of people. */
import { equalBytes } from "../bytes/compare.ts";
import { addressOfKey } from "../crypto/secp256k1.ts";
import { type NodeKey, nodeKeyOf } from "../p2p/node-key.ts";
import { formatNodeUrl } from "../p2p/node-url.ts";
import { NetworkMakerError } from "./error.ts";
import { genesisFile, type Inhabitants } from "./genesis-file.ts";
import type { GenesisOptions, NetworkSize } from "./genesis-options.ts";

/** What a node is, in the words of node URLs. */
export const nodeKinds = ["cn", "pn", "en"] as const;

/** One of them. */
export type NodeKind = (typeof nodeKinds)[number];

/** A node of the network. */
export interface MadeNode extends NodeKey {
  /** Such as `cn1`. */
  readonly name: string;
  readonly kind: NodeKind;
  /** From 1, of its kind. */
  readonly number: number;
  /** From 0, of all nodes. */
  readonly place: number;
}

/** An account of a person. */
export interface MadeAccount {
  readonly key: Uint8Array;
  readonly address: Uint8Array;
}

/** The whole network. */
export interface MadeNetwork {
  readonly chainId: bigint;
  readonly nodes: readonly MadeNode[];
  readonly testAccounts: readonly MadeAccount[];
  /** The text of the genesis file. */
  readonly genesis: string;
}

/** Private keys of 32 bytes: as many as there are nodes and accounts. */
export interface NetworkKeys {
  readonly cn: readonly Uint8Array[];
  readonly pn: readonly Uint8Array[];
  readonly en: readonly Uint8Array[];
  readonly test: readonly Uint8Array[];
}

/** More nodes than this are a slip of the finger. */
const MOST_NODES = 100;
const MOST_ACCOUNTS = 1_000;

/** Throws `NetworkMakerError` for sizes that make no network. */
export function checkSize({ core, validators, proxy, endpoint, testAccounts }: NetworkSize): void {
  if (core === 0) throw new NetworkMakerError("needed at least one consensus node (--cn-num 1)");
  if (validators > core)
    throw new NetworkMakerError(`validators-num(${validators}) cannot be greater than num(${core})`);
  if (core + proxy + endpoint > MOST_NODES)
    throw new NetworkMakerError(`${core + proxy + endpoint} nodes are more than ${MOST_NODES}`);
  if (testAccounts > MOST_ACCOUNTS)
    throw new NetworkMakerError(`${testAccounts} test accounts are more than ${MOST_ACCOUNTS}`);
}

/** Makes it. Throws `NetworkMakerError` for two equal keys. */
export async function makeNetwork(
  terms: GenesisOptions,
  validators: number,
  keys: NetworkKeys,
): Promise<MadeNetwork> {
  const nodes = nodeKinds
    .flatMap((kind) => keys[kind].map((key, i) => ({ kind, number: i + 1, key })))
    .map(({ kind, number, key }, place) => ({
      ...nodeKeyOf(key),
      kind,
      number,
      place,
      name: `${kind}${number}`,
    }));
  refuseTwins(nodes);
  const testAccounts = keys.test.map((key) => ({ key, address: addressOfKey(key) }));
  const [first, ...others] = nodes.slice(0, validators);
  if (first === undefined) throw new NetworkMakerError("needed at least one consensus node (--cn-num 1)");
  const inhabitants: Inhabitants = {
    validators: [first, ...others],
    testAccounts: testAccounts.map(({ address }) => address),
  };
  return { chainId: terms.chainId, nodes, testAccounts, genesis: await genesisFile(terms, inhabitants) };
}

function refuseTwins(nodes: readonly MadeNode[]): void {
  for (const [i, node] of nodes.entries()) {
    const twin = nodes.slice(0, i).find(({ key }) => equalBytes(key, node.key));
    if (twin !== undefined) throw new NetworkMakerError(`${twin.name} and ${node.name} have one node key`);
  }
}

/** Where a node listens for peers. */
export interface Place {
  readonly host: string;
  readonly port: number;
}

/** The URL of a node, which listens for no discovery. */
export function urlOf({ id, kind }: MadeNode, { host, port }: Place): string {
  return formatNodeUrl({ id, host, tcpPort: port, udpPort: 0, tcpPorts: [port], type: kind }, "always");
}

/** Whom a node keeps connected: core nodes each other, proxies the core nodes, endpoints the proxies. */
export function peersOf(node: MadeNode, nodes: readonly MadeNode[]): readonly MadeNode[] {
  const above: NodeKind = node.kind === "en" && nodes.some(({ kind }) => kind === "pn") ? "pn" : "cn";
  return nodes.filter((other) => other.kind === above && other !== node);
}
