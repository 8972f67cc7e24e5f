/** An error with what has caused it. */

/** Members that errors of Node.js and libraries may have. */
export interface ErrorFacts {
  readonly message?: unknown;
  readonly code?: unknown;
  readonly cause?: unknown;
  readonly address?: string;
  readonly port?: number;
}

const MAX_CAUSES = 10;

/** Yields a thrown value, its cause and so on, as far as they are objects. */
export function* causesOf(error: unknown): Generator<ErrorFacts> {
  let current = error;
  for (let depth = 0; depth < MAX_CAUSES && typeof current === "object" && current !== null; depth++) {
    const facts: ErrorFacts = current;
    yield facts;
    current = facts.cause;
  }
}
