/**
 * `debug`: the methods about the Go runtime and its libraries (`api/debug/api.go@v2.2.2`). Those with a counterpart in
 * this runtime are served, the others check their parameters and say in the error what they are.
 */
import { PerformanceObserver, performance } from "node:perf_hooks";
import type { Decoder } from "../jsonrpc/codec.ts";
import { address } from "../jsonrpc/codecs/hex.ts";
import { integer, nothing, plain, signed, text } from "../jsonrpc/codecs/plain.ts";
import { failure } from "../jsonrpc/errors.ts";
import { type Method, method } from "../jsonrpc/method.ts";
import { arraySchema, plainSchemas, recordSchema } from "../jsonrpc/schemas.ts";

const uint = integer("uint", 0, Number.MAX_SAFE_INTEGER);
const steering = { privilege: "process" } as const;

/** The methods about the Go runtime. */
export function goRuntimeMethods(): Method[] {
  return [...collectorMethods(), ...logMethods(), ...contentionMethods()];
}

/** Builds a method that always fails with a reason, after the check of its parameters. */
function unavailable(
  name: `debug_${string}`,
  reason: string,
  params: Readonly<Record<string, Decoder<unknown>>> = {},
): Method {
  return method({
    name,
    summary: `Always fails: ${reason}`,
    ...steering,
    params,
    result: nothing,
    handle: () => {
      throw failure(reason);
    },
  });
}

/** Number of pauses in the statistics of the garbage collector, as in Go. */
const MAX_PAUSES = 256;

/** A run of the garbage collector: its end in milliseconds since 1970, its length in nanoseconds. */
interface Pause {
  readonly end: number;
  readonly length: number;
}

const collectorSchema = recordSchema({
  LastGC: plainSchemas.text,
  NumGC: plainSchemas.integer,
  PauseTotal: plainSchemas.integer,
  Pause: arraySchema(plainSchemas.integer),
  PauseEnd: arraySchema(plainSchemas.text),
  PauseQuantiles: plainSchemas.nothing,
});

function collectorMethods(): Method[] {
  const pauses: Pause[] = [];
  let [count, total] = [0, 0];
  const observer = new PerformanceObserver((list) => {
    for (const { startTime, duration } of list.getEntries()) {
      const length = Math.round(duration * 1e6);
      pauses.unshift({ end: performance.timeOrigin + startTime + duration, length });
      count++;
      total += length;
    }
    pauses.length = Math.min(pauses.length, MAX_PAUSES);
  });
  observer.observe({ entryTypes: ["gc"] });
  const time = ({ end }: Pause): string => new Date(end).toISOString();
  return [
    method({
      name: "debug_gcStats",
      summary: "Returns the runs of the garbage collector, the newest first; pauses are in nanoseconds.",
      ...steering,
      params: {},
      result: plain<object>("{LastGC, NumGC, PauseTotal, Pause, PauseEnd, PauseQuantiles}", collectorSchema),
      handle: () => ({
        LastGC: time(pauses[0] ?? { end: 0, length: 0 }),
        NumGC: count,
        PauseTotal: total,
        Pause: pauses.map(({ length }) => length),
        PauseEnd: pauses.map(time),
        PauseQuantiles: null,
      }),
    }),
    unavailable("debug_setGCPercent", "the garbage collector of this runtime has no target percentage", {
      percent: signed,
    }),
    unavailable(
      "debug_startCollectingTrieStats",
      "states are read without tries, so there is no trie cache",
      {
        contract: address,
      },
    ),
  ];
}

function logMethods(): Method[] {
  const single = "this node has one log level; debug_verbosity sets it";
  return [
    leveled("debug_verbosityByName", { module: text, level: signed }),
    leveled("debug_verbosityByID", { id: signed, level: signed }),
    patternMethod(
      "debug_vmodule",
      /^[^=,]+=\d+(,[^=,]+=\d+)*$/,
      "expect comma-separated list of filename=N",
      single,
    ),
    patternMethod(
      "debug_backtraceAt",
      /^[^:]+\.go:\d+$/,
      "expect file.go:234",
      "this program has no Go files; an error in the log has its stack",
    ),
    method({
      name: "debug_writeVMLog",
      summary: "Does nothing: the interpreter has no log.",
      ...steering,
      params: { message: text },
      result: nothing,
      handle: () => undefined,
    }),
    method({
      name: "debug_setVMLogTarget",
      summary: "Sets the log of the interpreter: 0 is none, which is the only one here.",
      ...steering,
      params: { target: signed },
      result: text,
      handle: ({ target }) => {
        if (target < 0 || target > 3) throw failure("target should be between 0 and 3");
        if (target === 0) return "no output";
        throw failure("the interpreter has no log; debug_standardTraceBlockToFile writes one of a block");
      },
    }),
  ];

  function leveled(
    name: `debug_${string}`,
    params: { readonly level: Decoder<number> } & Readonly<Record<string, Decoder<unknown>>>,
  ): Method {
    return method({
      name,
      summary: `Always fails: ${single}`,
      ...steering,
      params,
      result: nothing,
      handle: ({ level }) => {
        checkLevel(level);
        throw failure(single);
      },
    });
  }
}

/** Number of log levels, from 0. */
const LOG_LEVELS = 6;

/** Checks a log level. Throws `RpcError` with the Go node's text (`log/zap_logger.go@v2.2.2`). */
export function checkLevel(level: number): void {
  if (level < 0) throw failure("insert log level greater than or equal to 0");
  if (level >= LOG_LEVELS) throw failure(`insert log level less than ${LOG_LEVELS}`);
}

/** Builds a method that always fails, after the check of its pattern's form. */
function patternMethod(name: `debug_${string}`, form: RegExp, malformed: string, reason: string): Method {
  return method({
    name,
    summary: `Always fails: ${reason}`,
    ...steering,
    params: { pattern: text },
    result: nothing,
    handle: ({ pattern }) => {
      throw failure(form.test(pattern) ? reason : malformed);
    },
  });
}

function contentionMethods(): Method[] {
  const reason = "contention of the Go runtime's locks, which this program does not have";
  return [
    unavailable("debug_mutexProfile", reason, { file: text, seconds: uint }),
    unavailable("debug_setMutexProfileFraction", reason, { rate: signed }),
    unavailable("debug_writeMutexProfile", reason, { file: text }),
  ];
}
