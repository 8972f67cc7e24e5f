/** What one HTTP listener allows. */

/** Sizes in bytes, times in milliseconds. */
export interface HttpLimits {
  readonly maxBody: number;
  /** From the first byte of a request to its last. */
  readonly readMs: number;
  /** From an answer to its last byte leaving. */
  readonly writeMs: number;
  /** Between two requests. */
  readonly idleMs: number;
  /** From a request to its answer. */
  readonly executionMs: number;
  readonly maxConnections: number;
  /** Half requests of all connections together. */
  readonly maxBuffered: number;
}

/** The Go node's limits; connections and half requests, which it does not limit, are limited here. */
export const httpDefaults: HttpLimits = {
  maxBody: 512 * 1024,
  readMs: 30_000,
  writeMs: 30_000,
  idleMs: 120_000,
  executionMs: 30_000,
  maxConnections: 10_000,
  maxBuffered: 64 * 1024 * 1024,
};
