/** The node among others: the chain protocol over peers, and the peers it keeps. */

import { randomBytes } from "node:crypto";
import type { Auction } from "../auction/auction.ts";
import type { Address } from "../bytes/brands.ts";
import { equalBytes } from "../bytes/compare.ts";
import { toHex } from "../bytes/hex.ts";
import type { OpenChain } from "../chain/open-chain.ts";
import { publicBootNodes } from "../config/presets/networks.ts";
import { programVersion } from "../config/version.ts";
import type { Recoverer } from "../crypto/recoverer.ts";
import type { Log } from "../observe/log.ts";
import type { Metrics } from "../observe/metrics.ts";
import type { NodeKey } from "../p2p/node-key.ts";
import { parseBootNodes, readNodeList } from "../p2p/node-list.ts";
import { type NodeListWatch, openNodeListWatch } from "../p2p/node-list-watch.ts";
import type { NodeType } from "../p2p/node-type.ts";
import { openP2p, type P2p, type P2pDiscoveryOptions } from "../p2p/p2p.ts";
import { PeerMemory } from "../p2p/peer-memory.ts";
import { type ChainProtocol, openChainProtocol } from "../protocol/chain-protocol.ts";
import { declareTrafficMetrics } from "../protocol/traffic-metrics.ts";
import type { Clock } from "../runtime/clock.ts";
import { createPause } from "../runtime/scheduler.ts";
import type { TxPool } from "../txpool/pool.ts";
import type { Sidecars } from "../txpool/sidecars.ts";
import { openNodeAuction } from "./auction.ts";
import type { Database } from "./database.ts";
import type { NodeOptions } from "./options.ts";

/** Parts of the network side. */
export interface NetworkDeps {
  readonly options: NodeOptions;
  readonly database: Database;
  readonly open: OpenChain;
  readonly pool: TxPool;
  readonly sidecars: Sidecars;
  readonly recoverer: Recoverer;
  readonly nodeKey: NodeKey;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: Metrics;
}

/** Peers and the protocol that runs over them. */
export interface NodeNetwork extends AsyncDisposable {
  readonly p2p: P2p;
  readonly protocol: ChainProtocol;
  /** Bids for places in blocks; undefined on a node that takes none. */
  readonly auction: Auction | undefined;
  /** True while other static nodes are configured: then a validator signs nothing before it is level with them. */
  readonly expectsPeers: boolean;
  /** True while static nodes are configured, or boot nodes to find peers: a node without any is of no use to clients. */
  readonly seeksPeers: boolean;
}

/** The network's words for the node types. */
const TYPES: Readonly<Record<NodeOptions["type"], NodeType>> = { core: "cn", proxy: "pn", endpoint: "en" };

/** Opens the protocol and the peers. Rejects when the port is taken. */
export async function openNodeNetwork(surroundings: NetworkDeps): Promise<NodeNetwork> {
  const { options, nodeKey, clock, log, metrics } = surroundings;
  await using parts = new AsyncDisposableStack();
  const isCatchingUp = (): boolean => protocol.syncing() !== undefined;
  const auction = parts.use(openNodeAuction({ ...surroundings, isCatchingUp }));
  const protocol: ChainProtocol = parts.use(openProtocol(surroundings, auction));
  const staticNodes = parts.use(await openNodeListWatch({ path: options.paths.staticNodes, log }));
  const discovery = discoveryFlags(surroundings);
  const { port, subPort, maxPeers, maxPendingPeers, netRestrict, externalIp } = options.network;
  const p2p = parts.use(
    await openP2p({
      nodeKey,
      type: TYPES[options.type],
      name: clientName(options.identity === "" ? options.type : options.identity),
      listen: port === undefined ? undefined : { port, subPort },
      protocols: protocol.protocols,
      maxPeers,
      maxPendingPeers,
      staticNodes: staticNodes.nodes,
      trustedNodes: await readNodeList(options.paths.trustedNodes, log),
      isValidator: validatorTest(surroundings.open),
      discovery,
      netRestrict,
      externalIp,
      memory: new PeerMemory(options.memory.shares.peers),
      log,
      metrics,
      clock,
      random: randomBytes,
    }),
  );
  parts.defer(p2p.onPeerEvent(declareTrafficMetrics(metrics)));
  staticNodes.onChange((nodes) => p2p.setStaticNodes(nodes));
  const open = parts.move();
  const hasBootNodes = discovery !== undefined && discovery.bootNodes.length > 0;
  return {
    p2p,
    protocol,
    auction,
    get expectsPeers() {
      return hasOthers(staticNodes, nodeKey);
    },
    get seeksPeers() {
      return hasBootNodes || hasOthers(staticNodes, nodeKey);
    },
    [Symbol.asyncDispose]: () => open.disposeAsync(),
  };
}

function hasOthers({ nodes }: NodeListWatch, { id: ownId }: NodeKey): boolean {
  return nodes.some(({ id }) => !equalBytes(id, ownId));
}

function discoveryFlags({ options, open, log }: NetworkDeps): P2pDiscoveryOptions | undefined {
  const { discovers, bootNodes, port } = options.network;
  if (!discovers || port === undefined) return undefined;
  const known =
    bootNodes.length > 0 ? bootNodes : publicBootNodes(toHex(open.chain.genesisHash), options.type);
  return { networkId: networkId(options, open), bootNodes: parseBootNodes(known, log) };
}

function openProtocol(surroundings: NetworkDeps, auction: Auction | undefined): ChainProtocol {
  const { options, database, open, pool, sidecars, recoverer, clock, log, metrics } = surroundings;
  const { chain, writer } = open;
  return openChainProtocol({
    chain,
    writer,
    rows: database.store,
    ready: database.state.ready,
    pool,
    sidecars,
    auction,
    recoverer,
    pause: createPause(),
    nodeType: TYPES[options.type],
    networkId: networkId(options, open),
    timings: { resendMs: options.network.resendMs },
    isValidator: validatorTest(surroundings.open),
    clock,
    log,
    metrics,
    random: Math.random,
  });
}

/** Creates a function that returns true for the members of the council of the next block. */
function validatorTest({ chain, governance }: OpenChain): (address: Address) => boolean {
  return (address) =>
    governance.council(chain.head().header.number + 1).some((member) => equalBytes(member, address));
}

/** The network's number: the chain's id unless the options say otherwise. */
export function networkId({ networkId: given }: NodeOptions, { chain }: Pick<OpenChain, "chain">): number {
  return given ?? Number(chain.config.chainId);
}

/** Go's words for machines, which clients of the Go node know. */
const ARCHITECTURES: Readonly<Record<string, string>> = { x64: "amd64", ia32: "386" };

/**
 * Returns the client name: client, node name, version, system and runtime. The last part begins with `go`, as
 * clients expect, and then names the real runtime.
 */
export function clientName(nodeName: string): string {
  const architecture = ARCHITECTURES[process.arch] ?? process.arch;
  return `Knit/${nodeName}/v${programVersion()}/${process.platform}-${architecture}/go0-node${process.versions.node}`;
}
