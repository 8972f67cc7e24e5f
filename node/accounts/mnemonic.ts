/** Mnemonics (BIP-39, English words) and the keys derived from them (BIP-32). Libraries load on first use. */
import { AccountsError } from "./error.ts";

/** The root of a wallet's keys. The caller closes it. */
export interface HdRoot {
  /**
   * Returns a copy of the private key at a path; `undefined` for the rare path without a valid key (BIP-32).
   */
  key(path: string): Uint8Array | undefined;
  /** Wipes the root. */
  close(): void;
}

/**
 * Returns the entropy of 12 to 24 words. Throws `AccountsError` `bad-mnemonic`, which never quotes a word.
 */
export async function entropyOf(mnemonic: string): Promise<Uint8Array> {
  const [{ mnemonicToEntropy }, { wordlist }] = await libraries();
  try {
    return mnemonicToEntropy(mnemonic.trim().toLowerCase().split(/\s+/).join(" "), wordlist);
  } catch {
    throw new AccountsError("bad-mnemonic", "not a mnemonic: a word is unknown or the checksum does not fit");
  }
}

/** Opens the root of an entropy. Throws `AccountsError` `bad-key-file` for invalid entropy. */
export async function openRoot(entropy: Uint8Array): Promise<HdRoot> {
  if (entropy.length % 4 !== 0 || entropy.length < 16 || entropy.length > 32) {
    throw new AccountsError("bad-key-file", "wallet file whose content is no entropy");
  }
  const [{ entropyToMnemonic, mnemonicToSeed }, { wordlist }, { HDKey }] = await libraries();
  const seed = await mnemonicToSeed(entropyToMnemonic(entropy, wordlist));
  const root = HDKey.fromMasterSeed(seed);
  seed.fill(0);
  return {
    key: (path) => {
      const { privateKey } = root.derive(path);
      return privateKey === null ? undefined : new Uint8Array(privateKey);
    },
    close: () => void root.wipePrivateData(),
  };
}

function libraries() {
  return Promise.all([
    import("@scure/bip39"),
    import("@scure/bip39/wordlists/english"),
    import("@scure/bip32"),
  ]);
}
