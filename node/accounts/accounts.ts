/**
 * The accounts of a node: key files in a directory, keys in memory and HD wallets, with their lock state.
 * Passphrases and raw keys come in, signatures and addresses go out; a private key never leaves.
 */

import type { Address, Hash } from "../bytes/brands.ts";
import type { Log } from "../observe/log.ts";
import type { Clock } from "../runtime/clock.ts";
import type { KeyFileVersion } from "./key-file.ts";
import type { SigningRole } from "./keyring.ts";

/** Directory of the key store and settings of new key files. */
export interface AccountsOptions {
  /** The keystore directory; created with mode 0700 when it is absent. */
  readonly directory: string;
  /** Writes key files with light scrypt parameters, which take less time and memory to open and to attack. */
  readonly lightKdf: boolean;
  /** Version of new key files; 4 by default. */
  readonly keyFileVersion?: KeyFileVersion;
  readonly log: Log;
  readonly clock?: Clock;
}

/** An account of a wallet. */
export interface WalletAccount {
  readonly address: Address;
  readonly url: string;
}

/** A key file, a key in memory or an HD wallet, with its lock state. */
export interface Wallet {
  readonly url: string;
  readonly status: "Locked" | "Unlocked";
  readonly accounts: readonly WalletAccount[];
}

/**
 * Accounts by address (20 bytes). Errors are `AccountsError`, thrown or as rejections. Disposing wipes all
 * keys.
 */
export interface Accounts extends AsyncDisposable {
  /**
   * Returns the addresses of key files in the order of their URLs, then of HD wallets, then of keys in
   * memory.
   */
  list(): Address[];
  /** Returns the wallets in the order of `list`. */
  wallets(): Wallet[];
  /** Loads an HD wallet's root into memory; the wallet of a key file is always open. */
  openWallet(url: string, passphrase: string): Promise<void>;
  /** Derives an account of an open HD wallet; `pin` stores it, so that it is listed and signs. */
  deriveAccount(url: string, path: string, pin: boolean): Promise<WalletAccount>;
  /** Writes an HD wallet file for a mnemonic. Resolves to its URL. */
  importMnemonic(mnemonic: string, passphrase: string): Promise<string>;
  has(address: Address): boolean;
  /** Creates a random key and writes its file. Resolves to the address. */
  create(passphrase: string): Promise<Uint8Array>;
  /** Writes a key file for a private key of 64 hex digits or a wallet key. Resolves to the address. */
  importRawKey(keyText: string, passphrase: string): Promise<Uint8Array>;
  /** Locks the account of the key text and replaces the key in its file, with a new passphrase. */
  replaceRawKey(keyText: string, oldPassphrase: string, newPassphrase: string): Promise<Uint8Array>;
  /** Rewrites an account's file, in the form of these options, with a new passphrase. */
  changePassphrase(address: Address, oldPassphrase: string, newPassphrase: string): Promise<void>;
  /** Keeps the key in memory for `seconds`; 0 is until exit, which a later limit does not shorten. */
  unlock(address: Address, passphrase: string, seconds: number): Promise<void>;
  /** Wipes an unlocked key or an HD wallet's root, if there is one. Returns false for an unknown address. */
  lock(address: Address): boolean;
  /** Adds a copy of a key in memory only, listed and unlocked until exit. Returns the address. */
  hold(key: Uint8Array): Address;
  /** Signs with the first key of an unlocked account. Returns 65 bytes: r, s, v (0 or 1). */
  sign(address: Address, digest: Hash): Uint8Array;
  /**
   * Signs with the key of the file, which is opened for this call only; a key in memory needs no passphrase.
   */
  signWithPassphrase(address: Address, passphrase: string, digest: Hash): Promise<Uint8Array>;
  /** Signs with all keys of an unlocked account for a role, in their order. */
  signAs(address: Address, role: SigningRole, digest: Hash): readonly Uint8Array[];
  /** Signs with all keys of the file for a role; the file is opened for this call only. */
  signAsWithPassphrase(
    address: Address,
    passphrase: string,
    what: { readonly role: SigningRole; readonly digest: Hash },
  ): Promise<readonly Uint8Array[]>;
}
