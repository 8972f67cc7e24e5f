/** The node's reader threads, and what its own methods have them do. */
import { extname } from "node:path";
import type { Address } from "../bytes/brands.ts";
import { toQuantity } from "../bytes/integer.ts";
import { logFilterJson } from "../calls/arguments/log-filter.ts";
import { callArgsJson } from "../calls/arguments/transaction-args.ts";
import {
  defaultReaderThreads,
  openReaderPool,
  type ReaderCallOptions,
  type ReaderPool,
  type ReaderPoolOptions,
  type ThreadPool,
} from "../jsonrpc/reader-pool.ts";
import type { MemoryWatch } from "../observe/memory-watch.ts";
import type { NodeRegistryDeps } from "../rpc/node-registry.ts";
import { TRACE_EXPIRY } from "../rpc/traces.ts";
import { chainDirectory, triesDirectory } from "./database.ts";
import type { NodeOptions } from "./options.ts";
import type { ReaderData } from "./reader.ts";

/** Dependencies of reader threads. */
export interface ReadersDeps {
  readonly options: NodeOptions;
  readonly memory: MemoryWatch;
  /** Signers of the chain, as threads get them when they start. */
  readonly signers: ReadonlyMap<string, Address>;
}

/** Reader threads, as many and as large as the memory has room for. */
export function openReaders(
  { options, memory, signers }: ReadersDeps,
  onBug: (error: unknown) => void,
): ThreadPool {
  const { readers, waiting } = options.memory.shares;
  return openReaderPool({
    ...(readers === undefined ? {} : readerThreads(readers)),
    maxWaitingBytes: waiting,
    isShort: () => memory.isShort,
    entry: new URL(`./reader${extname(import.meta.url)}`, import.meta.url),
    workerData: {
      directory: chainDirectory(options),
      tries: triesDirectory(options),
      rpc: options.rpc,
      signers,
      isDevelopment: options.development !== undefined,
    } satisfies ReaderData,
    deadlineMs: options.rpc.logsDeadlineMs,
    onBug,
  });
}

/** A thread's heap should not be smaller. */
const MIN_READER_HEAP = 56 * 1024 * 1024;

/** As many threads as usual, or as find room. */
function readerThreads(bytes: number): Pick<ReaderPoolOptions, "maxThreads" | "heapBytes"> {
  const most = Math.floor(bytes / MIN_READER_HEAP);
  const maxThreads = Math.max(1, Math.min(most, defaultReaderThreads()));
  return { maxThreads, heapBytes: Math.floor(bytes / maxThreads) };
}

/** Runs calls of other methods in a reader thread, as requests of clients are. */
export function askedOfReaders(
  readers: ReaderPool,
): Pick<NodeRegistryDeps, "estimateGas" | "searchLogs" | "traceBlock"> {
  const ask = (name: string, params: readonly unknown[], terms: ReaderCallOptions): Promise<string> =>
    readers.call(name, JSON.stringify(params), terms);
  return {
    estimateGas: async (args, { signal, caller }) => {
      const json = await ask("eth_estimateGas", [callArgsJson(args)], { signal, caller });
      return BigInt(JSON.parse(json) as string); // the codec of a quantity wrote it
    },
    searchLogs: (filter, { signal, caller }) =>
      ask("chain_getLogs", [logFilterJson(filter)], { signal, caller }),
    traceBlock: (number, config, until) => {
      const terms = { signal: until, expires: TRACE_EXPIRY };
      return ask("debug_traceBlockByNumber", [toQuantity(number), config], terms);
    },
  };
}
