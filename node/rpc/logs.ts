/** `getLogs`: scans blocks for a caller, and so runs in a reader thread. */

import { logFilter } from "../calls/arguments/log-filter.ts";
import { type LogSearchOptions, searchLogs } from "../calls/log-search.ts";
import type { OpenLogSource } from "../calls/log-source.ts";
import { plain } from "../jsonrpc/codecs/plain.ts";
import { type Method, method } from "../jsonrpc/method.ts";
import { arraySchema, objectSchema } from "../jsonrpc/schemas.ts";

/** What the search reads and when it stops. */
export interface LogParts extends LogSearchOptions {
  readonly open: OpenLogSource;
}

/** The methods that scan; the same rows are registered in the node and served in its reader threads. */
export function logMethods({ open, ...terms }: LogParts): Method[] {
  return [
    method({
      name: "chain_getLogs",
      aliases: ["eth_getLogs"],
      summary: "The logs of a range of blocks, or of one block, by address and topics.",
      params: { filter: logFilter },
      result: plain<readonly object[]>("log[]", arraySchema(objectSchema("log"))),
      runs: "reader",
      handle: async ({ filter }) => {
        using source = await open();
        return searchLogs(source, filter, terms);
      },
    }),
  ];
}
