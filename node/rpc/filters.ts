/** Filters that clients poll. */
import { logFilter } from "../calls/arguments/log-filter.ts";
import type { FilterOrigin, Filters } from "../calls/filters.ts";
import { boolean, identifier, writtenAs } from "../jsonrpc/codecs/plain.ts";
import { type CallOrigin, type Method, method } from "../jsonrpc/method.ts";
import { arraySchema, schemaRefs } from "../jsonrpc/schemas.ts";
import { logSchema } from "../presenters/block-schemas.ts";

const NAMES = [
  {
    module: "chain",
    newFilter: "chain_newFilter",
    newBlockFilter: "chain_newBlockFilter",
    newPendingTransactionFilter: "chain_newPendingTransactionFilter",
    getFilterChanges: "chain_getFilterChanges",
    getFilterLogs: "chain_getFilterLogs",
    uninstallFilter: "chain_uninstallFilter",
  },
  {
    module: "eth",
    newFilter: "eth_newFilter",
    newBlockFilter: "eth_newBlockFilter",
    newPendingTransactionFilter: "eth_newPendingTransactionFilter",
    getFilterChanges: "eth_getFilterChanges",
    getFilterLogs: "eth_getFilterLogs",
    uninstallFilter: "eth_uninstallFilter",
  },
];

/** The methods of `chain` and `eth` about filters. Neither knows the filters of the other. */
export function filterMethods(filters: Filters): Method[] {
  return NAMES.flatMap((names) => moduleMethods(names, filters));
}

function moduleMethods({ module, ...names }: (typeof NAMES)[number], filters: Filters): Method[] {
  const of = ({ signal, caller }: CallOrigin): FilterOrigin => ({ signal, caller, module });
  return [
    method({
      name: names.newFilter,
      summary: "Installs a filter for logs of new blocks. It expires five minutes after the last poll.",
      params: { filter: logFilter },
      result: identifier,
      handle: ({ filter }, origin) => filters.addLogs(filter, of(origin)),
    }),
    method({
      name: names.newBlockFilter,
      summary: "Installs a filter for the hashes of new blocks.",
      params: {},
      result: identifier,
      handle: (_, origin) => filters.addBlocks(of(origin)),
    }),
    method({
      name: names.newPendingTransactionFilter,
      summary: "Installs a filter for the hashes of transactions that become executable.",
      params: {},
      result: identifier,
      handle: (_, origin) => filters.addPending(of(origin)),
    }),
    method({
      name: names.getFilterChanges,
      summary: "Returns the hashes or logs of a filter since its last poll.",
      params: { id: identifier },
      result: writtenAs("hash[] or log[]", arraySchema({ oneOf: [schemaRefs.hash, logSchema] })),
      handle: ({ id }, origin) => filters.changes(id, of(origin)),
    }),
    method({
      name: names.getFilterLogs,
      summary: "Returns all logs of a filter's range.",
      params: { id: identifier },
      result: writtenAs("log[]", arraySchema(logSchema)),
      handle: ({ id }, origin) => filters.logs(id, of(origin)),
    }),
    method({
      name: names.uninstallFilter,
      summary: "Uninstalls a filter. Returns false for an id that the module does not know.",
      params: { id: identifier },
      result: boolean,
      handle: ({ id }, origin) => filters.remove(id, of(origin)),
    }),
  ];
}
