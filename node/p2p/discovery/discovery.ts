/**
 * Discovery: nodes of one network find each other over UDP, starting from boot nodes. Comes in: boot nodes, packets.
 * Goes out: nodes by type, each proven to be where it says. It dials nobody.
 */
import { equalBytes } from "../../bytes/compare.ts";
import { mapKey } from "../../bytes/hex.ts";
import type { Log } from "../../observe/log.ts";
import type { Clock } from "../../runtime/clock.ts";
import { type Resolve, resolveHost } from "../connect.ts";
import type { NodeKey } from "../node-key.ts";
import type { NodeType } from "../node-type.ts";
import type { NodeUrl } from "../node-url.ts";
import { ALLOWANCE, type AllowanceLimits, createAllowance } from "./allowance.ts";
import { Bonding } from "./bonding.ts";
import { Bonds } from "./bonds.ts";
import { type Datagrams, type OpenDatagrams, openDatagrams } from "./datagrams.ts";
import { Exchange, type ExchangeTally, type Place, type Question } from "./exchange.ts";
import { Lookups } from "./lookups.ts";
import type { FoundNode } from "./packets.ts";
import { createTables, MOST_TOLD } from "./roles.ts";
import type { Chance, NodeTable } from "./tables.ts";
import { beginUpkeep, type DiscoveryTimings } from "./upkeep.ts";

const TIMINGS: DiscoveryTimings = { replyMs: 500, refreshMs: 30 * 60_000, checkMs: 10_000 };
const MOST_BONDS = 8192;

/** What discovery is made of. */
export interface DiscoveryOptions {
  readonly nodeKey: NodeKey;
  readonly type: NodeType;
  readonly networkId: number;
  /** Where to listen; all addresses without a host. */
  readonly host: string | undefined;
  readonly port: number;
  /** What others are told: the address if it is known, and the port that peers connect to (its own when undefined). */
  readonly announce: { readonly ip: string | undefined; readonly tcpPort: number | undefined };
  readonly bootNodes: readonly NodeUrl[];
  /** Types that are only believed of these nodes; all others are believed of everybody. */
  readonly authorised?: readonly NodeUrl[] | undefined;
  /** Addresses to have to do with. */
  readonly allows: (ip: string) => boolean;
  readonly resolve: Resolve;
  readonly clock: Clock;
  readonly log: Log;
  readonly random: (length: number) => Uint8Array;
  readonly open?: OpenDatagrams | undefined;
  readonly timings?: Partial<DiscoveryTimings> | undefined;
  readonly limits?: AllowanceLimits | undefined;
}

/** Running discovery. */
export interface Discovery extends AsyncDisposable {
  readonly port: number;
  /** Looks for nodes of a type: through boot nodes, or by a walk towards a random place where types have buckets. */
  find(type: NodeType): Promise<FoundNode[]>;
  /** The nodes of a type that are known now. */
  known(type: NodeType): FoundNode[];
  /** How it stands now. */
  figures(): DiscoveryFigures;
}

/** What operators watch. */
export interface DiscoveryFigures extends Readonly<ExchangeTally> {
  /** Nodes of all types, and those that wait for their places. */
  readonly known: number;
  readonly waiting: number;
}

/** Opens the socket and begins. Rejects with `P2pError` `cannot-listen`. */
export async function openDiscovery(options: DiscoveryOptions): Promise<Discovery> {
  const wire: Wire = { timings: { ...TIMINGS, ...options.timings }, datagrams: undefined };
  const mind = createMind(options, wire);
  const { exchange, lookups, tables } = mind;
  wire.datagrams = await (options.open ?? openDatagrams)(options, (bytes, from) =>
    exchange.receive(bytes, from),
  );
  const { datagrams } = wire;
  const upkeep = beginUpkeep({ ...mind, timings: wire.timings });
  options.log.debug({ port: datagrams.port, bootNodes: options.bootNodes.length }, "opened discovery");
  return {
    port: datagrams.port,
    find: (type) => lookups.find(type),
    known: (type) => tables.get(type)?.list() ?? [],
    figures: () => ({
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

function sum(tables: Known["tables"], count: (table: NodeTable) => number): number {
  return [...tables.values()].reduce((so, table) => so + count(table), 0);
}

interface Wire {
  readonly timings: DiscoveryTimings;
  /** Undefined until the socket is open. */
  datagrams: Datagrams | undefined;
}

interface Mind extends Known {
  readonly exchange: Exchange;
  readonly lookups: Lookups;
  readonly chance: Chance;
}

function createMind(options: DiscoveryOptions, wire: Wire): Mind {
  const { nodeKey, networkId, clock, random, allows } = options;
  const { id: ownId } = nodeKey;
  const chance: Chance = () => Buffer.from(random(4)).readUInt32BE() / 2 ** 32;
  const known: Known = {
    bonds: new Bonds(clock, MOST_BONDS),
    tables: createTables(options.type, ownId, chance),
  };
  const bootIds = new Set(options.bootNodes.map(({ id }) => mapKey(id)));
  const exchange = new Exchange({
    nodeKey,
    networkId,
    self: () => endpointOf(options, wire.datagrams?.port ?? 0),
    send: (bytes, to) => wire.datagrams?.send(bytes, to),
    clock,
    replyMs: wire.timings.replyMs,
    allowance: createAllowance(options.limits ?? ALLOWANCE, clock),
    allows,
    authorised: authorisation(options.authorised ?? []),
    pinged: (node) => bonding.pinged(node),
    asked: (sender, from, question) => answer(known, sender, from, question),
  });
  const bonding = new Bonding({ ...known, ownId, exchange, isBootNode: (id) => bootIds.has(mapKey(id)) });
  const walks = options.type === "en";
  const bootNodes = () => resolveBootNodes(options);
  const lookups = new Lookups({ ...known, ownId, exchange, bonding, walks, bootNodes, random, chance });
  return { ...known, exchange, lookups, chance };
}

function endpointOf({ announce, type }: DiscoveryOptions, udpPort: number) {
  return { ip: announce.ip ?? "::", udpPort, tcpPort: announce.tcpPort ?? udpPort, type };
}

/** Endpoint nodes are many and unnamed: nobody lists them. */
function authorisation(listed: readonly NodeUrl[]): (id: Uint8Array, type: NodeType) => boolean {
  const ids = new Map<NodeType, Set<string>>();
  for (const { id, type } of listed) {
    const ofType = ids.get(type) ?? new Set();
    ids.set(type, ofType.add(mapKey(id)));
  }
  return (id, type) => type === "en" || (ids.get(type)?.has(mapKey(id)) ?? true);
}

interface Known {
  readonly bonds: Bonds;
  readonly tables: ReadonlyMap<NodeType, NodeTable>;
}

/** Long answers go only to who has proved to be where it asks from. */
function answer(
  { bonds, tables }: Known,
  sender: Uint8Array,
  from: Place,
  { target, wanted }: Question,
): FoundNode[] | undefined {
  if (!bonds.holds(sender, from.ip)) return undefined;
  const most = MOST_TOLD[wanted];
  const told = tables.get(wanted)?.answer(target, most + 1) ?? [];
  return told.filter(({ id }) => !equalBytes(id, sender)).slice(0, most);
}

/** A boot node's name is looked up every time that it is needed, so that one that moves is found. */
async function resolveBootNodes(options: DiscoveryOptions): Promise<FoundNode[]> {
  const { bootNodes, resolve, allows, log } = options;
  const resolved = bootNodes.map(async ({ id, host = "", udpPort, tcpPort }) => {
    try {
      const ip = await resolveHost(host, resolve);
      return allows(ip) ? [{ id, ip, udpPort, tcpPort, type: "bn" as const }] : [];
    } catch (error) {
      log.debug({ host, error: (error as Error).message }, "boot node has no address");
      return [];
    }
  });
  return (await Promise.all(resolved)).flat();
}
