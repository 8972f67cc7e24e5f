/** Plans of simulations of whole nodes: how bad their world is, drawn from a seed. */
import { seededRandom } from "../random.ts";

/** Faults of one run, drawn from its seed. */
export interface WholePlan {
  readonly seed: number;
  readonly cores: number;
  /** End of the bad time, in milliseconds. */
  readonly badMs: number;
  readonly maxDelayMs: number;
  readonly maxWriteMs: number;
  /** Chances of a crash around a write, of a refused write, and of a damaged row at a restart. */
  readonly crashes: number;
  readonly refusals: number;
  readonly damages: number;
  /** Milliseconds between two cuts of the network and between two lonely faults, on average. */
  readonly cutEveryMs: number;
  readonly faultEveryMs: number;
  readonly maxClockErrorMs: number;
  /** Milliseconds between two migrations that are asked for, on average. */
  readonly migrationEveryMs: number;
  /** Greatest time from a crash to the next start, in milliseconds. */
  readonly maxDownMs: number;
  /** False for nodes that find their peers by boot nodes alone. */
  readonly hasStaticPeers: boolean;
}

/** Draws the plan of a seed. */
export function drawPlan(seed: number): WholePlan {
  const random = seededRandom(seed);
  const pick = <T>(...values: readonly [T, ...T[]]): T =>
    values[Math.floor(random() * values.length)] ?? values[0];
  return {
    seed,
    cores: pick(4, 4, 4, 5, 7),
    badMs: pick(20_000, 40_000, 60_000),
    maxDelayMs: pick(5, 50, 400),
    maxWriteMs: pick(1, 5, 60),
    crashes: pick(0, 0.002, 0.01, 0.03),
    refusals: pick(0, 0, 0.002),
    damages: pick(0, 0.5),
    migrationEveryMs: pick(Number.POSITIVE_INFINITY, 8_000),
    maxDownMs: pick(2_000, 8_000, 30_000),
    cutEveryMs: pick(5_000, 20_000, Number.POSITIVE_INFINITY),
    faultEveryMs: pick(3_000, 10_000, 30_000),
    maxClockErrorMs: pick(0, 300, 5_000),
    hasStaticPeers: pick(true, false),
  };
}

/** Returns true for two types that connect: core nodes with one another and with the proxy, the proxy with the endpoint. */
export function isWanted(first: string, second: string): boolean {
  return ["core-core", "core-proxy", "proxy-endpoint"].includes(`${first}-${second}`);
}
