/** `getLogs`. It runs in reader threads. */

import { logFilter } from "../calls/arguments/log-filter.ts";
import { type SearchLimits, searchLogs } from "../calls/log-search.ts";
import type { OpenLogSource } from "../calls/log-source.ts";
import { plain } from "../jsonrpc/codecs/plain.ts";
import { type Method, method } from "../jsonrpc/method.ts";
import { arraySchema, objectSchema } from "../jsonrpc/schemas.ts";

/** Dependencies and options of the log search. */
export interface LogMethodDeps {
  readonly open: OpenLogSource;
  readonly limits: SearchLimits;
}

/** The methods; the node registers them and its reader threads serve them. */
export function logMethods({ open, limits }: LogMethodDeps): Method[] {
  return [
    method({
      name: "chain_getLogs",
      aliases: ["eth_getLogs"],
      summary: "Returns the logs of a range of blocks, or of one block, by address and topics.",
      params: { filter: logFilter },
      result: plain<readonly object[]>("log[]", arraySchema(objectSchema("log"))),
      runs: "reader",
      handle: async ({ filter }) => {
        using source = await open();
        return searchLogs(source, filter, limits);
      },
    }),
  ];
}
