/**
 * Coverage of this process by the engine's own counters (`Profiler` of the inspector protocol): which functions of
 * the node ran, and which of their blocks.
 */
import { Session } from "node:inspector";

interface Range {
  readonly startOffset: number;
  readonly endOffset: number;
  readonly count: number;
}

interface ScriptCoverage {
  readonly scriptId: string;
  readonly url: string;
  readonly functions: readonly { readonly ranges: readonly Range[] }[];
}

/** The blocks of one function that were seen, and those of them that never ran. */
interface FunctionBlocks {
  readonly seen: Set<number>;
  readonly waiting: Set<number>;
}

/** Counters of the scripts whose URL contains a text. One at a time in a process. */
export class Coverage implements Disposable {
  readonly #session = new Session();
  readonly #part: string;
  readonly #functions = new Map<string, FunctionBlocks>();
  #size = 0;

  constructor(part: string) {
    this.#part = part;
    this.#session.connect();
    this.#session.post("Profiler.enable");
    this.#session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: true });
  }

  /** Functions and blocks that ran. */
  get size(): number {
    return this.#size;
  }

  /** Returns the functions and blocks that ran since the last call for the first time. */
  take(): ReadonlySet<string> {
    const found = new Set<string>();
    this.#read((name, skipped) => {
      const known = this.#functions.get(name);
      const blocks = known ?? { seen: new Set(), waiting: new Set() };
      if (known === undefined) {
        this.#functions.set(name, blocks);
        found.add(name);
      }
      for (const start of blocks.waiting) {
        if (isIn(start, skipped)) continue;
        blocks.waiting.delete(start);
        found.add(`${name}:${start}`);
      }
      for (const { startOffset } of skipped) {
        if (!blocks.seen.has(startOffset)) blocks.waiting.add(startOffset);
        blocks.seen.add(startOffset);
      }
    });
    this.#size += found.size;
    return found;
  }

  /** Reports if any of the functions and blocks ran since the last call, and takes those from the set. */
  takeFrom(wanted: Set<string>): boolean {
    const before = wanted.size;
    this.#read((name, skipped) => {
      wanted.delete(name);
      for (const each of wanted) {
        if (each.startsWith(`${name}:`) && !isIn(Number(each.slice(name.length + 1)), skipped))
          wanted.delete(each);
      }
    });
    return wanted.size < before;
  }

  /** Calls `use` for each function that ran, with its blocks that did not. */
  #read(use: (name: string, skipped: readonly Range[]) => void): void {
    this.#session.post("Profiler.takePreciseCoverage", (error, { result }) => {
      if (error !== null) throw error;
      for (const { scriptId, url, functions } of result as readonly ScriptCoverage[]) {
        if (!url.includes(this.#part)) continue;
        for (const { ranges } of functions) {
          const [whole, ...blocks] = ranges;
          if (whole === undefined || whole.count === 0) continue;
          use(
            `${scriptId}:${whole.startOffset}`,
            blocks.filter(({ count }) => count === 0),
          );
        }
      }
    });
  }

  [Symbol.dispose](): void {
    this.#session.post("Profiler.stopPreciseCoverage");
    this.#session.disconnect();
  }
}

function isIn(offset: number, ranges: readonly Range[]): boolean {
  return ranges.some(({ startOffset, endOffset }) => startOffset <= offset && offset < endOffset);
}
