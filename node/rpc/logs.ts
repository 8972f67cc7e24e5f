/** `getLogs`. It runs in reader threads, and on the main thread for the newest blocks. */

import { logFilter } from "../calls/arguments/log-filter.ts";
import { type SearchLimits, searchLogs } from "../calls/log-search.ts";
import type { OpenLogSource } from "../calls/log-source.ts";
import type { RecentLogs } from "../calls/recent-logs.ts";
import { writtenAs } from "../jsonrpc/codecs/plain.ts";
import { goJson } from "../jsonrpc/json-text.ts";
import { type Method, method } from "../jsonrpc/method.ts";
import { arraySchema } from "../jsonrpc/schemas.ts";
import { logSchema } from "../presenters/block-schemas.ts";

/** Dependencies and options of the log search. */
export interface LogMethodDeps {
  readonly open: OpenLogSource;
  readonly limits: SearchLimits;
  /** Searches of the newest blocks; absent in reader threads. */
  readonly recent?: RecentLogs;
}

/** The methods; the node registers them and its reader threads serve them. */
export function logMethods({ open, limits, recent }: LogMethodDeps): Method[] {
  return [
    method({
      name: "chain_getLogs",
      aliases: ["eth_getLogs"],
      summary: "Returns the logs of a range of blocks, or of one block, by address and topics.",
      params: { filter: logFilter },
      result: writtenAs("log[]", arraySchema(logSchema)),
      runs: "reader",
      inline: recent && (({ filter }) => recent.search(filter)),
      handle: async ({ filter }) => {
        using source = open();
        return goJson(searchLogs(source, filter, limits));
      },
    }),
  ];
}
