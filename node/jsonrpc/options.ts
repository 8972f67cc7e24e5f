/** Options of JSON-RPC over any transport. */
import { booleanKind, integerKind, list } from "../options/kinds.ts";
import { NODE, optionGroup, type ValuesOf } from "../options/rows.ts";

/** Maximum number of subscriptions of one connection, where no option sets it. */
export const MAX_SUBSCRIPTIONS = 3_000;

const rpc = optionGroup("RPC", NODE);

/** Rows of responses and of the methods that HTTP and WebSocket serve. */
export const responseOptions = {
  maxAnswerBytes: rpc({
    flag: "rpc.max-answer-bytes",
    kind: integerKind(1),
    default: 25_000_000,
    summary: "maximum size of the response to one message, in bytes",
    own: true,
  }),
  maxClientRate: rpc({
    flag: "rpc.client-rate",
    kind: integerKind(0),
    default: 0,
    summary: "maximum calls a second of an address, five times as many at once; 0 for none",
    own: true,
  }),
  maxBatch: rpc({
    flag: "rpc.max-batch",
    kind: integerKind(0),
    default: 0,
    summary: "maximum number of calls in a batch; 0 for no limit",
    own: true,
  }),
  withheldMethods: rpc({
    flag: "rpc.withheld-methods",
    kind: list,
    default: [],
    summary: "methods that HTTP and WebSocket do not serve",
    own: true,
  }),
  privilegesOverIpcOnly: rpc({
    flag: "rpc.ipc-only-privileges",
    kind: booleanKind,
    default: false,
    summary: "serve methods that write files, use keys or control listeners over IPC only",
    own: true,
  }),
  unsafeDebugOverIpcOnly: rpc({
    flag: "rpc.unsafe-debug.disable",
    kind: booleanKind,
    default: false,
    summary: "serve unsafe debug methods (files, process, custom tracers) over IPC only",
    aliases: ["http-rpc.unsafe-debug.disable"],
  }),
};

/** Responses, and the methods that HTTP and WebSocket serve. */
export type ResponseOptions = ValuesOf<typeof responseOptions>;

/** Rows of the methods of `eth`. */
export const ethOptions = {
  ethAsChain: rpc({
    flag: "rpc.eth.noncompatible",
    kind: booleanKind,
    default: false,
    summary: "respond to eth methods as to the klay or kaia method of the same name",
    aliases: ["http-rpc.eth-noncompatible"],
  }),
};

/** True when `eth` methods respond as the method of the same name in the chain's module. */
export type EthOptions = ValuesOf<typeof ethOptions>;
