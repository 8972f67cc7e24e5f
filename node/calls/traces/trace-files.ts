/** Writes traces to new files on the node's machine, readable by their owner only. */

import { randomBytes } from "node:crypto";
import { closeSync, openSync, rmSync, writeSync } from "node:fs";
import { join } from "node:path";
import type { Hash } from "../../bytes/brands.ts";
import { equalBytes } from "../../bytes/compare.ts";
import { bareHex, toHex } from "../../bytes/hex.ts";
import { createJsonLogger } from "../../evm/tracers/json-logger.ts";
import { failure } from "../../jsonrpc/errors.ts";
import { blockHash } from "../../model/header.ts";
import type { FileTraceConfig } from "../arguments/trace-config.ts";
import type { ChainReading } from "../chain-reading.ts";
import { limitTracer } from "./trace-limits.ts";
import { observeBlock, type TracedBlock } from "./trace-transaction.ts";

/** Limits of the files of one call. */
export interface TraceFileLimits {
  readonly folder: string;
  readonly maxBytes: number;
  /** Deadline on the clock of `performance.now()`. */
  readonly endsAt: number;
}

/**
 * Writes a file for each transaction or for the requested one. Returns the file names, and deletes the files
 * when it throws.
 */
export function traceToFiles(
  reading: ChainReading,
  block: TracedBlock,
  config: FileTraceConfig,
  { folder, maxBytes, endsAt }: TraceFileLimits,
): readonly string[] {
  const { header, transactions } = block;
  const only = requestedIndex(block, config.txHash);
  if (header.number === 0) throw failure("genesis is not traceable");
  const count = only === undefined ? transactions.length : only + 1;
  const names: string[] = [];
  const limits = { budget: { maxBytes, used: 0 }, endsAt, timeoutMessage: "execution timeout" };
  try {
    observeBlock(reading, block, { reexec: config.reexec, count }, ({ index, run }) => {
      if (only !== undefined && index !== only) {
        run();
        return;
      }
      using file = newFile(join(folder, nameOf(block, index)));
      names.push(file.name);
      const tracer = createJsonLogger(config, (line) => {
        limits.budget.used += line.length;
        file.write(line);
      });
      run(limitTracer(tracer, { ...limits, stepBytes: () => 0 }));
    });
    return names;
  } catch (error) {
    for (const name of names) rmSync(name, { force: true });
    throw error;
  }
}

/**
 * Returns the index of the requested transaction; undefined for all. Throws `RpcError` for an unknown hash.
 */
function requestedIndex({ transactions }: TracedBlock, wanted: Hash | undefined): number | undefined {
  if (wanted === undefined || wanted.every((byte) => byte === 0)) return undefined;
  const index = transactions.findIndex(({ hash }) => equalBytes(hash, wanted));
  if (index < 0) throw failure(`transaction ${toHex(wanted)} not found in block`);
  return index;
}

/**
 * Returns a file name in the Go node's format: prefixes of the block and transaction hashes, the index and a
 * random suffix.
 */
function nameOf({ header, transactions }: TracedBlock, index: number): string {
  const random = bareHex(randomBytes(8));
  return `block_${hashPrefix(blockHash(header))}-${index}-${hashPrefix(transactions[index]?.hash)}-${random}`;
}

function hashPrefix(hash: Hash = NO_HASH): string {
  return toHex(hash.subarray(0, 4));
}

const NO_HASH = new Uint8Array(32);
const BUFFERED = 1 << 16;

interface NewFile extends Disposable {
  readonly name: string;
  write(text: string): void;
}

function newFile(name: string): NewFile {
  const descriptor = openSync(name, "wx", 0o600);
  let held: string[] = [];
  let bytes = 0;
  const flush = (): void => {
    writeSync(descriptor, held.join(""));
    held = [];
    bytes = 0;
  };
  return {
    name,
    write: (text) => {
      held.push(text);
      bytes += text.length;
      if (bytes >= BUFFERED) flush();
    },
    [Symbol.dispose]: () => {
      try {
        flush();
      } finally {
        closeSync(descriptor);
      }
    },
  };
}
