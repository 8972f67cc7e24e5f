import { isDeepStrictEqual } from "node:util";

/** How many comparisons held, and a line for each that did not. */
export interface Comparison {
  readonly passed: number;
  readonly failed: number;
  readonly failures: readonly string[];
}

const LONGEST = 2_000;

/** Counts comparisons; never throws for one that fails. */
export class Tally {
  readonly #failures: string[] = [];
  #passed = 0;

  /** What has been counted so far. */
  get comparison(): Comparison {
    return { passed: this.#passed, failed: this.#failures.length, failures: this.#failures };
  }

  /** Counts whether both are deeply equal. */
  same(what: string, found: unknown, expected: unknown): void {
    if (isDeepStrictEqual(found, expected)) this.#passed++;
    else this.#failures.push(`${what}: expected ${shown(expected)}, found ${shown(found)}`);
  }

  /** Runs comparisons; an error in them counts as one that failed. */
  guarded(what: string, compare: (what: string) => void): void {
    try {
      compare(what);
    } catch (error) {
      this.same(what, String(error), "no error");
    }
  }
}

function shown(value: unknown): string {
  // In a list, because undefined alone has no JSON.
  const list = JSON.stringify([value], (_key, inner: unknown) =>
    typeof inner === "bigint" ? inner.toString() : inner,
  );
  const text = list.slice(1, -1);
  return text.length <= LONGEST ? text : `${text.slice(0, LONGEST)}...`;
}
