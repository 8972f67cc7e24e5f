/**
 * Differences between profiles that the registry and every interface apply. One of them wraps methods: the
 * older line of the Go node does not know the block tags `safe` and `finalized`.
 */
import { RpcError, rpcCode } from "../jsonrpc/errors.ts";
import type { Method } from "../jsonrpc/method.ts";
import type { InterfaceProfile } from "../jsonrpc/modules.ts";
import { type Schema, schemaRefs } from "../jsonrpc/schemas.ts";
import type { RpcProfile } from "./profiles.ts";

/** Derives the differences from the row of a profile. */
export function interfaceProfile(profile: RpcProfile): InterfaceProfile {
  const { name, chainModule, subscriptionLimit, lacks, line } = profile;
  return {
    name,
    chainModule,
    subscriptionLimit,
    lacksMethod: (method) => line.lacks.has(method) || lacks.has(method),
    adaptMethod: line.knowsSafeTags ? (row) => row : withoutNewTags,
  };
}

const NEW_TAGS: ReadonlySet<unknown> = new Set(["safe", "finalized"]);
/** Schemas of the codecs that accept block tags. */
const BLOCK_SCHEMAS: ReadonlySet<Schema> = new Set([schemaRefs.block, schemaRefs.blockNumber]);

/** Wraps a method with a check that refuses the new tags in its block parameters. */
function withoutNewTags(row: Method): Method {
  const places = row.params.flatMap(({ schema }, index) => (BLOCK_SCHEMAS.has(schema) ? [index] : []));
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
