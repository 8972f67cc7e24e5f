/**
 * `debug_trace*` with files on the node's machine: blocks read from files, traces written to files. They run
 * in reader threads.
 */

import { readFileSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import type { Hash } from "../bytes/brands.ts";
import { bareHex, fromBareHex } from "../bytes/hex.ts";
import { type FileTraceConfig, fileTraceConfig, traceConfig } from "../calls/arguments/trace-config.ts";
import type { StoreReading } from "../calls/chain-reading.ts";
import { fileErrorMessage } from "../calls/file-errors.ts";
import { traceToFiles } from "../calls/traces/trace-files.ts";
import { createTracingOptions, type TracedBlock, traceBlock } from "../calls/traces/trace-transaction.ts";
import {
  decodeCallerBlock,
  findBadBlock,
  requireParent,
  tracedBlock,
} from "../calls/traces/traced-blocks.ts";
import { optional } from "../jsonrpc/codec.ts";
import { hash } from "../jsonrpc/codecs/hex.ts";
import { plain, text } from "../jsonrpc/codecs/plain.ts";
import { failure } from "../jsonrpc/errors.ts";
import { type Method, method } from "../jsonrpc/method.ts";
import { arraySchema } from "../jsonrpc/schemas.ts";
import { blockTraceList, TRACE_EXPIRY, type TraceMethodDeps } from "./traces.ts";

/** Maximum length of a block's hex, above that of any block. */
const MAX_FILE_CHARACTERS = 64 * 1024 * 1024;
/** Maximum size of all files of one call, in bytes. */
const MAX_WRITTEN_BYTES = 2 ** 30;
/** Time in milliseconds to delete the files before the reader thread's deadline. */
const MARGIN_MS = 5_000;

const reader = { runs: "reader", expires: TRACE_EXPIRY, privilege: "files" } as const;
const config = optional(fileTraceConfig, {});

/** Dependencies of the methods about files. */
export interface TraceFileDeps extends TraceMethodDeps {
  /** Directory of new files; the system's temporary directory when absent. */
  readonly folder?: string;
}

/** The methods; the node registers them and its reader threads serve them. */
export function traceFileMethods(deps: TraceFileDeps): Method[] {
  const result = plain<readonly string[]>("file names", arraySchema(text.schema));
  const written = (
    find: (reading: StoreReading) => TracedBlock,
    given: FileTraceConfig,
  ): readonly string[] => {
    using reading = deps.open();
    const { folder = tmpdir() } = deps;
    const endsAt = performance.now() + TRACE_EXPIRY.afterMs - MARGIN_MS;
    return withGoMessages("", "a temporary file", () =>
      traceToFiles(reading, find(reading), given, { maxBytes: MAX_WRITTEN_BYTES, endsAt, folder }),
    );
  };
  return [
    method({
      name: "debug_traceBlockFromFile",
      summary: "Traces all transactions of a block whose hex is in a file. Its parent must be canonical.",
      params: { file: text, config: optional(traceConfig, {}) },
      result: blockTraceList,
      ...reader,
      handle: async ({ file, config: given }, context) => {
        const options = await createTracingOptions(deps, given, context);
        using reading = deps.open();
        const block = requireParent(reading, decodeCallerBlock(blockBytes(file)));
        return traceBlock(reading, block, options);
      },
    }),
    method({
      name: "debug_standardTraceBlockToFile",
      summary:
        "Traces the transactions of a block, or one of them, to new temporary files with a line of JSON per opcode.",
      params: { hash, config },
      result,
      ...reader,
      handle: (args) => written((reading) => requireBlock(reading, args.hash), args.config),
    }),
    method({
      name: "debug_standardTraceBadBlockToFile",
      summary:
        "Traces the transactions of a bad block, or one of them, to new temporary files with a line of JSON per opcode.",
      params: { hash, config },
      result,
      ...reader,
      handle: (args) => written((reading) => findBadBlock(reading, args.hash), args.config),
    }),
  ];
}

function requireBlock(reading: StoreReading, wanted: Hash): TracedBlock {
  const number = reading.numberOf(wanted);
  if (number === undefined) throw failure(`block ${bareHex(wanted)} not found`);
  return tracedBlock(reading, number);
}

/** Decodes the hex in a file. Malformed hex is empty, as in Go. */
function blockBytes(file: string): Uint8Array {
  const hex = withGoMessages("could not read file: ", file, () => {
    const about = statSync(file);
    if (!about.isFile() || about.size > MAX_FILE_CHARACTERS) {
      throw failure("could not read file: no block is as large, or it is no file");
    }
    return readFileSync(file, "latin1").trim().replace(/^0x/i, "");
  });
  return hex.length % 2 === 0 && /^[0-9a-f]*$/i.test(hex) ? fromBareHex(hex) : new Uint8Array(0);
}

/** Prefixes and translates file errors into the Go node's messages. */
function withGoMessages<T>(words: string, file: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    const trouble = fileErrorMessage(error, file);
    throw trouble === undefined ? error : failure(words + trouble);
  }
}
