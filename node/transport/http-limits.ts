/** Limits of one HTTP listener. */
import { httpOptions, requestOptions } from "./options.ts";

/** Sizes in bytes, times in milliseconds. */
export interface HttpLimits {
  readonly maxBody: number;
  /** From the first byte of a request to its last. */
  readonly readMs: number;
  /** From an answer until its last byte is sent. */
  readonly writeMs: number;
  /** Between two requests. */
  readonly idleMs: number;
  /** From a request to its answer. */
  readonly executionMs: number;
  readonly maxConnections: number;
  /** Partial requests of all connections together. */
  readonly maxBuffered: number;
}

/** The Go node's limits. It does not limit connections and partial requests, which are limited here. */
export const httpDefaults: HttpLimits = {
  maxBody: requestOptions.maxRequestBytes.default,
  readMs: httpOptions.readTimeoutMs.default,
  writeMs: httpOptions.writeTimeoutMs.default,
  idleMs: httpOptions.idleTimeoutMs.default,
  executionMs: httpOptions.executionTimeoutMs.default,
  maxConnections: 10_000,
  maxBuffered: 64 * 1024 * 1024,
};
