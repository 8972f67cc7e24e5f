/** `admin`: the chain written to files and taken from them, while the node runs. */

import { type BlockNumber, blockNumber, numberAt } from "../calls/arguments/block-number.ts";
import { fileErrorMessage } from "../calls/file-errors.ts";
import type { Chain } from "../chain/chain.ts";
import { ChainError } from "../chain/error.ts";
import { BATCH_BLOCKS, type ImportOutcome } from "../chain/importer.ts";
import type { RpcProfile } from "../compat/profiles.ts";
import { optional } from "../jsonrpc/codec.ts";
import { boolean, text } from "../jsonrpc/codecs/plain.ts";
import { failure } from "../jsonrpc/errors.ts";
import { type Method, method } from "../jsonrpc/method.ts";
import type { Log } from "../observe/log.ts";

/** Chain files of a running node. What is under way when the node closes ends behind a block. */
export interface ChainFiles {
  /** Writes blocks to a new file. Throws `ChainError` `bad-file`. */
  exportTo(file: string, first: number | undefined, last: number | undefined): Promise<number>;
  /** Imports a file's blocks; nobody else adds blocks meanwhile. */
  importFrom(file: string): Promise<ImportOutcome>;
  /** The same with blocks that stand one after the other. */
  importBytes(bytes: Uint8Array): Promise<ImportOutcome>;
}

/** What these methods work on. */
export interface AdminChainParts {
  readonly chain: Pick<Chain, "head">;
  readonly files: ChainFiles;
  readonly profile: RpcProfile;
  readonly log: Log;
}

/** Hex digits of the longest `admin_importChainFromString`. */
const LONGEST_TEXT = 32 * 1024 * 1024;
const HEX = /^(?:0x)?((?:[0-9a-fA-F]{2})*)$/;

/** The methods of `admin` about chain files. */
export function adminChainMethods(parts: AdminChainParts): Method[] {
  return [exportMethod(parts), importMethod(parts), importTextMethod(parts)];
}

function exportMethod(parts: AdminChainParts): Method {
  return method({
    name: "admin_exportChain",
    summary: "Writes blocks to a new file on the node's machine, packed when its name ends in `.gz`.",
    privilege: "files",
    params: { file: text, first: optional(blockNumber), last: optional(blockNumber) },
    result: boolean,
    handle: ({ file, first, last }) =>
      told(parts, file, async () => {
        if (first === undefined && last !== undefined) {
          throw new ChainError("bad-file", "last cannot be specified without first");
        }
        const [from, to] = [first, last].map((each) => numberOf(each, parts));
        const blocks = await parts.files.exportTo(file, from, to);
        parts.log.info({ file, blocks }, "exported blocks");
      }),
  });
}

function numberOf(given: BlockNumber | undefined, { chain }: AdminChainParts): number | undefined {
  return given === undefined ? undefined : numberAt(chain.head().header.number, given);
}

function importMethod(parts: AdminChainParts): Method {
  return method({
    name: "admin_importChain",
    summary: "Takes blocks from a file on the node's machine; those it has already are skipped.",
    privilege: "files",
    params: { file: text },
    result: boolean,
    handle: ({ file }) => told(parts, file, async () => settle(parts, await parts.files.importFrom(file))),
  });
}

function importTextMethod(parts: AdminChainParts): Method {
  return method({
    name: "admin_importChainFromString",
    summary:
      "Takes blocks given as hex, one after the other. In the `service` profile only while the chain is new.",
    privilege: "files",
    params: { rlp: text },
    result: boolean,
    handle: ({ rlp }) =>
      told(parts, undefined, async () => {
        const bytes = blockBytes(rlp, parts);
        settle(parts, await parts.files.importBytes(bytes));
      }),
  });
}

/** The Go node takes text that is no hex for nothing. */
function blockBytes(rlp: string, { chain, profile }: AdminChainParts): Uint8Array {
  if (rlp.length > LONGEST_TEXT) {
    throw new ChainError("bad-file", `${rlp.length} characters are too many: at most ${LONGEST_TEXT}`);
  }
  const digits = HEX.exec(rlp)?.[1];
  if (profile.failureIsFalse && digits === undefined) throw new ChainError("bad-file", "not hex");
  if (profile.failureIsFalse && chain.head().header.number > 0) {
    throw new ChainError("bad-file", "the node has a chain already");
  }
  return Buffer.from(digits ?? "", "hex");
}

/** Throws what stopped an import in the Go node's words, with how far it came. */
function settle({ log }: AdminChainParts, outcome: ImportOutcome): void {
  const { failure: reason, blocks, imported, transactions, number, interrupted } = outcome;
  if (imported > 0) log.info({ blocks: imported, txs: transactions, number }, "imported blocks");
  if (interrupted) throw new ChainError("failed", "the node is shutting down");
  if (reason === undefined) return;
  const came = blocks === 0 ? "" : `; ${imported} blocks before it were imported, up to #${number} are there`;
  const code = reason instanceof ChainError ? reason.code : "failed";
  const batch = code !== "bad-file" ? `batch ${Math.floor(blocks / BATCH_BLOCKS)}: failed to insert: ` : "";
  throw new ChainError(code, `${batch}${reason.message}${came}`, { cause: reason });
}

/** True when it worked; else false with the reason in the log, or the reason as the answer, by the profile. */
async function told(
  { profile, log }: AdminChainParts,
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
      "chain file not written or not taken",
    );
    if (profile.failureIsFalse) return false;
    throw failure(goWords(error, file) ?? error.message.replace(PLACE, ""));
  }
}

/** Where a block that cannot be read stands: the log has it, the Go node does not say it. */
const PLACE = / \(at byte \d+, \d+ bytes long\)/;

/** What the Go node says of a file that cannot be opened; undefined for other troubles. */
function goWords({ cause }: ChainError, file = ""): string | undefined {
  return cause instanceof ChainError ? goWords(cause, file) : fileErrorMessage(cause, file);
}
