/** The Go node's errors for unknown blocks and headers. */
import type { Hash } from "../bytes/brands.ts";
import { toHex } from "../bytes/hex.ts";
import { failure, type RpcError } from "../jsonrpc/errors.ts";

/** The largest block number that parameters give: the largest below 2^63 that a `number` holds. */
export const MAX_BLOCK_NUMBER = 2 ** 63 - 1024;

/** The least number that is negative in the Go node, whose block numbers are signed. */
const NEGATIVE_FROM = 2 ** 63;
/** The largest such number below 2^64 that a `number` holds. */
export const MAX_NEGATIVE_BLOCK_NUMBER = 2 ** 64 - 2048;

/** Returns a tag, or the digits of a block number, of which JavaScript rounds those above 2^53. */
export function blockText(number: number | string): string {
  if (typeof number === "string") return number;
  if (number >= NEGATIVE_FROM) return BigInt.asIntN(64, BigInt(number)).toString();
  return number >= MAX_BLOCK_NUMBER ? "9223372036854775807" : BigInt(number).toString();
}

/** Returns the digits of a block number where the Go node has an unsigned one. */
export function unsignedBlockText(number: number): string {
  return number >= NEGATIVE_FROM ? BigInt(number).toString() : blockText(number);
}

/** Returns the error for a number, tag or hash without a block. */
export function noBlock(wanted: number | string | Uint8Array): RpcError {
  const named =
    wanted instanceof Uint8Array ? `block hash: ${toHex(wanted)}` : `block number: ${blockText(wanted)}`;
  return failure(`the block does not exist (${named})`);
}

/** Returns the error for a number without a header. */
export function noHeaderAt(number: number | string): RpcError {
  return failure(`the header does not exist (block number: ${blockText(number)})`);
}

/** Returns the error for a hash without a header. */
export function noHeader(hash: Hash): RpcError {
  return failure(`the header does not exist (hash: ${toHex(hash)})`, "no-header");
}

/** Returns the error for a block reference with neither a number nor a hash. */
export function noReference(): RpcError {
  return failure("invalid arguments; neither block nor hash specified");
}
