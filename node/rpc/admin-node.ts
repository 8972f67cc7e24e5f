/** `admin`: the node's configuration and the status of its staking information. */

import { count, nothing, plain, text } from "../jsonrpc/codecs/plain.ts";
import { failure } from "../jsonrpc/errors.ts";
import { type Method, method } from "../jsonrpc/method.ts";
import { arraySchema, mapSchema, plainSchemas, recordSchema, schemaRefs } from "../jsonrpc/schemas.ts";

/** Dependencies of the methods about the node's configuration. */
export interface AdminNodeDeps {
  /** The node's configuration in the structure of the Go node's `cn.Config`. */
  readonly nodeConfig: object;
  /** A refused sync of staking information counts as running until the node ends (`datasync/downloader/downloader.go@v2.2.2`). */
  readonly keepsRefusedSync: boolean;
}

const { boolean, integer } = plainSchemas;
const syncSchema = recordSchema({
  syncing: boolean,
  pending: arraySchema(integer),
  total: integer,
  completed: integer,
});

/** The methods of `admin` about the node's configuration. */
export function adminNodeMethods({ nodeConfig, keepsRefusedSync }: AdminNodeDeps): Method[] {
  let syncing = false;
  return [
    method({
      name: "admin_nodeConfig",
      summary: "Returns the node's configuration in the structure of the Go node's.",
      params: {},
      result: plain<object>("settings", mapSchema("setting by name", schemaRefs.anyValue)),
      handle: () => nodeConfig,
    }),
    method({
      name: "admin_syncStakingInfo",
      summary: "Always fails: staking information is derived from the chain's state and is never missing.",
      params: { peer: text, from: count, to: count },
      result: nothing,
      handle: ({ from, to }) => {
        if (syncing) throw failure("already syncing");
        syncing = keepsRefusedSync;
        throw failure(
          `staking info recovery is only available before Kaia fork block (from: ${from}, to: ${to})`,
        );
      },
    }),
    method({
      name: "admin_syncStakingInfoStatus",
      summary: "Returns the status of the staking information sync, which never transfers anything.",
      params: {},
      result: plain<object>("status", syncSchema),
      handle: () => ({ syncing, pending: [], total: 0, completed: 0 }),
    }),
  ];
}
