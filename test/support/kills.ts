/** Number and instants of the kills of the kill tests. */
import { seededRandom } from "./random.ts";

/** Kinds of work that are killed: seven of a running node, imports and rewinds, old blocks. */
const KINDS = 9;

/** Kills of each kind; `KNIT_KILLS` says how many there are of all. */
export const killsOfAKind = Math.ceil(Number(process.env["KNIT_KILLS"] ?? KINDS) / KINDS);

/** Seed of the instants. */
export const killSeed = Number(process.env["KNIT_SEED"] ?? 20_261);
export const random = seededRandom(killSeed);

const EACH_MS = 30_000;
const AROUND_MS = 180_000;

/** Milliseconds that so many kills may take, with much room for a machine that does other things. */
export function killLimitMs(kills: number): number {
  return AROUND_MS + kills * EACH_MS;
}

/** Resolves at an instant between two, in milliseconds from now. */
export function sleepBetween(least: number, most: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, least + random() * (most - least)));
}
