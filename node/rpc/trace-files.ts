/** `debug_trace*` with files of the node's machine: blocks read from them, traces written to them. In reader threads. */
import { readFileSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { fromBareHex, toHex } from "../bytes/hex.ts";
import { type FileTraceConfig, fileTraceConfig, traceConfig } from "../calls/arguments/trace-config.ts";
import type { StoreReading } from "../calls/chain-reading.ts";
import { fileErrorMessage } from "../calls/file-errors.ts";
import { traceToFiles } from "../calls/traces/trace-files.ts";
import {
  type BlockTrace,
  createTracingOptions,
  type TracedBlock,
  traceBlock,
} from "../calls/traces/trace-transaction.ts";
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
import { arraySchema, objectSchema } from "../jsonrpc/schemas.ts";
import { TRACE_EXPIRY, type TraceParts } from "./traces.ts";

/** Of a block's hex: more than any block has. */
const MOST_FILE_CHARACTERS = 64 * 1024 * 1024;
/** Of all files that one call writes. */
const MOST_WRITTEN = 2 ** 30;
/** Time to take the files away again before the thread is. */
const MARGIN_MS = 5_000;

const reader = { runs: "reader", expires: TRACE_EXPIRY, privilege: "files" } as const;
const config = optional(fileTraceConfig, {});

/** What these methods read, and where they write. */
export interface TraceFileParts extends TraceParts {
  /** The folder for new files; the system's place for temporary ones when absent. */
  readonly folder?: string;
}

/** The methods; the same rows are registered in the node and served in its reader threads. */
export function traceFileMethods(parts: TraceFileParts): Method[] {
  const result = plain<readonly string[]>("file names", arraySchema(text.schema));
  const written = (
    find: (reading: StoreReading) => TracedBlock,
    given: FileTraceConfig,
  ): readonly string[] => {
    using reading = parts.open();
    const { folder = tmpdir() } = parts;
    const endsAt = performance.now() + TRACE_EXPIRY.afterMs - MARGIN_MS;
    return inGoWords("", "a temporary file", () =>
      traceToFiles(reading, find(reading), given, { maxBytes: MOST_WRITTEN, endsAt, folder }),
    );
  };
  return [
    method({
      name: "debug_traceBlockFromFile",
      summary:
        "The traces of all transactions of a block whose hex a file holds, on its parent in the chain.",
      params: { file: text, config: optional(traceConfig, {}) },
      result: plain<readonly BlockTrace[]>(
        "{txHash, result | error}[]",
        arraySchema(objectSchema("{txHash, result | error}")),
      ),
      ...reader,
      handle: async ({ file, config: given }, context) => {
        const terms = await createTracingOptions(parts, given, context);
        using reading = parts.open();
        const block = requireParent(reading, decodeCallerBlock(blockBytes(file)));
        return traceBlock(reading, block, terms);
      },
    }),
    method({
      name: "debug_standardTraceBlockToFile",
      summary:
        "Traces a block's transactions, or one of them, into new temporary files: a line of JSON an opcode.",
      params: { hash, config },
      result,
      ...reader,
      handle: (args) => written((reading) => blockNamed(reading, args.hash), args.config),
    }),
    method({
      name: "debug_standardTraceBadBlockToFile",
      summary: "The same for a block that was refused.",
      params: { hash, config },
      result,
      ...reader,
      handle: (args) => written((reading) => findBadBlock(reading, args.hash), args.config),
    }),
  ];
}

function blockNamed(reading: StoreReading, wanted: Uint8Array): TracedBlock {
  const number = reading.numberOf(wanted);
  if (number === undefined) throw failure(`block ${toHex(wanted)} not found`);
  return tracedBlock(reading, number);
}

/** The bytes of a file's hex; none for what is no hex, as in Go. */
function blockBytes(file: string): Uint8Array {
  const hex = inGoWords("could not read file: ", file, () => {
    const about = statSync(file);
    if (!about.isFile() || about.size > MOST_FILE_CHARACTERS) {
      throw failure("could not read file: no block is as large, or it is no file");
    }
    return readFileSync(file, "latin1").trim().replace(/^0x/i, "");
  });
  return hex.length % 2 === 0 && /^[0-9a-f]*$/i.test(hex) ? fromBareHex(hex) : new Uint8Array(0);
}

/** Troubles with files in the Go node's words, behind others. */
function inGoWords<T>(words: string, file: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    const trouble = fileErrorMessage(error, file);
    throw trouble === undefined ? error : failure(words + trouble);
  }
}
