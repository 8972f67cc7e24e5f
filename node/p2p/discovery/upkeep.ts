/** What discovery does by itself: walks now and then, and asks old nodes whether they are still there. */
import type { NodeType } from "../node-type.ts";
import type { Bonds } from "./bonds.ts";
import type { Exchange } from "./exchange.ts";
import type { Lookups } from "./lookups.ts";
import type { Chance, NodeTable } from "./tables.ts";

/** How often what happens, in milliseconds; those that meet the Go node are its own. */
export interface DiscoveryTimings {
  readonly replyMs: number;
  readonly refreshMs: number;
  /** The longest wait before some old node is asked whether it is still there. */
  readonly checkMs: number;
}

/** Who answered within this time is not asked whether it is there. */
const FRESH_MS = 10_000;

/** What upkeep works on. */
export interface UpkeepParts {
  readonly exchange: Exchange;
  readonly lookups: Lookups;
  readonly bonds: Bonds;
  readonly tables: ReadonlyMap<NodeType, NodeTable>;
  readonly timings: DiscoveryTimings;
  readonly chance: Chance;
}

/** Begins, with a first walk at once. Disposing it ends it. */
export function beginUpkeep({ exchange, bonds, tables, lookups, timings, chance }: UpkeepParts): Disposable {
  const checkOne = async (table: NodeTable): Promise<void> => {
    const node = table.oldest();
    if (node === undefined || bonds.ageMs(node.id) < FRESH_MS) return;
    if (await exchange.ping(node)) {
      bonds.prove(node);
      table.add(node);
    } else {
      table.remove(node.id);
      bonds.forget(node.id);
    }
  };
  const check = async (): Promise<void> => {
    await Promise.all([...tables.values()].map(checkOne));
    if (!over) timer = setTimeout(() => void check(), chance() * timings.checkMs);
  };
  let over = false;
  let timer = setTimeout(() => void check(), chance() * timings.checkMs);
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
