/**
 * The accounts of a node: key files in a directory, keys held in memory only, and which of them are unlocked.
 * Passphrases and raw keys come in, signatures and addresses go out; a private key never does.
 */

import type { Log } from "../observe/log.ts";
import type { Clock } from "../runtime/clock.ts";
import type { KeyFileVersion } from "./key-file.ts";
import type { SigningRole } from "./keyring.ts";

/** Directory of the key store and settings of new key files. */
export interface AccountsOptions {
  /** The key store directory, made (mode 0700) when it is not there. */
  readonly directory: string;
  /** Writes key files that take little memory and time to open, and to attack. */
  readonly lightKdf: boolean;
  /** The version of key files that are written, 4 when not given. */
  readonly keyFileVersion?: KeyFileVersion;
  readonly log: Log;
  readonly clock?: Clock;
}

/** An account of a wallet. */
export interface WalletAccount {
  readonly address: Uint8Array;
  readonly url: string;
}

/** A key file, a key in memory or an HD wallet, and whether it can sign now. */
export interface Wallet {
  readonly url: string;
  readonly status: "Locked" | "Unlocked";
  readonly accounts: readonly WalletAccount[];
}

/** Keys by address (20 bytes). Whatever fails throws or rejects with `AccountsError`. Disposing wipes all keys. */
export interface Accounts extends AsyncDisposable {
  /** Addresses of the key files in the order of their URLs, then of HD wallets, then of the held keys. */
  list(): Uint8Array[];
  /** The same by wallet. */
  wallets(): Wallet[];
  /** Keeps an HD wallet's root in memory; a key file's wallet is always open. */
  openWallet(url: string, passphrase: string): Promise<void>;
  /** An account of an open HD wallet; `pin` keeps it, so that it is listed and signs. */
  deriveAccount(url: string, path: string, pin: boolean): Promise<WalletAccount>;
  /** Writes an HD wallet file for a mnemonic. Gives its URL. */
  importMnemonic(mnemonic: string, passphrase: string): Promise<string>;
  has(address: Uint8Array): boolean;
  /** Makes a random key and writes its file. Gives the address. */
  create(passphrase: string): Promise<Uint8Array>;
  /** Writes a file for a private key given as 64 hex digits or as a wallet key. Gives the address. */
  importRawKey(keyText: string, passphrase: string): Promise<Uint8Array>;
  /** Locks the account that the key text names and puts this key in its file, under a new passphrase. */
  replaceRawKey(keyText: string, oldPassphrase: string, newPassphrase: string): Promise<Uint8Array>;
  /** Writes an account's file anew (in the form of these options) under a new passphrase. */
  changePassphrase(address: Uint8Array, oldPassphrase: string, newPassphrase: string): Promise<void>;
  /** Keeps the key in memory for `seconds`, 0 for until exit, which a later limit does not shorten. */
  unlock(address: Uint8Array, passphrase: string, seconds: number): Promise<void>;
  /** Wipes an unlocked key, or an HD wallet's root; fine when it was locked. False for an address that is not kept. */
  lock(address: Uint8Array): boolean;
  /** Keeps a copy of a key in memory only, listed and unlocked until exit. Gives the address. */
  hold(key: Uint8Array): Uint8Array;
  /** 65 bytes r, s, v (0 or 1), by an unlocked account's first key. */
  sign(address: Uint8Array, digest: Uint8Array): Uint8Array;
  /** The same by opening the key file for this once; a held key needs no passphrase. */
  signWithPassphrase(address: Uint8Array, passphrase: string, digest: Uint8Array): Promise<Uint8Array>;
  /** Signatures by all the keys that an unlocked account has for a role, in their order. */
  signAs(address: Uint8Array, role: SigningRole, digest: Uint8Array): readonly Uint8Array[];
  /** The same by opening the key file for this once. */
  signAsWithPassphrase(
    address: Uint8Array,
    passphrase: string,
    what: { readonly role: SigningRole; readonly digest: Uint8Array },
  ): Promise<readonly Uint8Array[]>;
}
