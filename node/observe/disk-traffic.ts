/**
 * Bytes that the process reads and writes, as Linux counts them: the Go node's meters. Zero on other systems.
 */
import { readFileSync } from "node:fs";
import type { Metrics } from "./metrics.ts";

const METERS = [
  ["readcount", "syscr", "System calls that read, a second over the last minute."],
  ["readdata", "rchar", "Bytes that they read, a second over the last minute."],
  ["writecount", "syscw", "System calls that write, a second over the last minute."],
  ["writedata", "wchar", "Bytes that they wrote, a second over the last minute."],
] as const;

/** Declares them: read when they are scraped. */
export function declareDiskTraffic(metrics: Metrics, read: () => string = readCounts): void {
  for (const [name, field, help] of METERS) {
    const total = (): number => Number(new RegExp(`^${field}: (\\d+)$`, "m").exec(read())?.[1] ?? 0);
    metrics.readMeter({ name: `system/disk/${name}`, help, read: total });
  }
}

function readCounts(): string {
  try {
    return readFileSync("/proc/self/io", "latin1");
  } catch {
    return "";
  }
}
