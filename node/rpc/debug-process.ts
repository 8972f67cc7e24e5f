/** `debug`: the process and its database. What only a Go process has is not here; docs/rpc.md lists what is. */
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

/** What these methods steer. */
export interface DebugProcessParts {
  readonly profiler: Profiler;
  readonly setLogLevel: (level: LogLevel) => void;
  readonly store: Pick<Store, "property" | "compact">;
}

/** The methods; all of them are for whoever runs the node. */
export function debugProcessMethods(parts: DebugProcessParts): Method[] {
  return [...profiles(parts), ...memory(parts), ...database(parts), ...warmUps()];
}

const LEVELS: readonly LogLevel[] = ["silent", "error", "warn", "info", "debug", "debug"];
const level = integer("int", 0, LEVELS.length - 1);
const seconds = integer("uint", 0, 2 ** 32);

function profiles({ profiler }: DebugProcessParts): Method[] {
  const toFile = { privilege: "files", result: nothing } as const;
  return [
    method({
      name: "debug_startCPUProfile",
      summary: "Begins a CPU profile, which ends by itself after ten minutes; its file must be new.",
      ...toFile,
      params: { file: text },
      handle: ({ file }) => done(profiler.start(file), file),
    }),
    method({
      name: "debug_stopCPUProfile",
      summary: "Ends the CPU profile and writes its file, for Chrome's developer tools.",
      ...toFile,
      params: {},
      handle: () => done(profiler.stop()),
    }),
    method({
      name: "debug_cpuProfile",
      summary: "A CPU profile of so many seconds, ten minutes at most, in a new file.",
      ...toFile,
      params: { file: text, seconds },
      handle: (args) => done(profiler.profile(args.file, args.seconds), args.file),
    }),
    method({
      name: "debug_writeMemProfile",
      summary: "A snapshot of the heap in a new file; the node stands still while it is gathered.",
      ...toFile,
      params: { file: text },
      handle: ({ file }) => done(profiler.heap(file), file),
    }),
  ];
}

function memory({ profiler, setLogLevel }: DebugProcessParts): Method[] {
  const steering = { privilege: "process" } as const;
  return [
    method({
      name: "debug_memStats",
      summary: "Memory of the process and of its heap, in bytes.",
      ...steering,
      params: {},
      result: plain<object>("{process, heap}"),
      handle: () => ({ process: process.memoryUsage(), heap: getHeapStatistics() }),
    }),
    method({
      name: "debug_freeOSMemory",
      summary: "Collects garbage now.",
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
      summary:
        "What is logged from now on: 0 nothing, 1 errors, 2 warnings, 3 information, 4 and 5 everything.",
      ...steering,
      params: { level },
      result: nothing,
      handle: (args) => {
        setLogLevel(LEVELS[args.level] ?? "info");
        return undefined;
      },
    }),
  ];
}

function database({ store }: DebugProcessParts): Method[] {
  return [
    method({
      name: "debug_chaindbProperty",
      summary: "What the database's engine says of itself, such as `leveldb.stats`.",
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
      summary: "Rewrites the chain's database without what was overwritten or deleted.",
      privilege: "process",
      params: { args: optional(compaction) },
      result: nothing,
      handle: async ({ args: { preset = "", ranges } = {} }) => {
        if (preset === "custom" && !Array.isArray(ranges)) {
          throw failure("no ranges provided for custom preset");
        }
        if (!WHOLE.has(preset)) throw failure(`unknown preset: ${preset}`);
        await store.compact();
        return undefined;
      },
    }),
  ];
}

/** Of all of them the whole database comes: its tables are not databases of their own. */
const WHOLE: ReadonlySet<string> = new Set(["", "default", "all", "custom"]);
const compaction: Decoder<{ preset?: string; ranges?: unknown }> = object(
  "compaction",
  "api.ChaindbCompactArgs",
  {
    preset: text,
    ranges: anything,
  },
);

/** States are flat rows here, read one by one: there is no cache of tries that could be filled in advance. */
function warmUps(): Method[] {
  const steering = { privilege: "process", result: nothing } as const;
  const minLoad = integer("uint", 0, 100);
  return [
    method({
      name: "debug_startWarmUp",
      summary: "Refused: states are read without their tries, so there is nothing to warm up.",
      ...steering,
      params: { minLoad },
      handle: refuseWarmUp,
    }),
    method({
      name: "debug_startContractWarmUp",
      summary: "Refused, as `debug_startWarmUp`.",
      ...steering,
      params: { contract: address, minLoad },
      handle: refuseWarmUp,
    }),
    method({
      name: "debug_stopWarmUp",
      summary: "An error: nothing is ever warmed up.",
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

/** Troubles with files in the Go node's words. */
async function done(work: Promise<void>, file = ""): Promise<undefined> {
  try {
    await work;
    return undefined;
  } catch (error) {
    if (error instanceof ProfilerError) throw failure(error.message);
    const trouble = fileErrorMessage(error, file);
    throw trouble === undefined ? error : failure(trouble);
  }
}
