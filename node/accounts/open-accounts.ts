/** Implementation of `Accounts`: key files, HD wallets and keys in memory. */

import { mkdir, stat } from "node:fs/promises";
import { join, resolve } from "node:path";
import type { Address, Hash } from "../bytes/brands.ts";
import { bareHex, mapKey } from "../bytes/hex.ts";
import { addressOfKey } from "../crypto/secp256k1.ts";
import { LIGHT_COST, STANDARD_COST } from "../crypto/secret-box.ts";
import { type Clock, systemClock } from "../runtime/clock.ts";
import type { Accounts, AccountsOptions, Wallet, WalletAccount } from "./accounts.ts";
import { AccountsError } from "./error.ts";
import type { HdAccount } from "./hd-wallet-file.ts";
import { HdWallets } from "./hd-wallets.ts";
import { createKeyDirectory, type KeyDirectory, type KeyEntry } from "./key-directory.ts";
import { createKeyStore, type KeyStore, passphraseGate } from "./key-store.ts";
import { keyFileName } from "./key-writer.ts";
import { type Keyring, ofRole, type SigningRole, signAll, wipe } from "./keyring.ts";
import { parseRawKey, type RawKey, randomKey } from "./raw-key.ts";
import { UnlockedKeys } from "./unlocked-keys.ts";

/** Maximum duration of the Go node, in seconds. */
const MAX_SECONDS = 9_223_372_036;

/** Opens the keystore; creates its directory when it is absent. */
export async function openAccounts(options: AccountsOptions): Promise<Accounts> {
  const directory = resolve(options.directory);
  await mkdir(directory, { recursive: true, mode: 0o700 });
  const { mode } = await stat(directory);
  if ((mode & 0o007) !== 0) options.log.warn({ directory }, "keystore directory is accessible to all users");
  return new FileAccounts(directory, options);
}

class FileAccounts implements Accounts {
  readonly #directory: string;
  readonly #clock: Clock;
  readonly #files: KeyDirectory;
  readonly #store: KeyStore;
  readonly #hd: HdWallets;
  readonly #unlocked: UnlockedKeys;
  readonly #held = new Map<string, Uint8Array>();
  /** Addresses whose file is being written, so that of two imports of one key only one succeeds. */
  readonly #writing = new Set<string>();
  #closed = false;

  constructor(
    directory: string,
    { lightKdf, keyFileVersion = 4, clock = systemClock, log }: AccountsOptions,
  ) {
    const cost = lightKdf ? LIGHT_COST : STANDARD_COST;
    const gate = passphraseGate();
    this.#directory = directory;
    this.#clock = clock;
    this.#files = createKeyDirectory(directory, clock, log);
    this.#store = createKeyStore({ cost, version: keyFileVersion }, gate);
    this.#hd = new HdWallets({ directory: join(directory, "hd-wallets"), cost, gate, clock });
    this.#unlocked = new UnlockedKeys(clock);
  }

  list(): Address[] {
    return this.wallets().flatMap(({ accounts }) => accounts.map(({ address }) => address));
  }

  wallets(): Wallet[] {
    const single = (url: string, address: Address): Wallet => ({
      url,
      status: this.#unlocked.get(address) ? "Unlocked" : "Locked",
      accounts: [{ address, url }],
    });
    const inMemory = [...this.#held.values()].filter((address) => !this.#files.has(address));
    return [
      ...this.#files.entries().map(({ address, url }) => single(url, address)),
      ...this.#hd.list().map(({ url, isOpen, accounts }): Wallet => {
        const status = isOpen ? "Unlocked" : "Locked";
        return { url, status, accounts: accounts.map((account) => walletAccount(url, account)) };
      }),
      ...inMemory.map((address) => single(`memory://${bareHex(address)}`, address)),
    ];
  }

  async openWallet(url: string, passphrase: string): Promise<void> {
    this.#checkOpen();
    if (this.#isSingleKey(url)) return;
    await this.#hd.open(url, passphrase);
    if (this.#closed) this.#hd.clear();
  }

  async deriveAccount(url: string, path: string, pin: boolean): Promise<WalletAccount> {
    this.#checkOpen();
    if (this.#isSingleKey(url)) throw new AccountsError("not-derivable", "not supported");
    return walletAccount(url, await this.#hd.derive(url, path, pin));
  }

  importMnemonic(mnemonic: string, passphrase: string): Promise<string> {
    return this.#hd.import(mnemonic, passphrase);
  }

  /**
   * True for the URL of a key file or of a key in memory, false for that of an HD wallet. Throws for any
   * other URL.
   */
  #isSingleKey(url: string): boolean {
    const [, scheme] = /^([^:]+):\/\//.exec(url) ?? [];
    if (scheme === undefined) throw new AccountsError("bad-url", "protocol scheme missing");
    if (scheme === "ledger" || scheme === "trezor") {
      throw new AccountsError(
        "usb-wallet",
        "USB wallets are not supported: open a software wallet (hdwallet://)",
      );
    }
    if (scheme === "hdwallet") return false;
    if (this.wallets().some((wallet) => wallet.url === url)) return true;
    throw new AccountsError("unknown-wallet", "unknown wallet");
  }

  has(address: Address): boolean {
    return this.#held.has(mapKey(address)) || this.#files.has(address) || this.#hd.has(address);
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

  async changePassphrase(address: Address, oldPassphrase: string, newPassphrase: string): Promise<void> {
    const entry = this.#fileOf(address);
    const keyring = await this.#store.openAll(entry, oldPassphrase);
    try {
      await this.#store.save({ path: entry.path, address, keyring }, newPassphrase);
    } finally {
      wipe(keyring);
    }
  }

  async unlock(address: Address, passphrase: string, seconds: number): Promise<void> {
    if (seconds > MAX_SECONDS) throw new AccountsError("bad-duration", "unlock duration too large");
    if (!(seconds >= 0)) throw new AccountsError("bad-duration", "unlock duration must not be negative");
    if (this.#isHeldOnly(address)) return;
    const keyring = await this.#openAll(address, passphrase);
    if (this.#closed) wipe(keyring);
    this.#checkOpen();
    this.#unlocked.put(address, keyring, seconds);
  }

  async #openAll(address: Address, passphrase: string): Promise<Keyring> {
    if (!this.#files.has(address)) {
      const key = await this.#hd.keyOf(address, passphrase);
      if (key !== undefined) return [[key]];
    }
    return this.#store.openAll(this.#fileOf(address), passphrase);
  }

  lock(address: Address): boolean {
    const inWallet = this.#hd.close(address);
    if (!inWallet && !this.#files.has(address)) return false;
    this.#unlocked.drop(address);
    return true;
  }

  hold(key: Uint8Array): Address {
    this.#checkOpen();
    const address = addressOfKey(key);
    this.#held.set(mapKey(address), address);
    this.#unlocked.put(address, [[new Uint8Array(key)]], 0);
    return address;
  }

  sign(address: Address, digest: Hash): Uint8Array {
    return first(this.#signUnlocked(address, digest, (keyring) => keyring.flat().slice(0, 1)));
  }

  signAs(address: Address, role: SigningRole, digest: Hash): readonly Uint8Array[] {
    return this.#signUnlocked(address, digest, (keyring) => ofRole(keyring, role));
  }

  #signUnlocked(
    address: Address,
    digest: Hash,
    chosen: (keyring: Keyring) => readonly Uint8Array[],
  ): Uint8Array[] {
    const unlocked = this.#unlocked.get(address);
    if (unlocked !== undefined) return signAll(chosen(unlocked), digest);
    const derivedKey = this.#hd.openKey(address);
    if (derivedKey !== undefined) return signOnce([derivedKey], digest);
    throw this.has(address)
      ? new AccountsError("locked", "authentication needed: password or unlock")
      : new AccountsError("unknown-account", "unknown account");
  }

  async signWithPassphrase(address: Address, passphrase: string, digest: Hash): Promise<Uint8Array> {
    if (this.#isHeldOnly(address)) return this.sign(address, digest);
    const keys = await this.#openSome(address, passphrase, async (entry) => [
      await this.#store.open(entry, passphrase),
    ]);
    return first(signOnce(keys, digest));
  }

  async signAsWithPassphrase(
    address: Address,
    passphrase: string,
    { role, digest }: { readonly role: SigningRole; readonly digest: Hash },
  ): Promise<readonly Uint8Array[]> {
    if (this.#isHeldOnly(address)) return this.signAs(address, role, digest);
    const keys = await this.#openSome(address, passphrase, (entry) =>
      this.#store.openRole(entry, passphrase, role),
    );
    return signOnce(keys, digest);
  }

  async #openSome(
    address: Address,
    passphrase: string,
    open: (entry: KeyEntry) => Promise<readonly Uint8Array[]>,
  ): Promise<readonly Uint8Array[]> {
    if (!this.has(address)) throw new AccountsError("unknown-account", "unknown account");
    const key = this.#files.has(address) ? undefined : await this.#hd.keyOf(address, passphrase);
    return key === undefined ? open(this.#fileOf(address)) : [key];
  }

  #isHeldOnly(address: Address): boolean {
    return this.#held.has(mapKey(address)) && !this.#files.has(address);
  }

  #fileOf(address: Address): KeyEntry {
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
    this.#hd.clear();
  }
}

function walletAccount(walletUrl: string, { path, address }: HdAccount): WalletAccount {
  return { address, url: `${walletUrl}/${path}` };
}

/** Signs with keys and wipes them. */
function signOnce(keys: readonly Uint8Array[], digest: Hash): Uint8Array[] {
  try {
    return signAll(keys, digest);
  } finally {
    wipe([keys]);
  }
}

function first(signatures: readonly Uint8Array[]): Uint8Array {
  const [signature] = signatures;
  if (signature === undefined) throw new AccountsError("bad-key-file", "key file without a key");
  return signature;
}
