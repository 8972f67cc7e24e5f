/**
 * The composition root of a reader thread: the chain's database on a handle of its own, and the methods that
 * scan. A thread has nothing of the node but this. A new file of such methods is added here too.
 */
import { parentPort, workerData } from "node:worker_threads";
import type { Address } from "../bytes/brands.ts";
import { storeReading } from "../calls/chain-reading.ts";
import { storeLogSource } from "../calls/log-source.ts";
import { methodOptions } from "../compat/development.ts";
import type { Method } from "../jsonrpc/method.ts";
import { serveReader } from "../jsonrpc/reader-thread.ts";
import { callMethods } from "../rpc/calls.ts";
import { contractParameterMethods } from "../rpc/contract-parameters.ts";
import { debugStateMethods } from "../rpc/debug-state.ts";
import { flatTraceMethods } from "../rpc/flat-traces.ts";
import { logMethods } from "../rpc/logs.ts";
import { otterscanTraceMethods } from "../rpc/otterscan-traces.ts";
import { proofMethods } from "../rpc/proofs.ts";
import { simulationMethods } from "../rpc/simulation.ts";
import { traceFileMethods } from "../rpc/trace-files.ts";
import { traceMethods } from "../rpc/traces.ts";
import { lowerReaderPriority } from "../runtime/thread-priority.ts";
import { openTrieReader } from "../state/trie/generations.ts";
import { openChainReader } from "../store/chain-store.ts";
import type { StoreReader } from "../store/store.ts";
import { callOptions, logLimits } from "./call-options.ts";
import type { JsonRpcOptions } from "./options.ts";

/** Data that a reader thread starts with. */
export interface ReaderData {
  /** Directory of the chain database. */
  readonly directory: string;
  /** Directory of the generations of the trie database. */
  readonly tries: string;
  /** The node's options of JSON-RPC, whole, so that a new one needs no line here. */
  readonly rpc: JsonRpcOptions;
  /** Signers that a development chain has set for signatures when the thread starts. */
  readonly signers: ReadonlyMap<string, Address>;
  readonly isDevelopment: boolean;
}

/** Returns the methods of a reader thread: those of node/rpc with `runs: "reader"`. */
export function readerMethods(
  store: StoreReader,
  { tries, rpc, signers, isDevelopment }: Omit<ReaderData, "directory">,
): Method[] {
  const { limits, timeoutMs } = callOptions(rpc);
  const maxBytes = rpc.maxAnswerBytes;
  const open = storeReading(store, signers);
  const formOptions = methodOptions(rpc.profile, isDevelopment);
  const methods = [
    ...logMethods({ open: () => storeLogSource(store), limits: logLimits(rpc) }),
    ...callMethods({ open, limits, timeoutMs }),
    ...contractParameterMethods({ open, timeoutMs }),
    ...proofMethods({ open, openTrie: (generation) => openTrieReader(tries, generation), ...formOptions }),
    ...simulationMethods({ open, limits, timeoutMs, ...formOptions }),
    ...debugStateMethods({ open, maxBytes, ...formOptions }),
    ...traceMethods({ open, limits, maxBytes, ...formOptions }),
    ...traceFileMethods({ open, limits, maxBytes, ...formOptions }),
    ...flatTraceMethods({ open, maxBytes }),
    ...otterscanTraceMethods({ open, maxBytes }),
  ];
  return methods.map(formOptions.interfaces.adaptMethod);
}

if (parentPort !== null) {
  lowerReaderPriority();
  const data = workerData as ReaderData; // as readers.ts passes it
  const store = await openChainReader(data.directory);
  serveReader(parentPort, readerMethods(store, data), {
    onBug: (error) => {
      throw error instanceof Error ? error : new Error(String(error)); // the pool starts another thread
    },
    onEnd: () => void store[Symbol.asyncDispose](),
  });
}
