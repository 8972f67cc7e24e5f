/**
 * `debug`: profiling, memory, log level and database of the process. docs/rpc.md lists the Go node's methods
 * that are unsupported.
 */
import { getHeapStatistics } from "node:v8";
import { fileErrorMessage } from "../calls/file-errors.ts";
import { type Decoder, object, optional, wrongKind } from "../jsonrpc/codec.ts";
import { address, data, listOf } from "../jsonrpc/codecs/hex.ts";
import { boolean, integer, nothing, plain, signed, text } from "../jsonrpc/codecs/plain.ts";
import { failure } from "../jsonrpc/errors.ts";
import { sortKeys } from "../jsonrpc/json-text.ts";
import { type Method, method } from "../jsonrpc/method.ts";
import { arraySchema, mapSchema, plainSchemas, recordSchema } from "../jsonrpc/schemas.ts";
import type { LogLevel } from "../observe/log.ts";
import type { Metrics } from "../observe/metrics.ts";
import type { Profiler } from "../observe/profiler.ts";
import { ProfilerError } from "../observe/recording.ts";
import { threadStacks } from "../observe/stacks.ts";
import type { Store } from "../store/store.ts";
import type { PprofServer } from "../transport/pprof-server.ts";
import { listenMessage } from "./admin-listeners.ts";
import { checkLevel } from "./debug-go-runtime.ts";

/** Dependencies of the methods about the process. */
export interface DebugProcessDeps {
  readonly profiler: Profiler;
  readonly metrics: Pick<Metrics, "render">;
  readonly pprofServer: Pick<PprofServer, "isRunning" | "start" | "stop">;
  readonly setLogLevel: (level: LogLevel) => void;
  readonly store: Pick<Store, "property" | "compact">;
}

/** The methods of `debug` about the process, all of them privileged. */
export function debugProcessMethods(deps: DebugProcessDeps): Method[] {
  return [
    ...profiles(deps),
    ...traces(deps),
    ...blocking(deps),
    ...pprofMethods(deps),
    ...memory(deps),
    ...database(deps),
    ...warmUps(),
  ];
}

const LEVELS: readonly LogLevel[] = ["silent", "error", "warn", "info", "debug", "debug"];
const seconds = integer("uint", 0, 2 ** 32);

const toFile = { privilege: "files", result: nothing } as const;

function profiles({ profiler }: DebugProcessDeps): Method[] {
  return [
    method({
      name: "debug_startCPUProfile",
      summary: "Starts a CPU profile, written to a new file. It stops after ten minutes at the latest.",
      ...toFile,
      params: { file: text },
      handle: ({ file }) => withFileErrors(profiler.cpu.start(file), file),
    }),
    method({
      name: "debug_stopCPUProfile",
      summary: "Stops the CPU profile and writes its file, in the format of Chrome's developer tools.",
      ...toFile,
      params: {},
      handle: () => withFileErrors(profiler.cpu.stop()),
    }),
    method({
      name: "debug_cpuProfile",
      summary: "Writes a CPU profile of a number of seconds to a new file; at most ten minutes.",
      ...toFile,
      params: { file: text, seconds },
      handle: (args) => withFileErrors(profiler.cpu.record(args.file, args.seconds), args.file),
    }),
    method({
      name: "debug_writeMemProfile",
      summary: "Writes a heap snapshot to a new file. The node is blocked meanwhile.",
      ...toFile,
      params: { file: text },
      handle: ({ file }) => withFileErrors(profiler.heap(file), file),
    }),
  ];
}

function traces({ profiler }: DebugProcessDeps): Method[] {
  return [
    method({
      name: "debug_startGoTrace",
      summary:
        "Starts a trace of the runtime's events, written to a new file. It stops after ten minutes at the latest.",
      ...toFile,
      params: { file: text },
      handle: ({ file }) => withFileErrors(profiler.trace.start(file), file),
    }),
    method({
      name: "debug_stopGoTrace",
      summary: "Stops the trace and writes its file, in Chrome's format of trace events.",
      ...toFile,
      params: {},
      handle: () => withFileErrors(profiler.trace.stop()),
    }),
    method({
      name: "debug_goTrace",
      summary: "Writes a trace of a number of seconds to a new file; at most ten minutes.",
      ...toFile,
      params: { file: text, seconds },
      handle: (args) => withFileErrors(profiler.trace.record(args.file, args.seconds), args.file),
    }),
  ];
}

/** The Go node profiles the waiting of goroutines; here work waits for the event loop. */
function blocking({ profiler }: DebugProcessDeps): Method[] {
  return [
    method({
      name: "debug_setBlockProfileRate",
      summary: "Starts new samples of the event loop's delay; a rate of 0 or less stops them.",
      privilege: "process",
      result: nothing,
      params: { rate: signed },
      handle: ({ rate }) => profiler.delays.setRate(rate),
    }),
    method({
      name: "debug_writeBlockProfile",
      summary: "Writes the distribution of the event loop's delays to a new file, in nanoseconds.",
      ...toFile,
      params: { file: text },
      handle: ({ file }) => withFileErrors(profiler.delays.write(file), file),
    }),
    method({
      name: "debug_blockProfile",
      summary: "Writes the event loop's delays of a number of seconds to a new file; at most ten minutes.",
      ...toFile,
      params: { file: text, seconds },
      handle: (args) => withFileErrors(profiler.delays.record(args.file, args.seconds), args.file),
    }),
  ];
}

/** Address of the profiling server, as in the Go node (`api/debug/flags.go@v2.2.2`). */
const PROFILE_HOST = "127.0.0.1";
const PROFILE_PORT = 6060;

function pprofMethods({ pprofServer }: DebugProcessDeps): Method[] {
  const opening = { privilege: "listeners", result: nothing } as const;
  return [
    method({
      name: "debug_startPProf",
      summary: "Opens an HTTP server with profiles, traces and stacks of the process below /debug/pprof/.",
      ...opening,
      params: { address: optional(text, ""), port: optional(signed, 0) },
      handle: async (args) => {
        if (pprofServer.isRunning) throw failure("pprof server is already running");
        const place = { host: args.address || PROFILE_HOST, port: args.port || PROFILE_PORT };
        await pprofServer.start(place).catch((error: unknown) => {
          throw failure(listenMessage(error, place));
        });
        return undefined;
      },
    }),
    method({
      name: "debug_stopPProf",
      summary: "Closes the profiling server.",
      ...opening,
      params: {},
      handle: () => {
        if (!pprofServer.isRunning) throw failure("pprof server is not running");
        pprofServer.stop();
      },
    }),
    method({
      name: "debug_isPProfRunning",
      summary: "Returns true if the profiling server is open.",
      privilege: "process",
      params: {},
      result: boolean,
      handle: () => pprofServer.isRunning,
    }),
  ];
}

/** The names are those of Node.js and its engine. */
const bytesByName = mapSchema("bytes by name", plainSchemas.number);

function memory({ profiler, setLogLevel, metrics }: DebugProcessDeps): Method[] {
  const steering = { privilege: "process" } as const;
  return [
    method({
      name: "debug_stacks",
      summary: "Returns the stacks of the process's threads.",
      ...steering,
      params: {},
      result: text,
      handle: threadStacks,
    }),
    method({
      name: "debug_metrics",
      summary:
        "Returns the metrics by their exported names: as numbers if `raw` is true, otherwise as text with a unit.",
      ...steering,
      params: { raw: boolean },
      result: plain<object>(
        "metrics",
        mapSchema("metric by name", recordSchema({ Overall: { type: ["number", "string"] } })),
      ),
      handle: async ({ raw }) => metricsJson(await metrics.render(), raw),
    }),
    method({
      name: "debug_memStats",
      summary: "Returns the memory use of the process and of its heap, in bytes.",
      ...steering,
      params: {},
      result: plain<object>("{process, heap}", recordSchema({ process: bytesByName, heap: bytesByName })),
      handle: () => ({ process: process.memoryUsage(), heap: getHeapStatistics() }),
    }),
    method({
      name: "debug_freeOSMemory",
      summary: "Runs the garbage collector.",
      ...steering,
      params: {},
      result: nothing,
      handle: () => {
        profiler.collect();
        return undefined;
      },
    }),
    method({
      name: "debug_verbosity",
      summary: "Sets the log level: 0 off, 1 error, 2 warn, 3 info, 4 and 5 everything.",
      ...steering,
      params: { level: signed },
      result: nothing,
      handle: (args) => {
        checkLevel(args.level);
        setLogLevel(LEVELS[args.level] ?? "info");
        return undefined;
      },
    }),
  ];
}

/** Formats samples of the Prometheus text format, as the Go node formats its counters. */
function metricsJson(samples: string, raw: boolean): object {
  const rows = samples.split("\n").filter((line) => line !== "" && !line.startsWith("#"));
  return sortKeys(
    Object.fromEntries(
      rows.map((line) => {
        const [name, value] = [
          line.slice(0, line.lastIndexOf(" ")),
          Number(line.slice(line.lastIndexOf(" "))),
        ];
        return [name, { Overall: raw && Number.isFinite(value) ? value : roundedText(value) }];
      }),
    ),
  );
}

const UNITS = ["", "K", "M", "G", "T", "E", "P"];

/** Formats a number with at most two decimals and a unit of thousands (`node/api_debug.go@v2.2.2`). */
function roundedText(value: number): string {
  const power = Math.min(Math.max(0, Math.floor(Math.log10(Math.abs(value) || 1) / 3)), UNITS.length - 1);
  return `${Number((value / 1000 ** power).toFixed(2))}${UNITS[power]}`;
}

function database({ store }: DebugProcessDeps): Method[] {
  return [
    method({
      name: "debug_chaindbProperty",
      summary: "Returns a property of the database engine, such as `leveldb.stats`.",
      privilege: "process",
      params: { property: text },
      result: text,
      handle: ({ property }) => {
        const name = property === "" ? "stats" : property.replace(/^leveldb\./, "");
        return store.property(`leveldb.${name}`) ?? "";
      },
    }),
    method({
      name: "debug_chaindbCompact",
      summary:
        "Compacts the whole database. Presets and ranges of the Go node are accepted and select all of it.",
      privilege: "process",
      params: { args: optional(compaction) },
      result: nothing,
      handle: async ({ args: { preset = "default", ranges = [] } = {} }) => {
        if (preset === "custom" && ranges.length === 0) throw failure("no ranges provided for custom preset");
        if (!COMPACTION_PRESETS.has(preset)) throw failure(`unknown preset: ${preset}`);
        await store.compact();
        return undefined;
      },
    }),
  ];
}

/** Parts of the Go node's databases by name (`api/api_debug_util.go@v2.2.2`); these tables share one database. */
const COMPACTION_PRESETS: ReadonlySet<string> = new Set([
  "default",
  "allbutstate",
  "header",
  "body",
  "receipts",
  "custom",
]);

const compactionRange = object("compaction range", "api.CompactionRange", {
  start: data,
  step: data,
  end: data,
  db: listOf(text, "[]string"),
  interval: text,
});
const compactionRanges: Decoder<readonly unknown[]> = {
  label: "compaction range[]",
  schema: arraySchema(compactionRange.schema),
  decode(json) {
    if (!Array.isArray(json)) throw wrongKind(json, "[]api.CompactionRange");
    return json.map((each) => compactionRange.decode(each));
  },
};
const compaction = object("compaction", "api.ChaindbCompactArgs", { preset: text, ranges: compactionRanges });

/** The methods that warm up a trie cache. There is none: states are stored as flat rows. */
function warmUps(): Method[] {
  const steering = { privilege: "process", result: nothing } as const;
  const minLoad = integer("uint", 0, 100);
  return [
    method({
      name: "debug_startWarmUp",
      summary: "Always fails: states are read without tries, so there is no cache to warm up.",
      ...steering,
      params: { minLoad },
      handle: refuseWarmUp,
    }),
    method({
      name: "debug_startContractWarmUp",
      summary: "Always fails, as `debug_startWarmUp`.",
      ...steering,
      params: { contract: address, minLoad },
      handle: refuseWarmUp,
    }),
    method({
      name: "debug_stopWarmUp",
      summary: "Always fails: no warm-up is running.",
      ...steering,
      params: {},
      handle: () => {
        throw failure("not in warm up");
      },
    }),
  ];
}

function refuseWarmUp(): never {
  throw failure("there is nothing to warm up: this node reads states without their tries");
}

/** Translates the errors of files into the Go node's messages. */
async function withFileErrors(work: Promise<void>, file = ""): Promise<undefined> {
  try {
    await work;
    return undefined;
  } catch (error) {
    if (error instanceof ProfilerError) throw failure(error.message);
    const trouble = fileErrorMessage(error, file);
    throw trouble === undefined ? error : failure(trouble);
  }
}
