/** Samples of the node's resource use. */
import { readdirSync, readFileSync } from "node:fs";
import type { Subject } from "./subject.ts";

/** One look. Bytes; `own` without pages of files. */
export interface Sample {
  readonly at: number;
  readonly own: number;
  readonly resident: number;
  readonly files: number;
  readonly threads: number;
}

/** Looks at a process. Throws when it is gone. */
export function sampleOf(pid: number): Sample {
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  const number = (name: string): number => Number(new RegExp(`^${name}:\\s+(\\d+)`, "m").exec(status)?.[1]);
  return {
    at: Date.now(),
    own: number("RssAnon") * 1024,
    resident: number("VmRSS") * 1024,
    threads: number("Threads"),
    files: readdirSync(`/proc/${pid}/fd`).length,
  };
}

/** Samples every second while the node is up, until the signal. */
export function watch(subject: Subject, everyMs: number): { readonly samples: Sample[]; stop(): void } {
  const samples: Sample[] = [];
  const timer = setInterval(() => {
    if (!subject.isUp) return;
    try {
      samples.push(sampleOf(subject.pid));
    } catch {
      // it has just gone
    }
  }, everyMs);
  return { samples, stop: () => clearInterval(timer) };
}
