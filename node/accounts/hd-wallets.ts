/**
 * Software HD wallets: files with an encrypted mnemonic, in a subdirectory of the keystore. Passphrases and
 * mnemonics come in; addresses and single keys for signing go out. An open wallet has its root in memory.
 */

import { randomUUID } from "node:crypto";
import { mkdirSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import type { Address } from "../bytes/brands.ts";
import { mapKey } from "../bytes/hex.ts";
import { addressOfKey } from "../crypto/secp256k1.ts";
import { type ScryptCost, type SealedSecret, sealSecret } from "../crypto/secret-box.ts";
import type { Clock } from "../runtime/clock.ts";
import { AccountsError } from "./error.ts";
import { followFiles } from "./followed-files.ts";
import type { Gate } from "./gate.ts";
import { parseDerivationPath } from "./hd-path.ts";
import {
  formatHdWalletFile,
  type HdAccount,
  type HdWalletFile,
  MAX_PINNED,
  parseHdWalletFile,
} from "./hd-wallet-file.ts";
import { openSealed } from "./key-store.ts";
import { writeKeyFile } from "./key-writer.ts";
import { entropyOf, type HdRoot, openRoot } from "./mnemonic.ts";

/** State of a wallet with its pinned accounts. */
export interface HdWallet {
  readonly url: string;
  readonly isOpen: boolean;
  readonly accounts: readonly HdAccount[];
}

/** Directory of the wallets, settings of their files, and the gate of all passphrases. */
export interface HdWalletsOptions {
  /** An absolute path; created with the first wallet. */
  readonly directory: string;
  readonly cost: ScryptCost;
  readonly gate: Gate;
  readonly clock: Clock;
}

const SCHEME = "hdwallet://";
/** Maximum number of wallets; further files are skipped. */
const MAX_WALLETS = 256;

interface Known {
  readonly path: string;
  readonly file: HdWalletFile;
}

/** The HD wallets of the node. Failures throw or reject with `AccountsError`. */
export class HdWallets {
  readonly #options: HdWalletsOptions;
  readonly #open = new Map<string, HdRoot>();
  readonly #look: () => readonly Known[];
  #pinning: Promise<void> = Promise.resolve();

  constructor(options: HdWalletsOptions) {
    const { directory, clock } = options;
    this.#options = options;
    this.#look = followFiles({
      directory,
      clock,
      isWanted: isWalletFile,
      most: MAX_WALLETS,
      read: readWallet,
    });
  }

  /** Returns the wallets in the order of their URLs. */
  list(): HdWallet[] {
    return this.#look().map(({ path, file }) => ({
      url: `${SCHEME}${path}`,
      isOpen: this.#open.has(path),
      accounts: file.accounts,
    }));
  }

  /** True when an account is pinned in a wallet. */
  has(address: Address): boolean {
    return this.#find(address) !== undefined;
  }

  /** Writes a wallet of a mnemonic. Resolves to its URL. */
  async import(mnemonic: string, passphrase: string): Promise<string> {
    const entropy = await entropyOf(mnemonic);
    try {
      return await this.#save(entropy, passphrase);
    } finally {
      entropy.fill(0);
    }
  }

  /** Loads a wallet's root into memory until exit or until one of its accounts is locked. */
  async open(url: string, passphrase: string): Promise<void> {
    const { path, file } = this.#byUrl(url);
    const root = await this.#root(file.entropy, passphrase);
    this.#open.get(path)?.close();
    this.#open.set(path, root);
  }

  /** Derives the account at a path of an open wallet; `pin` stores it in the file, so that it can sign. */
  async derive(url: string, text: string, pin: boolean): Promise<HdAccount> {
    const { path: filePath } = this.#byUrl(url);
    const path = parseDerivationPath(text);
    const root = this.#open.get(filePath);
    if (root === undefined) throw lockedError();
    const key = keyAt(root, path);
    const account = { path, address: addressOfKey(key) };
    key.fill(0);
    if (pin) await this.#pin(url, account);
    return account;
  }

  /** Returns the key of a pinned account of an open wallet; the caller wipes it. */
  openKey(address: Address): Uint8Array | undefined {
    const found = this.#find(address);
    const root = found && this.#open.get(found.known.path);
    return root && keyAt(root, found.account.path);
  }

  /**
   * Returns the key of a pinned account with its wallet's passphrase; the caller wipes it. `undefined` for an
   * account that is not pinned.
   */
  async keyOf(address: Address, passphrase: string): Promise<Uint8Array | undefined> {
    const found = this.#find(address);
    if (found === undefined) return undefined;
    const root = await this.#root(found.known.file.entropy, passphrase);
    try {
      return keyAt(root, found.account.path);
    } finally {
      root.close();
    }
  }

  /** Wipes the root of the wallet of a pinned account. Returns false for an account that is not pinned. */
  close(address: Address): boolean {
    const found = this.#find(address);
    if (found === undefined) return false;
    this.#open.get(found.known.path)?.close();
    this.#open.delete(found.known.path);
    return true;
  }

  /** Wipes all roots. */
  clear(): void {
    for (const root of this.#open.values()) root.close();
    this.#open.clear();
  }

  async #root(sealed: SealedSecret, passphrase: string): Promise<HdRoot> {
    const entropy = await this.#options.gate.run(() => openSealed(sealed, passphrase, "wallet file"));
    try {
      return await openRoot(entropy);
    } finally {
      entropy.fill(0);
    }
  }

  async #save(secret: Uint8Array, passphrase: string): Promise<string> {
    const { directory, cost, gate } = this.#options;
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    const id = randomUUID();
    const entropy = await gate.run(() => sealSecret(secret, passphrase, cost));
    const path = join(directory, `${id}.json`);
    await this.#write(path, { id, entropy, accounts: [] });
    return `${SCHEME}${path}`;
  }

  /** Writes run one after the other, because each writes the whole file. */
  #pin(url: string, account: HdAccount): Promise<void> {
    const turn = this.#pinning.then(() => this.#pinNow(url, account));
    this.#pinning = turn.catch(() => undefined);
    return turn;
  }

  async #pinNow(url: string, account: HdAccount): Promise<void> {
    const { path, file } = this.#byUrl(url);
    if (file.accounts.some((known) => known.path === account.path)) return;
    if (file.accounts.length >= MAX_PINNED) {
      throw new AccountsError("not-derivable", `a wallet keeps ${MAX_PINNED} accounts`);
    }
    await this.#write(path, { ...file, accounts: [...file.accounts, account] });
  }

  async #write(path: string, file: HdWalletFile): Promise<void> {
    await writeKeyFile({
      directory: dirname(path),
      name: basename(path),
      text: formatHdWalletFile(file),
      verify: isWallet,
    });
  }

  #byUrl(url: string): Known {
    const known = this.#look().find(({ path }) => `${SCHEME}${path}` === url);
    if (known !== undefined) return known;
    throw new AccountsError("unknown-wallet", "unknown wallet");
  }

  #find(address: Address): { readonly known: Known; readonly account: HdAccount } | undefined {
    const wanted = mapKey(address);
    for (const known of this.#look()) {
      const account = known.file.accounts.find((pinned) => mapKey(pinned.address) === wanted);
      if (account !== undefined) return { known, account };
    }
    return undefined;
  }
}

/** Checks a written file. Rejects when it is not a wallet. */
async function isWallet(text: string): Promise<void> {
  parseHdWalletFile(text);
}

function isWalletFile(name: string): boolean {
  return name.endsWith(".json");
}

function keyAt(root: HdRoot, path: string): Uint8Array {
  const key = root.key(path);
  if (key !== undefined) return key;
  throw new AccountsError("not-derivable", "no key at this derivation path");
}

function lockedError(): AccountsError {
  return new AccountsError("locked", "authentication needed: password or unlock");
}

function readWallet(text: string, path: string): Known {
  return { path, file: parseHdWalletFile(text) };
}
