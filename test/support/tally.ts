/** Counts of comparisons with recorded values. */
import { isDeepStrictEqual } from "node:util";

/** Number of equal comparisons, and a line for each unequal one. */
export interface Comparison {
  readonly passed: number;
  readonly failed: number;
  readonly failures: readonly string[];
  /** Cases that differ by design, by the name of the rule that says so. */
  readonly excluded?: Readonly<Record<string, number>>;
}

const MAX_LENGTH = 500;

/** Counts comparisons; never throws for one that fails. */
export class Tally {
  readonly #failures: string[] = [];
  #passed = 0;
  readonly #excluded = new Map<string, number>();

  /** Result so far. */
  get comparison(): Comparison {
    return {
      passed: this.#passed,
      failed: this.#failures.length,
      failures: this.#failures,
      ...(this.#excluded.size > 0 ? { excluded: Object.fromEntries(this.#excluded) } : {}),
    };
  }

  /** Counts whether both are deeply equal. */
  same(what: string, found: unknown, expected: unknown): void {
    if (isDeepStrictEqual(found, expected)) this.#passed++;
    else this.#failures.push(`${what}: expected ${textOf(expected)}, found ${textOf(found)}`);
  }

  /** Counts one that held. */
  pass(): void {
    this.#passed++;
  }

  /** Counts cases that differ by design. */
  exclude(rule: string, count = 1): void {
    this.#excluded.set(rule, (this.#excluded.get(rule) ?? 0) + count);
  }

  /** Counts one that failed. */
  fail(line: string): void {
    this.#failures.push(line);
  }

  /** A part that this release cannot judge counts as failed. */
  notYet(what: string, why: string): void {
    this.fail(`${what}: not yet: ${why}`);
  }

  /** Compares what a computation gives; the message of what it throws is what was found. */
  holds(what: string, find: () => unknown, expected: unknown): void {
    this.same(what, attempt(find), expected);
  }

  /** Takes over what was counted elsewhere. */
  add(what: string, { passed, failures, excluded = {} }: Comparison): void {
    this.#passed += passed;
    for (const [rule, count] of Object.entries(excluded)) this.exclude(rule, count);
    this.#failures.push(...failures.map((line) => `${what}: ${line}`));
  }

  /** As `guarded`, for what waits. */
  async awaited(what: string, compare: () => void | Promise<void>): Promise<void> {
    try {
      await compare();
    } catch (error) {
      this.same(what, reason(error), "no error");
    }
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

/** Result of a computation, or `error: ...`. */
export function attempt<T>(find: () => T): T | string {
  try {
    return find();
  } catch (error) {
    return `error: ${reason(error)}`;
  }
}

/** An error's message. */
export function reason(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function textOf(value: unknown): string {
  // In a list, because undefined alone has no JSON.
  const list = JSON.stringify([value], (_key, inner: unknown) =>
    typeof inner === "bigint" ? inner.toString() : inner,
  );
  const text = list.slice(1, -1);
  return text.length <= MAX_LENGTH ? text : `${text.slice(0, MAX_LENGTH)}...`;
}
