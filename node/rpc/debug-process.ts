/**
 * `debug`: profiling, memory, log level and database of the process. docs/rpc.md lists the Go node's methods
 * that are unsupported.
 */
import { getHeapStatistics } from "node:v8";
import { fileErrorMessage } from "../calls/file-errors.ts";
import { type Decoder, object, optional } from "../jsonrpc/codec.ts";
import { address, anything } from "../jsonrpc/codecs/hex.ts";
import { integer, nothing, plain, text } from "../jsonrpc/codecs/plain.ts";
import { failure } from "../jsonrpc/errors.ts";
import { type Method, method } from "../jsonrpc/method.ts";
import type { LogLevel } from "../observe/log.ts";
import { type Profiler, ProfilerError } from "../observe/profiler.ts";
import type { Store } from "../store/store.ts";
import { checkLevel } from "./debug-go-runtime.ts";

/** Dependencies of the methods about the process. */
export interface DebugProcessDeps {
  readonly profiler: Profiler;
  readonly setLogLevel: (level: LogLevel) => void;
  readonly store: Pick<Store, "property" | "compact">;
}

/** The methods of `debug` about the process, all of them privileged. */
export function debugProcessMethods(deps: DebugProcessDeps): Method[] {
  return [...profiles(deps), ...memory(deps), ...database(deps), ...warmUps()];
}

const LEVELS: readonly LogLevel[] = ["silent", "error", "warn", "info", "debug", "debug"];
const level = integer("int", Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER);
const seconds = integer("uint", 0, 2 ** 32);

function profiles({ profiler }: DebugProcessDeps): Method[] {
  const toFile = { privilege: "files", result: nothing } as const;
  return [
    method({
      name: "debug_startCPUProfile",
      summary: "Starts a CPU profile, written to a new file. It stops after ten minutes at the latest.",
      ...toFile,
      params: { file: text },
      handle: ({ file }) => withFileErrors(profiler.start(file), file),
    }),
    method({
      name: "debug_stopCPUProfile",
      summary: "Stops the CPU profile and writes its file, in the format of Chrome's developer tools.",
      ...toFile,
      params: {},
      handle: () => withFileErrors(profiler.stop()),
    }),
    method({
      name: "debug_cpuProfile",
      summary: "Writes a CPU profile of a number of seconds to a new file; at most ten minutes.",
      ...toFile,
      params: { file: text, seconds },
      handle: (args) => withFileErrors(profiler.profile(args.file, args.seconds), args.file),
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

function memory({ profiler, setLogLevel }: DebugProcessDeps): Method[] {
  const steering = { privilege: "process" } as const;
  return [
    method({
      name: "debug_memStats",
      summary: "Returns the memory use of the process and of its heap, in bytes.",
      ...steering,
      params: {},
      result: plain<object>("{process, heap}"),
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
      params: { level },
      result: nothing,
      handle: (args) => {
        checkLevel(args.level);
        setLogLevel(LEVELS[args.level] ?? "info");
        return undefined;
      },
    }),
  ];
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
      summary: "Compacts the chain's database.",
      privilege: "process",
      params: { args: optional(compaction) },
      result: nothing,
      handle: async ({ args: { preset = "", ranges } = {} }) => {
        if (preset === "custom" && !Array.isArray(ranges)) {
          throw failure("no ranges provided for custom preset");
        }
        if (!WHOLE_DATABASE.has(preset)) throw failure(`unknown preset: ${preset}`);
        await store.compact();
        return undefined;
      },
    }),
  ];
}

/** Names that select the whole database. Its tables are not separate databases. */
const WHOLE_DATABASE: ReadonlySet<string> = new Set(["", "default", "all", "custom"]);
const compaction: Decoder<{ preset?: string; ranges?: unknown }> = object(
  "compaction",
  "api.ChaindbCompactArgs",
  {
    preset: text,
    ranges: anything,
  },
);

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
