/** The memory of a process under attack, as the system tells it. */
import { sampleOf } from "../soak/samples.ts";

const SAMPLE_MS = 50;
const MEBIBYTE = 1 << 20;

/** Memory of a process in MiB. */
export interface MemoryPeaks {
  readonly peakMiB: number;
  /** Without pages of files. */
  readonly peakOwnMiB: number;
  /** Own memory at ten moments, evenly spread. */
  readonly ownMiB: readonly number[];
}

/** Watches a process; `stop` ends it and tells. */
export function watchMemory(pid: number): { stop(): MemoryPeaks } {
  const own: number[] = [];
  let peak = 0;
  const timer = setInterval(() => {
    try {
      const sample = sampleOf(pid);
      if (Number.isNaN(sample.own)) return; // it is dead and not yet buried
      own.push(Math.round(sample.own / MEBIBYTE));
      peak = Math.max(peak, Math.round(sample.resident / MEBIBYTE));
    } catch {
      // it has just died
    }
  }, SAMPLE_MS);
  return {
    stop: () => {
      clearInterval(timer);
      const moments = Array.from(
        { length: 10 },
        (_, i) => own[Math.ceil(((i + 1) * own.length) / 10) - 1] ?? 0,
      );
      return { peakMiB: peak, peakOwnMiB: Math.max(0, ...own), ownMiB: moments };
    },
  };
}
