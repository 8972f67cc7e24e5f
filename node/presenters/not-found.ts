/** What the Go node says of blocks and headers that are not there. */
import { toHex } from "../bytes/hex.ts";
import type { RpcProfile } from "../compat/profiles.ts";
import { failure, type RpcError } from "../jsonrpc/errors.ts";

/** No block has this number, tag or hash. */
export function noBlock(wanted: number | string | Uint8Array): RpcError {
  const named = wanted instanceof Uint8Array ? `block hash: ${toHex(wanted)}` : `block number: ${wanted}`;
  return failure(`the block does not exist (${named})`);
}

/** No header has this hash. */
export function noHeader(hash: Uint8Array, { line }: Pick<RpcProfile, "line">): RpcError {
  return failure(
    `the header does not exist (hash: ${line.hashesAsBytes ? `[${hash.join(" ")}]` : toHex(hash)})`,
  );
}

/** The caller's object names neither. */
export function noReference(): RpcError {
  return failure("invalid arguments; neither block nor hash specified");
}
