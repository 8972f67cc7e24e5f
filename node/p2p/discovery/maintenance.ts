/** Maintenance of the tables: periodic lookups, and revalidation of the least recent responders. */
import type { NodeType } from "../node-type.ts";
import type { Bonds } from "./bonds.ts";
import type { Exchange } from "./exchange.ts";
import type { Lookups } from "./lookups.ts";
import type { NodeTable, RandomFraction } from "./tables.ts";

/** Intervals and timeouts in milliseconds. Those that are visible on the network are the Go node's. */
export interface DiscoveryTimings {
  readonly replyMs: number;
  readonly refreshMs: number;
  /** Maximum interval between two revalidations; each wait is a random part of it. */
  readonly checkMs: number;
}

/** Nodes that responded within this many milliseconds are not revalidated. */
const REVALIDATE_AFTER_MS = 10_000;

/** Dependencies of the maintenance. */
export interface MaintenanceDeps {
  readonly exchange: Exchange;
  readonly lookups: Lookups;
  readonly bonds: Bonds;
  readonly tables: ReadonlyMap<NodeType, NodeTable>;
  readonly timings: DiscoveryTimings;
  readonly randomFraction: RandomFraction;
}

/** Starts the maintenance with a first lookup. Disposing the result stops it. */
export function startMaintenance({
  exchange,
  bonds,
  tables,
  lookups,
  timings,
  randomFraction,
}: MaintenanceDeps): Disposable {
  const checkOne = async (table: NodeTable): Promise<void> => {
    const node = table.oldest();
    if (node === undefined || bonds.ageMs(node.id) < REVALIDATE_AFTER_MS) return;
    if (await exchange.ping(node)) {
      bonds.prove(node);
      table.add(node);
    } else {
      table.remove(node.id);
      bonds.delete(node.id);
    }
  };
  const check = async (): Promise<void> => {
    await Promise.all([...tables.values()].map(checkOne));
    if (!over) timer = setTimeout(() => void check(), randomFraction() * timings.checkMs);
  };
  let over = false;
  let timer = setTimeout(() => void check(), randomFraction() * timings.checkMs);
  const refresh = setInterval(() => void lookups.refresh(), timings.refreshMs);
  void lookups.refresh();
  return {
    [Symbol.dispose]() {
      over = true;
      clearTimeout(timer);
      clearInterval(refresh);
    },
  };
}
