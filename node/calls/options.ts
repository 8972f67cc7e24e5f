/** Options of calls: their gas, their time and the size of their results. */
import { coins, integerKind, timeLimitKind, timerKind } from "../options/kinds.ts";
import { NODE, optionGroup, type ValuesOf } from "../options/rows.ts";

const rpc = optionGroup("RPC", NODE);

/** Rows of traces. */
export const traceOptions = {
  maxTraces: rpc({
    flag: "rpc.unsafe-debug.heavy-debug.request-limit",
    kind: integerKind(0),
    default: 500,
    summary: "limit of concurrent traces while those are disabled",
  }),
};

/** Maximum number of concurrent traces over HTTP and WebSocket while unsafe methods are disabled. */
export type TraceOptions = ValuesOf<typeof traceOptions>;

/** Rows of log searches. */
export const logSearchOptions = {
  maxLogs: rpc({
    flag: "api.filter.getLogs.maxitems",
    kind: integerKind(0),
    default: 10_000,
    summary: "maximum number of logs in one response; 0 for no limit",
  }),
  maxRange: rpc({
    flag: "rpc.logs-max-range",
    kind: integerKind(0),
    default: 0,
    summary: "maximum number of blocks of a log search; 0 for no limit",
    own: true,
  }),
  logsDeadlineMs: rpc({
    flag: "api.filter.getLogs.deadline",
    kind: timerKind,
    default: 10_000,
    summary: "time limit of a log search",
  }),
};

/** Limits of log searches. */
export type LogSearchOptions = ValuesOf<typeof logSearchOptions>;

/** Rows of contract calls and of fees. A cap of 0 means none. */
export const callLimitOptions = {
  gasCap: rpc({
    flag: "rpc.gascap",
    kind: integerKind(0),
    default: 0,
    summary: "gas cap of calls and gas estimates; 0 for no cap",
    aliases: ["http-rpc.gascap"],
  }),
  ethFeeCap: rpc({
    flag: "rpc.ethtxfeecap",
    kind: coins,
    default: 0,
    summary: "fee cap of transactions sent by eth_ methods, in KAIA; 0 for no cap",
    aliases: ["http-rpc.eth-tx-feecap"],
  }),
  evmTimeoutMs: rpc({
    flag: "rpc.evmtimeout",
    kind: timeLimitKind,
    default: 5_000,
    summary: "time limit of eth_call; 0 for no limit",
    aliases: ["http-rpc.evmtimeout"],
  }),
};

/** Limits of contract calls and of fees; a cap of 0 means none. */
export type CallLimitOptions = ValuesOf<typeof callLimitOptions>;

/** Rows of calls that wait for a receipt. */
export const receiptWaitOptions = {
  receiptWaitMs: rpc({
    flag: "rpc.txsync.defaulttimeout",
    kind: timerKind,
    default: 2_000,
    summary: "time for which eth_sendRawTransactionSync waits for a receipt",
    own: true,
  }),
  maxReceiptWaitMs: rpc({
    flag: "rpc.txsync.maxtimeout",
    kind: timerKind,
    default: 60_000,
    summary: "longest time that a caller of eth_sendRawTransactionSync may ask for",
    own: true,
  }),
};

/** Times for which calls wait for a receipt, in milliseconds. */
export type ReceiptWaitOptions = ValuesOf<typeof receiptWaitOptions>;
