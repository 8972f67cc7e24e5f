/** Balances, nonces and code of accounts after a block. */

import { toHex } from "../bytes/hex.ts";
import { toQuantity } from "../bytes/integer.ts";
import { blockReference } from "../calls/arguments/block-number.ts";
import { stateOf } from "../calls/lookup.ts";
import type { Chain } from "../chain/chain.ts";
import { jsonInteger } from "../config/exact-json.ts";
import { address, data, nullable, quantity } from "../jsonrpc/codecs/hex.ts";
import { plain } from "../jsonrpc/codecs/plain.ts";
import { type Method, method } from "../jsonrpc/method.ts";
import { namedSchema, plainSchemas, recordSchema, schemaRefs } from "../jsonrpc/schemas.ts";
import type { Account } from "../model/account.ts";
import { accountKeyJson } from "../model/account-key-json.ts";
import { accountKeySchema } from "../presenters/governance-schemas.ts";
import type { TxPool } from "../txpool/pool.ts";

/** Dependencies of the methods about account state. */
export interface ChainStateDeps {
  readonly chain: Chain;
  readonly pool: Pick<TxPool, "nonce">;
}

/** Externally owned accounts have no storage and code on the Klaytn line. The code hash is base64. */
const accountSchema = namedSchema("account", () => {
  const { text, integer, boolean } = plainSchemas;
  const account = recordSchema({
    nonce: integer,
    balance: schemaRefs.quantity,
    humanReadable: boolean,
    key: accountKeySchema,
    "storageRoot?": schemaRefs.hash,
    "codeHash?": text,
    "codeFormat?": integer,
    "vmVersion?": integer,
  });
  return recordSchema({ accType: integer, account });
});

/** The methods of `chain` and `eth` about account state. */
export function chainStateMethods({ chain, pool }: ChainStateDeps): Method[] {
  const params = { address, block: blockReference };
  return [
    method({
      name: "chain_getBalance",
      aliases: ["eth_getBalance"],
      summary: "Returns the balance of an account after a block, in peb; 0 for an unknown account.",
      params,
      result: quantity,
      handle: (args) => stateOf(chain, args.block).account(args.address)?.balance ?? 0n,
    }),
    method({
      name: "chain_getTransactionCount",
      aliases: ["eth_getTransactionCount"],
      summary:
        "Returns the nonce of an account after a block; with `pending` the next nonce after the pool's transactions.",
      params,
      result: quantity,
      handle: (args) =>
        args.block?.number === "pending"
          ? pool.nonce(args.address)
          : (stateOf(chain, args.block).account(args.address)?.nonce ?? 0n),
    }),
    method({
      name: "chain_getCode",
      aliases: ["eth_getCode"],
      summary: "Returns the code of an account after a block; empty without code.",
      params,
      result: data,
      handle: (args) => stateOf(chain, args.block).code(args.address),
    }),
    method({
      name: "chain_getAccount",
      summary:
        "Returns an account after a block with its key and, for contracts, its storage root and code hash.",
      params,
      result: nullable(plain<object>("account", accountSchema)),
      handle: (args) => {
        const account = stateOf(chain, args.block).account(args.address);
        return account && accountJson(account);
      },
    }),
  ];
}

const TYPES = { eoa: 1, contract: 2 } as const;

/**
 * Formats an account. Externally owned accounts have the empty storage root and code hash.
 */
export function accountJson(account: Account): { readonly accType: number; readonly account: object } {
  const { kind, nonce, balance, humanReadable, key, storageRoot, codeHash, codeInfo } = account;
  return {
    accType: TYPES[kind],
    account: {
      nonce: jsonInteger(nonce),
      balance: toQuantity(balance),
      humanReadable,
      key: accountKeyJson(key),
      storageRoot: toHex(storageRoot),
      codeHash: Buffer.from(codeHash).toString("base64"),
      codeFormat: codeInfo & 0xf,
      vmVersion: codeInfo >> 4,
    },
  };
}
