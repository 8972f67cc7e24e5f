/** JSON of accounts of the state trie and of account keys. */
import { toHex } from "../bytes/hex.ts";
import { toQuantity } from "../bytes/integer.ts";
import { RlpCursor } from "../bytes/rlp-cursor.ts";
import { decodeAccount } from "../model/account.ts";
import { encodeAccountKey, KEY_TYPES } from "../model/account-key.ts";
import { multiSigIn, publicKeyIn } from "../model/account-key-body.ts";
import { decodeAccountKey } from "../model/account-key-decode.ts";
import { accountKeyJson } from "../model/account-key-json.ts";
import { offsetIn, partError, withOffset } from "./decode-error.ts";

const KEY_NAMES = new Map(Object.entries(KEY_TYPES).map(([name, type]) => [type as number, name]));

/** Decodes an account that fills `bytes`. Throws `DecodeError`. */
export function decodeAccountJson(bytes: Uint8Array): object {
  const account = withOffset("account", 0, () => decodeAccount(bytes));
  const { key } = account;
  const keyAt = offsetIn(bytes, key.body) - 1;
  const own = key.type === KEY_TYPES.legacy || key.type === KEY_TYPES.fail || key.type === KEY_TYPES.nil;
  if (!own) checkKey(encodeAccountKey(key), keyAt);
  return {
    kind: account.kind,
    nonce: toQuantity(account.nonce),
    balance: toQuantity(account.balance),
    humanReadable: account.humanReadable,
    key: accountKeyJson(key),
    storageRoot: toHex(account.storageRoot),
    codeHash: toHex(account.codeHash),
    codeFormat: account.codeInfo & 15,
    vmVersion: account.codeInfo >> 4,
  };
}

/** Decodes an account key that fills `bytes`. Throws `DecodeError`. */
export function decodeAccountKeyJson(bytes: Uint8Array): object {
  checkKey(bytes, 0);
  const key = withOffset("account key", 0, () => decodeAccountKey(bytes));
  return { name: KEY_NAMES.get(key.type), ...accountKeyJson(key) };
}

/** Checks a key part by part, so that an error has its offset in the input. */
function checkKey(bytes: Uint8Array, offset: number): void {
  const [type] = bytes;
  const body = bytes.subarray(1);
  if (type === KEY_TYPES.roleBased) {
    for (const role of roles(bytes, offset)) checkKey(role, offset + offsetIn(bytes, role));
  } else if (type === KEY_TYPES.public) {
    withOffset("public key", offset + 1, () => publicKeyIn({ type, body }));
  } else if (type === KEY_TYPES.weightedMultiSig) {
    withOffset("weighted multi-signature", offset + 1, () => multiSigIn({ type, body }));
  }
  withOffset("account key", offset, () => decodeAccountKey(bytes));
}

function roles(bytes: Uint8Array, offset: number): Uint8Array[] {
  return withOffset("role-based key", offset, () => {
    const cursor = new RlpCursor(bytes, 1);
    const end = cursor.enter();
    const found: Uint8Array[] = [];
    while (!cursor.done) found.push(cursor.string());
    cursor.leave(end);
    if (cursor.done && found.every((role) => role[0] !== KEY_TYPES.roleBased)) return found;
    const why = cursor.done ? "nested composite type" : "bytes after it";
    throw partError("role-based key", offset, why, offset + cursor.at);
  });
}
