/** Traces over HTTP and WebSocket while unsafe methods are off, as in the Go node: only so many, no programs of callers. */
import { failure } from "../jsonrpc/errors.ts";
import type { ReaderPool } from "../jsonrpc/reader-pool.ts";

const TRACE = /^debug_trace/;

/** The same pool; a trace beyond `limit` others is refused, and so are tracers that callers write. */
export function limitedTraces(readers: ReaderPool, limit: number): ReaderPool {
  let running = 0;
  return {
    call: async (name, params, terms) => {
      if (!TRACE.test(name)) return readers.call(name, params, terms);
      if (running >= limit) throw failure(`heavy debug api requests exceed the limit: ${limit}`);
      running++;
      try {
        return await readers.call(name, params, { ...terms, refusesPrograms: true });
      } finally {
        running--;
      }
    },
  };
}
