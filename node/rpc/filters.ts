/** Filters that clients poll. */
import { logFilter } from "../calls/arguments/log-filter.ts";
import type { Filters } from "../calls/filters.ts";
import { boolean, identifier, writtenAs } from "../jsonrpc/codecs/plain.ts";
import { type Method, method } from "../jsonrpc/method.ts";
import { arraySchema, schemaRefs } from "../jsonrpc/schemas.ts";
import { logSchema } from "../presenters/block-schemas.ts";

/** The methods of `chain` and `eth` about filters. */
export function filterMethods(filters: Filters): Method[] {
  return [
    method({
      name: "chain_newFilter",
      aliases: ["eth_newFilter"],
      summary: "Installs a filter for logs of new blocks. It expires five minutes after the last poll.",
      params: { filter: logFilter },
      result: identifier,
      handle: ({ filter }, origin) => filters.addLogs(filter, origin),
    }),
    method({
      name: "chain_newBlockFilter",
      aliases: ["eth_newBlockFilter"],
      summary: "Installs a filter for the hashes of new blocks.",
      params: {},
      result: identifier,
      handle: (_, origin) => filters.addBlocks(origin),
    }),
    method({
      name: "chain_newPendingTransactionFilter",
      aliases: ["eth_newPendingTransactionFilter"],
      summary: "Installs a filter for the hashes of transactions that become executable.",
      params: {},
      result: identifier,
      handle: (_, origin) => filters.addPending(origin),
    }),
    method({
      name: "chain_getFilterChanges",
      aliases: ["eth_getFilterChanges"],
      summary: "Returns the hashes or logs of a filter since its last poll.",
      params: { id: identifier },
      result: writtenAs("hash[] or log[]", arraySchema({ oneOf: [schemaRefs.hash, logSchema] })),
      handle: ({ id }, origin) => filters.changes(id, origin),
    }),
    method({
      name: "chain_getFilterLogs",
      aliases: ["eth_getFilterLogs"],
      summary: "Returns all logs of a filter's range.",
      params: { id: identifier },
      result: writtenAs("log[]", arraySchema(logSchema)),
      handle: ({ id }, origin) => filters.logs(id, origin),
    }),
    method({
      name: "chain_uninstallFilter",
      aliases: ["eth_uninstallFilter"],
      summary: "Uninstalls a filter. Returns false for an unknown id.",
      params: { id: identifier },
      result: boolean,
      handle: ({ id }) => filters.remove(id),
    }),
  ];
}
