/**
 * The accounts of a node: key files in a directory, keys held in memory only, and which of them are unlocked.
 * Passphrases and raw keys come in, signatures and addresses go out; a private key never does.
 */
import { mkdir, stat } from "node:fs/promises";
import { join, resolve } from "node:path";
import { bareHex, mapKey } from "../bytes/hex.ts";
import { addressOfKey, sign } from "../crypto/secp256k1.ts";
import { LIGHT_COST, STANDARD_COST } from "../crypto/secret-box.ts";
import { type Clock, systemClock } from "../observe/clock.ts";
import type { Log } from "../observe/log.ts";
import { AccountsError } from "./error.ts";
import { createKeyDirectory, type KeyDirectory, type KeyEntry } from "./key-directory.ts";
import type { KeyFileVersion } from "./key-file.ts";
import { createKeyStore, type KeyStore, wipe } from "./key-store.ts";
import { keyFileName } from "./key-writer.ts";
import { parseRawKey, type RawKey, randomKey } from "./raw-key.ts";
import { UnlockedKeys } from "./unlocked-keys.ts";

/** Where the keys are and how new ones are written. */
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

/** One key, where it is kept and whether it can sign now. */
export interface Wallet {
  readonly url: string;
  readonly address: Uint8Array;
  readonly status: "Locked" | "Unlocked";
}

/** Keys by address (20 bytes). Whatever fails throws or rejects with `AccountsError`. Disposing wipes all keys. */
export interface Accounts extends AsyncDisposable {
  /** Addresses of the key files in the order of their URLs, then of the held keys. */
  list(): Uint8Array[];
  /** The same with URL and status. */
  wallets(): Wallet[];
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
  /** Wipes an unlocked key; fine when it was locked. False for an address without a key file. */
  lock(address: Uint8Array): boolean;
  /** Keeps a copy of a key in memory only, listed and unlocked until exit. Gives the address. */
  hold(key: Uint8Array): Uint8Array;
  /** 65 bytes r, s, v (0 or 1), by an unlocked account. */
  sign(address: Uint8Array, digest: Uint8Array): Uint8Array;
  /** The same by opening the key file for this once; a held key needs no passphrase. */
  signWithPassphrase(address: Uint8Array, passphrase: string, digest: Uint8Array): Promise<Uint8Array>;
}

/** The most seconds the Go node can express as a duration. */
const MOST_SECONDS = 9_223_372_036;

/** Opens the key store, making its directory when needed. */
export async function openAccounts(options: AccountsOptions): Promise<Accounts> {
  const directory = resolve(options.directory);
  await mkdir(directory, { recursive: true, mode: 0o700 });
  const { mode } = await stat(directory);
  if ((mode & 0o007) !== 0) options.log.warn({ directory }, "keystore directory is open to every user");
  return new FileAccounts(directory, options);
}

class FileAccounts implements Accounts {
  readonly #directory: string;
  readonly #clock: Clock;
  readonly #files: KeyDirectory;
  readonly #store: KeyStore;
  readonly #unlocked: UnlockedKeys;
  readonly #held = new Map<string, Uint8Array>();
  /** Addresses whose file is being written, so that two imports of one key do not both succeed. */
  readonly #writing = new Set<string>();
  #closed = false;

  constructor(directory: string, { lightKdf, keyFileVersion = 4, clock = systemClock }: AccountsOptions) {
    this.#directory = directory;
    this.#clock = clock;
    this.#files = createKeyDirectory(directory, clock);
    this.#store = createKeyStore({ cost: lightKdf ? LIGHT_COST : STANDARD_COST, version: keyFileVersion });
    this.#unlocked = new UnlockedKeys(clock);
  }

  list(): Uint8Array[] {
    return this.wallets().map(({ address }) => address);
  }

  wallets(): Wallet[] {
    const inMemory = [...this.#held.values()].filter((address) => !this.#files.has(address));
    return [
      ...this.#files.entries().map(({ address, url }) => ({ address, url })),
      ...inMemory.map((address) => ({ address, url: `memory://${bareHex(address)}` })),
    ].map((wallet) => ({ ...wallet, status: this.#unlocked.get(wallet.address) ? "Unlocked" : "Locked" }));
  }

  has(address: Uint8Array): boolean {
    return this.#held.has(mapKey(address)) || this.#files.has(address);
  }

  async create(passphrase: string): Promise<Uint8Array> {
    return this.#add(randomKey(), passphrase);
  }

  async importRawKey(keyText: string, passphrase: string): Promise<Uint8Array> {
    return this.#add(parseRawKey(keyText), passphrase);
  }

  async #add({ key, address }: RawKey, passphrase: string): Promise<Uint8Array> {
    const id = mapKey(address);
    try {
      this.#checkOpen();
      if (this.#writing.has(id) || this.#files.has(address)) {
        throw new AccountsError("exists", "account already exists");
      }
      this.#writing.add(id);
      const path = join(this.#directory, keyFileName(this.#clock.now(), address));
      await this.#store.save({ path, address, keyring: [[key]] }, passphrase);
      return address;
    } finally {
      key.fill(0);
      this.#writing.delete(id);
    }
  }

  async replaceRawKey(keyText: string, oldPassphrase: string, newPassphrase: string): Promise<Uint8Array> {
    const { key, address } = parseRawKey(keyText);
    try {
      const entry = this.#fileOf(address);
      this.#unlocked.drop(address);
      (await this.#store.open(entry, oldPassphrase)).fill(0);
      await this.#store.save({ path: entry.path, address, keyring: [[key]] }, newPassphrase);
      return address;
    } finally {
      key.fill(0);
    }
  }

  async changePassphrase(address: Uint8Array, oldPassphrase: string, newPassphrase: string): Promise<void> {
    const entry = this.#fileOf(address);
    const keyring = await this.#store.openAll(entry, oldPassphrase);
    try {
      await this.#store.save({ path: entry.path, address, keyring }, newPassphrase);
    } finally {
      wipe(keyring);
    }
  }

  async unlock(address: Uint8Array, passphrase: string, seconds: number): Promise<void> {
    if (seconds > MOST_SECONDS) throw new AccountsError("bad-duration", "unlock duration too large");
    if (!(seconds >= 0)) throw new AccountsError("bad-duration", "unlock duration must not be negative");
    if (this.#isHeldOnly(address)) return;
    const key = await this.#store.open(this.#fileOf(address), passphrase);
    if (this.#closed) key.fill(0);
    this.#checkOpen();
    this.#unlocked.put(address, key, seconds);
  }

  lock(address: Uint8Array): boolean {
    if (!this.#files.has(address)) return false;
    this.#unlocked.drop(address);
    return true;
  }

  hold(key: Uint8Array): Uint8Array {
    this.#checkOpen();
    const address = addressOfKey(key);
    this.#held.set(mapKey(address), address);
    this.#unlocked.put(address, new Uint8Array(key), 0);
    return address;
  }

  sign(address: Uint8Array, digest: Uint8Array): Uint8Array {
    const key = this.#unlocked.get(address);
    if (key !== undefined) return sign(digest, key);
    throw this.has(address)
      ? new AccountsError("locked", "authentication needed: password or unlock")
      : new AccountsError("unknown-account", "unknown account");
  }

  async signWithPassphrase(address: Uint8Array, passphrase: string, digest: Uint8Array): Promise<Uint8Array> {
    if (this.#isHeldOnly(address)) return this.sign(address, digest);
    if (!this.has(address)) throw new AccountsError("unknown-account", "unknown account");
    const key = await this.#store.open(this.#fileOf(address), passphrase);
    try {
      return sign(digest, key);
    } finally {
      key.fill(0);
    }
  }

  #isHeldOnly(address: Uint8Array): boolean {
    return this.#held.has(mapKey(address)) && !this.#files.has(address);
  }

  #fileOf(address: Uint8Array): KeyEntry {
    this.#checkOpen();
    const entry = this.#files.find(address);
    if (entry === undefined) throw new AccountsError("no-key", "no key for given address or file");
    return entry;
  }

  #checkOpen(): void {
    if (this.#closed) throw new AccountsError("closed", "accounts are closed");
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closed = true;
    this.#held.clear();
    this.#unlocked.clear();
  }
}
