/** `knit account update ADDRESS...`: rewrites key files in the current format with a new passphrase. */
import { AccountsError } from "../accounts/error.ts";
import { createKeyDirectory, type KeyEntry } from "../accounts/key-directory.ts";
import { createKeyStore, type KeyStore } from "../accounts/key-store.ts";
import { type Keyring, wipe } from "../accounts/keyring.ts";
import { equalBytes } from "../bytes/compare.ts";
import { bareHex } from "../bytes/hex.ts";
import { LIGHT_COST, STANDARD_COST } from "../crypto/secret-box.ts";
import { type AccountReference, account } from "../options/kinds.ts";
import { type AccountJob, openAccountJob } from "./account-commands.ts";
import type { CommandJob } from "./chain-commands.ts";

const ATTEMPTS = 3;

/** Updates one account after the other; those before a failure stay updated. */
export async function updateAccounts(job: CommandJob): Promise<void> {
  await using work = await openAccountJob(job);
  const { accounts: form, paths } = work.options;
  const entries = createKeyDirectory(paths.keystore, job.shell.clock).entries();
  const cost = form.lightKdf ? LIGHT_COST : STANDARD_COST;
  const store = createKeyStore({ cost, version: form.keyFileVersion });
  for (const typed of job.arguments) {
    const { entry, keyring } = await unlock(work, store, { typed, matches: matchesOf(typed, entries) });
    try {
      const prompt = "Please give a new password. Do not forget this password.";
      const { address, path } = entry;
      await store.save({ path, address, keyring }, await work.passphrases.fresh(1, prompt));
    } finally {
      wipe(keyring);
    }
  }
}

/** Returns the key files of an address or index. Throws when there is none. */
function matchesOf(typed: string, entries: readonly KeyEntry[]): readonly KeyEntry[] {
  const reference = referenceOf(typed);
  const matches =
    reference?.kind === "index"
      ? entries.slice(reference.index, reference.index + 1)
      : entries.filter(({ address }) => reference !== undefined && equalBytes(address, reference.address));
  if (reference === undefined)
    throw new Error(`Could not list accounts: invalid account address or index "${typed}"`);
  if (matches.length === 0)
    throw new Error(`Failed to unlock account ${typed} (no key for given address or file)`);
  return matches;
}

function referenceOf(typed: string): AccountReference | undefined {
  try {
    return account.parse(typed);
  } catch {
    return undefined; // the kind's own text is for flags
  }
}

interface Asked {
  readonly typed: string;
  readonly matches: readonly KeyEntry[];
}

interface Unlocked {
  readonly entry: KeyEntry;
  readonly keyring: Keyring;
}

async function unlock(work: AccountJob, store: KeyStore, { typed, matches }: Asked): Promise<Unlocked> {
  let last: unknown;
  for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
    const prompt = `Unlocking account ${typed} | Attempt ${attempt}/${ATTEMPTS}`;
    const passphrase = await work.passphrases.one(0, prompt);
    const found = await tryAll(store, matches, passphrase).catch((error: unknown) => {
      if (!(error instanceof AccountsError && error.code === "wrong-passphrase")) throw error;
      last = error;
    });
    if (found !== undefined) {
      if (matches.length > 1) tellDuplicates(work, matches, found.entry);
      return found;
    }
  }
  const why = last instanceof Error ? last.message : "";
  throw new Error(`Failed to unlock account ${typed} (${why})`, { cause: last });
}

/** Returns the first file that opens. Throws the error of the last one. */
async function tryAll(store: KeyStore, matches: readonly KeyEntry[], passphrase: string): Promise<Unlocked> {
  let last: unknown;
  for (const entry of matches) {
    try {
      return { entry, keyring: await store.openAll(entry, passphrase) };
    } catch (error) {
      last = error;
    }
  }
  throw last;
}

function tellDuplicates({ say }: AccountJob, matches: readonly KeyEntry[], opened: KeyEntry): void {
  say(`Multiple key files exist for address ${bareHex(opened.address)}:`);
  for (const { url } of matches) say(`   ${url}`);
  say("Testing your passphrase against all of them...");
  say(`Your passphrase unlocked ${opened.url}`);
  say("In order to avoid this warning, you need to remove the following duplicate key files:");
  for (const { url } of matches.filter((each) => each !== opened)) say(`   ${url}`);
}
