/** Creates a network from its options: nodes with keys, genesis and test accounts. */
import type { Address } from "../bytes/brands.ts";
import { equalBytes } from "../bytes/compare.ts";
import { addressOfKey } from "../crypto/secp256k1.ts";
import { type NodeKey, nodeKeyOf } from "../p2p/node-key.ts";
import { formatNodeUrl } from "../p2p/node-url.ts";
import { NetworkMakerError } from "./error.ts";
import { type GenesisAccounts, genesisFile } from "./genesis-file.ts";
import type { GenesisOptions } from "./genesis-options.ts";
import type { NetworkSize } from "./options.ts";

/** Kinds of nodes, as in node URLs. */
export const nodeKinds = ["cn", "pn", "en"] as const;

/** A kind of node. */
export type NodeKind = (typeof nodeKinds)[number];

/** A node of the network. */
export interface MadeNode extends NodeKey {
  /** Name such as `cn1`. */
  readonly name: string;
  readonly kind: NodeKind;
  /** Number among the nodes of its kind, from 1. */
  readonly number: number;
  /** Index among all nodes, from 0. */
  readonly place: number;
}

/** A test account. */
export interface MadeAccount {
  readonly key: Uint8Array;
  readonly address: Address;
}

/** A network. */
export interface MadeNetwork {
  readonly chainId: bigint;
  readonly nodes: readonly MadeNode[];
  readonly testAccounts: readonly MadeAccount[];
  /** Text of the genesis file. */
  readonly genesis: string;
}

/** Private keys of 32 bytes, one for each node and test account. */
export interface NetworkKeys {
  readonly cn: readonly Uint8Array[];
  readonly pn: readonly Uint8Array[];
  readonly en: readonly Uint8Array[];
  readonly test: readonly Uint8Array[];
}

/** Maximum number of nodes; a larger number is taken for a mistake. */
const MAX_NODES = 100;
const MAX_ACCOUNTS = 1_000;

/** Checks the size. Throws `NetworkMakerError`. */
export function checkSize({ core, validators, proxy, endpoint, testAccounts }: NetworkSize): void {
  if (core === 0) throw new NetworkMakerError("needed at least one consensus node (--cn-num 1)");
  if (validators > core)
    throw new NetworkMakerError(`validators-num(${validators}) cannot be greater than num(${core})`);
  if (core + proxy + endpoint > MAX_NODES)
    throw new NetworkMakerError(`${core + proxy + endpoint} nodes are more than ${MAX_NODES}`);
  if (testAccounts > MAX_ACCOUNTS)
    throw new NetworkMakerError(`${testAccounts} test accounts are more than ${MAX_ACCOUNTS}`);
}

/** Creates a network. Throws `NetworkMakerError` for two equal keys. */
export async function makeNetwork(
  options: GenesisOptions,
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
  const accounts: GenesisAccounts = {
    validators: [first, ...others],
    testAccounts: testAccounts.map(({ address }) => address),
  };
  return { chainId: options.chainId, nodes, testAccounts, genesis: await genesisFile(options, accounts) };
}

function refuseTwins(nodes: readonly MadeNode[]): void {
  for (const [i, node] of nodes.entries()) {
    const twin = nodes.slice(0, i).find(({ key }) => equalBytes(key, node.key));
    if (twin !== undefined) throw new NetworkMakerError(`${twin.name} and ${node.name} have one node key`);
  }
}

/** Address on which a node listens for peers. */
export interface Place {
  readonly host: string;
  readonly port: number;
}

/** Returns the URL of a node, with discovery disabled. */
export function urlOf({ id, kind }: MadeNode, { host, port }: Place): string {
  return formatNodeUrl({ id, host, tcpPort: port, udpPort: 0, tcpPorts: [port], type: kind }, "always");
}

/**
 * Returns the static nodes of a node: core nodes have the other core nodes, proxies the core nodes, endpoints
 * the proxies.
 */
export function peersOf(node: MadeNode, nodes: readonly MadeNode[]): readonly MadeNode[] {
  const above: NodeKind = node.kind === "en" && nodes.some(({ kind }) => kind === "pn") ? "pn" : "cn";
  return nodes.filter((other) => other.kind === above && other !== node);
}
