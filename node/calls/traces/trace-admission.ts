/**
 * Admission of traces over HTTP and WebSocket while unsafe methods are off, as in the Go node: a bounded
 * number, and no programs of callers.
 */
import { failure } from "../../jsonrpc/errors.ts";
import type { ReaderPool } from "../../jsonrpc/reader-pool.ts";

/** Methods that execute transactions again. */
const TRACE = /^(debug_trace|trace_|ots_)/;

/** Wraps a pool of readers. Refuses a trace while `limit` others run, and tracers that are programs. */
export function limitTraces(readers: ReaderPool, limit: number): ReaderPool {
  let running = 0;
  return {
    call: async (name, params, options) => {
      if (!TRACE.test(name)) return readers.call(name, params, options);
      if (running >= limit) throw failure(`heavy debug api requests exceed the limit: ${limit}`);
      running++;
      try {
        return await readers.call(name, params, { ...options, refusesPrograms: true });
      } finally {
        running--;
      }
    },
  };
}
