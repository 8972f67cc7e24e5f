/** Filters that clients poll. */
import { logFilter } from "../calls/arguments/log-filter.ts";
import type { Filters } from "../calls/filters.ts";
import { boolean, identifier, writtenAs } from "../jsonrpc/codecs/plain.ts";
import { type Method, method } from "../jsonrpc/method.ts";
import { arraySchema, objectSchema, schemaRefs } from "../jsonrpc/schemas.ts";

/** The methods of `chain` and `eth`. */
export function filterMethods(filters: Filters): Method[] {
  return [
    method({
      name: "chain_newFilter",
      aliases: ["eth_newFilter"],
      summary: "A filter for logs of new blocks. It goes when nobody polls it for five minutes.",
      params: { filter: logFilter },
      result: identifier,
      handle: ({ filter }) => filters.addLogs(filter),
    }),
    method({
      name: "chain_newBlockFilter",
      aliases: ["eth_newBlockFilter"],
      summary: "A filter for hashes of new blocks.",
      params: {},
      result: identifier,
      handle: () => filters.addBlocks(),
    }),
    method({
      name: "chain_newPendingTransactionFilter",
      aliases: ["eth_newPendingTransactionFilter"],
      summary: "A filter for hashes of transactions that become executable.",
      params: {},
      result: identifier,
      handle: () => filters.addPending(),
    }),
    method({
      name: "chain_getFilterChanges",
      aliases: ["eth_getFilterChanges"],
      summary: "What a filter found since it was polled last: hashes or logs.",
      params: { id: identifier },
      result: writtenAs("hash[] or log[]", arraySchema({ oneOf: [schemaRefs.hash, objectSchema("log")] })),
      handle: ({ id }) => filters.changes(id),
    }),
    method({
      name: "chain_getFilterLogs",
      aliases: ["eth_getFilterLogs"],
      summary: "All logs of a filter's range.",
      params: { id: identifier },
      result: writtenAs("log[]", arraySchema(objectSchema("log"))),
      handle: ({ id }) => filters.logs(id),
    }),
    method({
      name: "chain_uninstallFilter",
      aliases: ["eth_uninstallFilter"],
      summary: "Takes a filter away; false when there is none of that id.",
      params: { id: identifier },
      result: boolean,
      handle: ({ id }) => filters.remove(id),
    }),
  ];
}
