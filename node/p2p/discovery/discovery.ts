/**
 * Node discovery over UDP, compatible with networks/p2p/discover@v2.2.2 (discovery v4 with node types). Comes
 * in: boot nodes and packets. Goes out: nodes by type, each with a proved endpoint. It dials no peers.
 */
import type { NodeId } from "../../bytes/brands.ts";
import { equalBytes } from "../../bytes/compare.ts";
import { mapKey } from "../../bytes/hex.ts";
import { ownerOfIp } from "../../bytes/ip.ts";
import type { Log } from "../../observe/log.ts";
import type { Clock } from "../../runtime/clock.ts";
import { createOwnerRate, type OwnerRates } from "../../runtime/owner-rate.ts";
import { type Resolve, resolveHost } from "../connect.ts";
import type { NodeKey } from "../node-key.ts";
import type { NodeType } from "../node-type.ts";
import type { NodeUrl } from "../node-url.ts";
import { Bonding } from "./bonding.ts";
import { Bonds } from "./bonds.ts";
import { type Datagrams, type OpenDatagrams, openDatagrams } from "./datagrams.ts";
import { Exchange, type ExchangeTally, type FindNodeQuery, type UdpAddress } from "./exchange.ts";
import { Lookups } from "./lookups.ts";
import { type DiscoveryTimings, startMaintenance } from "./maintenance.ts";
import type { FoundNode } from "./packets.ts";
import { createTables, MAX_NEIGHBORS, type NodeTable, type RandomFraction } from "./tables.ts";

const TIMINGS: DiscoveryTimings = { replyMs: 500, refreshMs: 30 * 60_000, checkMs: 10_000 };
const MAX_BONDS = 8192;

/**
 * Rates of incoming packets; one above a rate is dropped before its signature is checked. Checking a signature takes
 * about 0.1 ms, so all packets together take at most a fifth of a core.
 */
export const PACKET_RATES: OwnerRates = {
  each: { perSecond: 100, burst: 400 },
  all: { perSecond: 2000, burst: 4000 },
  owners: 4096,
};

/** Options of discovery. */
export interface DiscoveryOptions {
  readonly nodeKey: NodeKey;
  readonly type: NodeType;
  readonly networkId: number;
  /** Address to listen on; all addresses when undefined. */
  readonly host: string | undefined;
  readonly port: number;
  /**
   * Endpoint announced to other nodes: the external address, if known, and the TCP port for peers (the UDP
   * port when undefined).
   */
  readonly announce: { readonly ip: string | undefined; readonly tcpPort: number | undefined };
  readonly bootNodes: readonly NodeUrl[];
  /** Authorised nodes. A type that is listed here is believed of the listed nodes only. */
  readonly authorised?: readonly NodeUrl[] | undefined;
  /** Selects the addresses to communicate with. */
  readonly allows: (ip: string) => boolean;
  readonly resolve: Resolve;
  readonly clock: Clock;
  readonly log: Log;
  readonly random: (length: number) => Uint8Array;
  readonly open?: OpenDatagrams | undefined;
  readonly timings?: Partial<DiscoveryTimings> | undefined;
  readonly limits?: OwnerRates | undefined;
}

/** Running discovery. Disposing it closes the socket. */
export interface Discovery extends AsyncDisposable {
  readonly port: number;
  /**
   * Looks up nodes of a type: asks the boot nodes, or walks towards a random target for types that are kept
   * in buckets.
   */
  find(type: NodeType): Promise<FoundNode[]>;
  /** Returns the nodes of a type in the tables. */
  nodes(type: NodeType): FoundNode[];
  /** Returns the current statistics. */
  stats(): DiscoveryStats;
}

/** Statistics of discovery, for the metrics. */
export interface DiscoveryStats extends Readonly<ExchangeTally> {
  /** Nodes in all tables, and nodes on their replacement lists. */
  readonly known: number;
  readonly waiting: number;
}

/** Opens the socket and starts discovery. Rejects with `P2pError` `cannot-listen`. */
export async function openDiscovery(options: DiscoveryOptions): Promise<Discovery> {
  const wire: Wire = { timings: { ...TIMINGS, ...options.timings }, datagrams: undefined };
  const components = createComponents(options, wire);
  const { exchange, lookups, tables } = components;
  wire.datagrams = await (options.open ?? openDatagrams)(options, (bytes, from) =>
    exchange.receive(bytes, from),
  );
  const { datagrams } = wire;
  const upkeep = startMaintenance({ ...components, timings: wire.timings });
  options.log.debug({ port: datagrams.port, bootNodes: options.bootNodes.length }, "opened discovery");
  return {
    port: datagrams.port,
    find: (type) => lookups.find(type),
    nodes: (type) => tables.get(type)?.list() ?? [],
    stats: () => ({
      ...exchange.tally,
      known: sum(tables, ({ size }) => size),
      waiting: sum(tables, ({ waiting }) => waiting),
    }),
    async [Symbol.asyncDispose]() {
      upkeep[Symbol.dispose]();
      exchange[Symbol.dispose]();
      await datagrams[Symbol.asyncDispose]();
    },
  };
}

function sum(tables: NodeStore["tables"], count: (table: NodeTable) => number): number {
  return [...tables.values()].reduce((so, table) => so + count(table), 0);
}

interface Wire {
  readonly timings: DiscoveryTimings;
  /** Undefined until the socket is open. */
  datagrams: Datagrams | undefined;
}

interface Components extends NodeStore {
  readonly exchange: Exchange;
  readonly lookups: Lookups;
  readonly randomFraction: RandomFraction;
}

function createComponents(options: DiscoveryOptions, wire: Wire): Components {
  const { nodeKey, networkId, clock, random, allows } = options;
  const { id: ownId } = nodeKey;
  const randomFraction: RandomFraction = () => Buffer.from(random(4)).readUInt32BE() / 2 ** 32;
  const known: NodeStore = {
    bonds: new Bonds(clock, MAX_BONDS),
    tables: createTables(options.type, ownId, randomFraction),
  };
  const bootIds = new Set(options.bootNodes.map(({ id }) => mapKey(id)));
  const isWithinRate = createOwnerRate(options.limits ?? PACKET_RATES, clock);
  const exchange = new Exchange({
    nodeKey,
    networkId,
    self: () => endpointOf(options, wire.datagrams?.port ?? 0),
    send: (bytes, to) => wire.datagrams?.send(bytes, to),
    clock,
    replyMs: wire.timings.replyMs,
    isWithinRate: (ip) => isWithinRate(ownerOfIp(ip) ?? ip),
    allows,
    isAuthorised: createAuthorisation(options.authorised ?? []),
    onPing: (node) => bonding.onPing(node),
    onFindNode: (sender, from, question) => answer(known, sender, from, question),
  });
  const bonding = new Bonding({ ...known, ownId, exchange, isBootNode: (id) => bootIds.has(mapKey(id)) });
  const walks = options.type === "en";
  const bootNodes = () => resolveBootNodes(options);
  const lookups = new Lookups({
    ...known,
    ownId,
    exchange,
    bonding,
    walks,
    bootNodes,
    random,
    randomFraction,
  });
  return { ...known, exchange, lookups, randomFraction };
}

function endpointOf({ announce, type }: DiscoveryOptions, udpPort: number) {
  return { ip: announce.ip ?? "::", udpPort, tcpPort: announce.tcpPort ?? udpPort, type };
}

/** Creates the check of claimed types. Endpoint nodes need no authorisation. */
function createAuthorisation(listed: readonly NodeUrl[]): (id: NodeId, type: NodeType) => boolean {
  const ids = new Map<NodeType, Set<string>>();
  for (const { id, type } of listed) {
    const ofType = ids.get(type) ?? new Set();
    ids.set(type, ofType.add(mapKey(id)));
  }
  return (id, type) => type === "en" || (ids.get(type)?.has(mapKey(id)) ?? true);
}

interface NodeStore {
  readonly bonds: Bonds;
  readonly tables: ReadonlyMap<NodeType, NodeTable>;
}

/**
 * Answers a find-node query. Returns undefined for a sender that is not bonded, so that a forged sender gets
 * no amplified traffic.
 */
function answer(
  { bonds, tables }: NodeStore,
  sender: NodeId,
  from: UdpAddress,
  { target, wanted }: FindNodeQuery,
): FoundNode[] | undefined {
  if (!bonds.isBonded(sender, from.ip)) return undefined;
  const max = MAX_NEIGHBORS[wanted];
  const nearest = tables.get(wanted)?.answer(target, max + 1) ?? [];
  return nearest.filter(({ id }) => !equalBytes(id, sender)).slice(0, max);
}

/** Resolves the addresses of the boot nodes. Names are resolved each time, so that a boot node may move. */
async function resolveBootNodes(options: DiscoveryOptions): Promise<FoundNode[]> {
  const { bootNodes, resolve, allows, log } = options;
  const resolved = bootNodes.map(async ({ id, host = "", udpPort, tcpPort }) => {
    try {
      const ip = await resolveHost(host, resolve);
      return allows(ip) ? [{ id, ip, udpPort, tcpPort, type: "bn" as const }] : [];
    } catch (error) {
      log.debug({ host, error: (error as Error).message }, "cannot resolve a boot node");
      return [];
    }
  });
  return (await Promise.all(resolved)).flat();
}
