/** A world of plain maps: what the world over the state must do, said as simply as it can be. */
import { fromBareHex, toHex } from "../../../node/bytes/hex.ts";
import { integerBytes } from "../../../node/bytes/integer.ts";
import { encodeRlp } from "../../../node/bytes/rlp.ts";
import { wordBytes } from "../../../node/bytes/word.ts";
import { EMPTY_HASH, keccak256 } from "../../../node/crypto/keccak.ts";
import { type Account, emptyAccount, encodeAccount } from "../../../node/model/account.ts";
import { oracleTrieRoot } from "./fixture.ts";

/** An account of the model. */
export interface ModelAccount {
  nonce: bigint;
  balance: bigint;
  code: Uint8Array;
  isContract: boolean;
  slots: Map<bigint, bigint>;
}

/** All accounts by address in hex, with what the transaction has touched and destroyed. */
export interface ModelWorld {
  accounts: Map<string, ModelAccount>;
  touched: Set<string>;
  destroyed: Set<string>;
}

/** No accounts. */
export function emptyModel(): ModelWorld {
  return { accounts: new Map(), touched: new Set(), destroyed: new Set() };
}

/** A copy to come back to. */
export function copyOf(model: ModelWorld): ModelWorld {
  return structuredClone(model);
}

/** The account of an address, made where there is none, to be changed. */
export function touchAccount(model: ModelWorld, address: Uint8Array): ModelAccount {
  const name = toHex(address);
  model.touched.add(name);
  const account = model.accounts.get(name) ?? {
    nonce: 0n,
    balance: 0n,
    code: new Uint8Array(0),
    isContract: false,
    slots: new Map<bigint, bigint>(),
  };
  model.accounts.set(name, account);
  return account;
}

/** Ends a transaction. */
export function endTransaction(model: ModelWorld): void {
  for (const name of model.touched) {
    const account = model.accounts.get(name);
    const isEmpty = account?.nonce === 0n && account.balance === 0n && account.code.length === 0;
    if (isEmpty || model.destroyed.has(name)) model.accounts.delete(name);
  }
  model.touched.clear();
  model.destroyed.clear();
}

/** The state root by an independent trie. */
export async function modelRoot({ accounts }: ModelWorld): Promise<string> {
  const rows: (readonly [Uint8Array, Uint8Array])[] = [];
  for (const [name, model] of accounts) {
    rows.push([keccak256(fromBareHex(name.slice(2))), encodeAccount(await accountOf(model))]);
  }
  return oracleTrieRoot(rows);
}

async function accountOf({ nonce, balance, code, isContract, slots }: ModelAccount): Promise<Account> {
  const leaves = [...slots]
    .filter(([, value]) => value !== 0n)
    .map(([key, value]) => [keccak256(wordBytes(key)), encodeRlp(integerBytes(value))] as const);
  return {
    ...emptyAccount(),
    kind: isContract ? "contract" : "eoa",
    nonce,
    balance,
    codeHash: code.length === 0 ? EMPTY_HASH : keccak256(code),
    storageRoot: fromBareHex((await oracleTrieRoot(leaves)).slice(2)),
  };
}
