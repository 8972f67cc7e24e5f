/**
 * The JSON of a software HD wallet: a mnemonic's entropy (BIP-39), sealed as in key files, and the accounts that
 * were pinned, in clear. `{"version":1,"type":"bip39","id","crypto":{...},"accounts":[{"path","address"}]}`.
 */
import type { Address } from "../bytes/brands.ts";
import { bareHex, fromBareHex } from "../bytes/hex.ts";
import type { SealedSecret } from "../crypto/secret-box.ts";
import { AccountsError } from "./error.ts";
import { readSealed, sealedJson } from "./key-file.ts";

/** An account of a wallet: its canonical path and its address. */
export interface HdAccount {
  readonly path: string;
  readonly address: Address;
}

/** A parsed wallet file. */
export interface HdWalletFile {
  readonly id: string;
  readonly entropy: SealedSecret;
  readonly accounts: readonly HdAccount[];
}

/** Maximum number of pinned accounts of a wallet. */
export const MAX_PINNED = 256;

/**
 * Parses a wallet file. Throws `AccountsError` `bad-key-file`; the message never quotes encrypted content.
 */
export function parseHdWalletFile(text: string): HdWalletFile {
  const file = parseObject(text);
  if (file["version"] !== 1 || file["type"] !== "bip39")
    throw badWalletFileError("wallet file of an unknown version or type");
  const { id, accounts = [], crypto } = file;
  if (!Array.isArray(accounts) || accounts.length > MAX_PINNED)
    throw badWalletFileError("wallet file with bad accounts");
  return {
    id: typeof id === "string" ? id : "",
    entropy: readSealed(crypto),
    accounts: accounts.map(readAccount),
  };
}

/** Returns the text of a wallet file. */
export function formatHdWalletFile({ id, entropy, accounts }: HdWalletFile): string {
  return JSON.stringify({
    version: 1,
    type: "bip39",
    id,
    crypto: sealedJson(entropy),
    accounts: accounts.map(({ path, address }) => ({ path, address: bareHex(address) })),
  });
}

function parseObject(text: string): Readonly<Record<string, unknown>> {
  try {
    const json: unknown = JSON.parse(text);
    // Any object can be read by name.
    if (typeof json === "object" && json !== null) return json as Readonly<Record<string, unknown>>;
  } catch {
    // Said below.
  }
  throw badWalletFileError("wallet file without JSON");
}

function readAccount(value: unknown): HdAccount {
  const { path, address } = (value ?? {}) as { readonly path?: unknown; readonly address?: unknown };
  if (typeof path !== "string" || !/^m(\/\d{1,10}'?){1,16}$/.test(path))
    throw badWalletFileError("wallet file with a bad path");
  if (typeof address !== "string" || !/^[0-9a-f]{40}$/i.test(address)) {
    throw badWalletFileError("wallet file with a bad address");
  }
  return { path, address: fromBareHex(address) };
}

function badWalletFileError(message: string): AccountsError {
  return new AccountsError("bad-key-file", message);
}
