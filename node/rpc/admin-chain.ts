/** `admin`: exports the chain to files and imports it from files while the node runs. */

import { tryBareHex } from "../bytes/hex.ts";
import { type BlockNumber, blockNumber, resolveNumber } from "../calls/arguments/block-number.ts";
import { fileErrorMessage } from "../calls/file-errors.ts";
import type { Chain } from "../chain/chain.ts";
import { ChainError } from "../chain/error.ts";
import { BATCH_BLOCKS, type ImportOutcome } from "../chain/importer.ts";
import { optional } from "../jsonrpc/codec.ts";
import { boolean, text } from "../jsonrpc/codecs/plain.ts";
import { failure } from "../jsonrpc/errors.ts";
import { type Method, method } from "../jsonrpc/method.ts";
import type { Log } from "../observe/log.ts";

/** Import and export of blocks by a running node. Closing the node ends them after a whole block. */
export interface ChainFiles {
  /** Writes blocks to a new file and returns their number. Throws `ChainError` `bad-file`. */
  exportTo(file: string, first: number | undefined, last: number | undefined): Promise<number>;
  /** Imports the blocks of a file. No other blocks are inserted meanwhile. */
  importFrom(file: string): Promise<ImportOutcome>;
  /** Imports concatenated blocks. */
  importBytes(bytes: Uint8Array): Promise<ImportOutcome>;
}

/** Dependencies of the methods about chain files. */
export interface AdminChainDeps {
  readonly chain: Pick<Chain, "head">;
  readonly files: ChainFiles;
  /**
   * `strict` refuses a text that is not hex, and any text when the node has a block besides 0. `lenient`
   * reads malformed hex as empty, as the Go node does.
   */
  readonly importedText: "strict" | "lenient";
  readonly log: Log;
}

/** Maximum length of `admin_importChainFromString` in characters. */
const MAX_CHARACTERS = 32 * 1024 * 1024;

/** The methods of `admin` about chain files. */
export function adminChainMethods(deps: AdminChainDeps): Method[] {
  return [exportMethod(deps), importMethod(deps), importTextMethod(deps)];
}

function exportMethod(deps: AdminChainDeps): Method {
  return method({
    name: "admin_exportChain",
    summary: "Exports blocks to a new file on the node's machine, compressed when its name ends in `.gz`.",
    privilege: "files",
    params: { file: text, first: optional(blockNumber), last: optional(blockNumber) },
    result: boolean,
    handle: ({ file, first, last }) =>
      withOutcome(deps, file, async () => {
        if (first === undefined && last !== undefined) {
          throw new ChainError("bad-file", "last cannot be specified without first");
        }
        const [from, to] = [first, last].map((each) => numberOf(each, deps));
        const blocks = await deps.files.exportTo(file, from, to);
        deps.log.info({ file, blocks }, "exported blocks");
      }),
  });
}

function numberOf(given: BlockNumber | undefined, { chain }: AdminChainDeps): number | undefined {
  return given === undefined ? undefined : resolveNumber(chain.head().header.number, given);
}

function importMethod(deps: AdminChainDeps): Method {
  return method({
    name: "admin_importChain",
    summary: "Imports blocks from a file on the node's machine. Skips the blocks that the node has.",
    privilege: "files",
    params: { file: text },
    result: boolean,
    handle: ({ file }) =>
      withOutcome(deps, file, async () => reportImport(deps, await deps.files.importFrom(file))),
  });
}

function importTextMethod(deps: AdminChainDeps): Method {
  return method({
    name: "admin_importChainFromString",
    summary: "Imports concatenated blocks from hex. By default only while the chain has no block but 0.",
    privilege: "files",
    params: { rlp: text },
    result: boolean,
    handle: ({ rlp }) =>
      withOutcome(deps, undefined, async () => {
        const bytes = blockBytes(rlp, deps);
        reportImport(deps, await deps.files.importBytes(bytes));
      }),
  });
}

/** Decodes the hex text of blocks. */
function blockBytes(rlp: string, { chain, importedText }: AdminChainDeps): Uint8Array {
  if (rlp.length > MAX_CHARACTERS) {
    throw new ChainError("bad-file", `${rlp.length} characters are too many: at most ${MAX_CHARACTERS}`);
  }
  const digits = rlp.replace(/^0x/i, "");
  if (importedText === "lenient") return Buffer.from(digits.length % 2 === 0 ? digits : `0${digits}`, "hex");
  const bytes = tryBareHex(digits);
  if (bytes === undefined) throw new ChainError("bad-file", "not hex");
  if (chain.head().header.number > 0) {
    throw new ChainError("bad-file", "the node has a chain already");
  }
  return bytes;
}

/** Throws the Go node's error for an import that ended early, with the number of imported blocks. */
function reportImport({ log }: AdminChainDeps, outcome: ImportOutcome): void {
  const { failure: reason, blocks, imported, transactions, number, interrupted } = outcome;
  if (imported > 0) log.info({ blocks: imported, txs: transactions, number }, "imported blocks");
  if (interrupted) throw new ChainError("failed", "the node is shutting down");
  if (reason === undefined) return;
  const came =
    blocks === 0 ? "" : `; ${imported} blocks before it were imported; the newest block is #${number}`;
  const code = reason instanceof ChainError ? reason.code : "failed";
  const batch = code !== "bad-file" ? `batch ${Math.floor(blocks / BATCH_BLOCKS)}: failed to insert: ` : "";
  throw new ChainError(code, `${batch}${reason.message}${came}`, { cause: reason });
}

/**
 * Returns true on success. On failure it logs the reason and throws the Go node's message.
 */
async function withOutcome(
  { log }: AdminChainDeps,
  file: string | undefined,
  work: () => Promise<void>,
): Promise<boolean> {
  try {
    await work();
    return true;
  } catch (error) {
    if (!(error instanceof ChainError)) throw error;
    log.warn(
      { ...(file === undefined ? {} : { file }), reason: error.message },
      "chain file import or export failed",
    );
    throw failure(goMessage(error, file) ?? error.message.replace(POSITION, ""), "not-done");
  }
}

/** Position of an undecodable block in a message. It is logged, but the Go node's message has no position. */
const POSITION = / \(at byte \d+, \d+ bytes long\)/;

/** Returns the Go node's message for a file that cannot be opened; undefined for other errors. */
function goMessage({ cause }: ChainError, file = ""): string | undefined {
  return cause instanceof ChainError ? goMessage(cause, file) : fileErrorMessage(cause, file);
}
