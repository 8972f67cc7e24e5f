/** Methods as a line answers that does not know the tags `safe` and `finalized` yet. */
import { RpcError, rpcCode } from "../jsonrpc/errors.ts";
import type { Method } from "../jsonrpc/method.ts";

const NEW_TAGS: ReadonlySet<unknown> = new Set(["safe", "finalized"]);
const BLOCKS: ReadonlySet<string> = new Set(["block", "block?", "block number", "block number?"]);

/** The method, which refuses the new tags where it takes a block. */
export function withoutNewTags(row: Method): Method {
  const places = row.params.flatMap(({ label }, index) => (BLOCKS.has(label) ? [index] : []));
  if (places.length === 0) return row;
  return {
    ...row,
    invoke(params, context) {
      const given: readonly unknown[] = Array.isArray(params) ? params : [];
      const refused = places.find((index) => NEW_TAGS.has(given[index]));
      if (refused === undefined) return row.invoke(params, context);
      throw new RpcError(rpcCode.invalidParams, `invalid argument ${refused}: hex string without 0x prefix`);
    },
  };
}
