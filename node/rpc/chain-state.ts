/** Accounts as they are after a block: balances, nonces, code. */

import { blockReference } from "../calls/arguments/block-number.ts";
import { stateOf } from "../calls/lookup.ts";
import type { Chain } from "../chain/chain.ts";
import type { RpcProfile } from "../compat/profiles.ts";
import { address, data, nullable, quantity } from "../jsonrpc/codecs/hex.ts";
import { plain } from "../jsonrpc/codecs/plain.ts";
import { type Method, method } from "../jsonrpc/method.ts";
import { accountJson } from "../presenters/account.ts";
import type { TxPool } from "../txpool/pool.ts";

/** What these methods read. */
export interface ChainStateParts {
  readonly chain: Chain;
  readonly pool: Pick<TxPool, "nonce">;
  readonly profile: RpcProfile;
}

/** `chain_` and `eth_` look-ups of accounts. */
export function chainStateMethods({ chain, pool, profile }: ChainStateParts): Method[] {
  const params = { address, block: blockReference };
  return [
    method({
      name: "chain_getBalance",
      aliases: ["eth_getBalance"],
      summary: "The balance of an account after a block, in peb; 0 for an account that does not exist.",
      params,
      result: quantity,
      handle: (args) => stateOf(chain, args.block).account(args.address)?.balance ?? 0n,
    }),
    method({
      name: "chain_getTransactionCount",
      aliases: ["eth_getTransactionCount"],
      summary:
        "The nonce of an account after a block; for `pending` the next one, the pool's transactions counted.",
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
      summary: "The code of an account after a block; no bytes when it has none.",
      params,
      result: data,
      handle: (args) => stateOf(chain, args.block).code(args.address),
    }),
    method({
      name: "chain_getAccount",
      summary: "An account after a block with its key and, for contracts, its storage root and code hash.",
      params,
      result: nullable(plain<object>("account")),
      handle: (args) => {
        const account = stateOf(chain, args.block).account(args.address);
        return account === undefined ? undefined : accountJson(account, profile.storageInEoa);
      },
    }),
  ];
}
