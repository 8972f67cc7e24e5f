/**
 * Archives: checkpoints in a store, as named files by their SHA-256 and one signed manifest for each checkpoint. Files
 * that several checkpoints share are stored once.
 */
import { randomBytes } from "node:crypto";
import { mkdir, readdir, readFile, rename, rm, stat } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import type { Address } from "../bytes/brands.ts";
import { fromHex, toHex } from "../bytes/hex.ts";
import { messageOf } from "../bytes/message-of.ts";
import { keccak256 } from "../crypto/keccak.ts";
import { addressOfPublicKey, recover, sign } from "../crypto/secp256k1.ts";
import { FILES_AT_ONCE, inParallel } from "../runtime/parallel.ts";
import { syncDirectory, writeSynced } from "../runtime/synced-file.ts";
import { CheckpointError } from "./error.ts";
import { type CheckpointFile, type CheckpointManifest, parseManifest } from "./manifest.ts";

/** A file with its SHA-256 as 64 hex digits. */
export interface ArchiveFile extends CheckpointFile {
  readonly sha256: string;
}

/** The manifest of an archived checkpoint. */
export interface ArchiveManifest extends CheckpointManifest<ArchiveFile> {
  /** `0x` text of the address whose node key has signed the manifest. */
  readonly creator: string;
}

/** A name in a store, with its size in bytes. */
export interface StoredName {
  readonly name: string;
  readonly size: number;
  /** Time of the last write, milliseconds since the epoch; 0 when the store does not say it. */
  readonly writtenAt: number;
}

/** Names with contents: a directory, or a prefix of an S3 bucket. Names have slashes. */
export interface ArchiveStore {
  /** Creates the place where it is missing, for the first write. */
  prepare(): Promise<void>;
  /** Returns the names that begin with `prefix`. Throws `CheckpointError` `failed` for a place that is not there. */
  list(prefix: string, signal: AbortSignal): Promise<readonly StoredName[]>;
  /** Reads contents of at most `maxBytes`. Throws `CheckpointError` `bad-file` for longer or missing ones, or `failed`. */
  read(name: string, maxBytes: number, signal: AbortSignal): Promise<Uint8Array>;
  /** Writes contents; the name appears when they are whole. `sha256` are their 64 hex digits. */
  write(name: string, bytes: Uint8Array, sha256: string, signal: AbortSignal): Promise<void>;
  /** Deletes a name; one that is missing is no error. */
  remove(name: string, signal: AbortSignal): Promise<void>;
  /** Deletes what interrupted writes of names with `prefix` have left, begun before a time in milliseconds since the epoch. */
  removeUnfinished(prefix: string, before: number, signal: AbortSignal): Promise<void>;
}

/** Prefix of the names of manifests. */
export const MANIFESTS = "checkpoints/";
/** Prefix of the names of files, by their SHA-256. */
export const FILES = "files/";
/** Files or parts of files sent at a time. */
export const PARALLEL = 4;
/** A manifest of a state of many terabytes has some hundred megabytes. */
export const MAX_MANIFEST_BYTES: number = 512 * 1024 * 1024;

/** Returns the name of a manifest: names in order are heads in order. */
export function manifestName({ head, genesisHash }: CheckpointManifest): string {
  const chain = genesisHash.slice(2, 10);
  return `${MANIFESTS}${String(head.number).padStart(12, "0")}-${chain}-${head.hash.slice(2, 18)}.json`;
}

/** Signs a manifest with a node key; returns its text. */
export function signManifest(
  manifest: CheckpointManifest<ArchiveFile>,
  key: Uint8Array,
  address: Address,
): string {
  const signed: ArchiveManifest = { ...manifest, creator: toHex(address) };
  const signature = toHex(sign(keccak256(Buffer.from(JSON.stringify(signed))), key));
  return `${JSON.stringify({ ...signed, signature }, undefined, 1)}\n`;
}

/** Parses a signed manifest; `name` is its name in errors. Throws `CheckpointError` `bad-manifest`. */
export function parseArchiveManifest(text: string, name: string): ArchiveManifest {
  const manifest = parseManifest(text, name) as ArchiveManifest & { readonly signature?: unknown };
  for (const { path, sha256 } of manifest.files) {
    if (typeof sha256 !== "string" || !/^[0-9a-f]{64}$/.test(sha256))
      throw new CheckpointError("bad-manifest", `${name}: ${path} has no SHA-256`);
  }
  const { signature, ...signed } = manifest;
  const signer = signerOf(JSON.stringify(signed), signature);
  if (signer === undefined || signer !== manifest.creator)
    throw new CheckpointError("bad-manifest", `${name} is not signed by its creator`);
  return signed;
}

function signerOf(text: string, signature: unknown): string | undefined {
  if (typeof signature !== "string" || !/^0x[0-9a-f]{130}$/.test(signature)) return undefined;
  const publicKey = recover(keccak256(Buffer.from(text)), fromHex(signature));
  return publicKey && toHex(addressOfPublicKey(publicKey));
}

/** Opens a store in a directory. A name and its contents are on disk when its write resolves. */
export function directoryStore(root: string): ArchiveStore {
  return {
    prepare: () => makeDirectory(root),
    list: (prefix) => listBelow(root, prefix),
    async read(name, maxBytes) {
      const path = join(root, name);
      const refuse = (cause: unknown): Promise<never> => refuseRead(path, name, cause);
      const { size } = await stat(path).catch(refuse);
      if (size > maxBytes)
        throw new CheckpointError("bad-file", `${name} has ${size} bytes, not ${maxBytes}`);
      return readFile(path).catch(refuse);
    },
    write: (name, bytes) => writeWhole(join(root, name), bytes),
    remove: (name) => rm(join(root, name), { force: true }),
    async removeUnfinished(prefix, before) {
      for (const { name, writtenAt } of await listBelow(root, prefix))
        if (name.endsWith(DRAFT) && writtenAt < before) await rm(join(root, name), { force: true });
    },
  };
}

/** End of the names of files that are being written. */
const DRAFT = ".partial";

/**
 * Throws `bad-file` for a file that is missing in a directory, and `failed` for one that the system does not read at
 * present, such as that of a disk that is not mounted.
 */
async function refuseRead(path: string, name: string, cause: unknown): Promise<never> {
  if (!isMissing(cause))
    throw new CheckpointError("failed", `cannot read ${name}: ${messageOf(cause)}`, { cause });
  await requireDirectory(dirname(path));
  throw new CheckpointError("bad-file", `${name} is missing: ${messageOf(cause)}`, { cause });
}

async function requireDirectory(path: string): Promise<void> {
  await stat(path).catch((cause: unknown) => {
    const reason = isMissing(cause) ? `${path} is not there` : `cannot read ${path}: ${messageOf(cause)}`;
    throw new CheckpointError("failed", reason, { cause });
  });
}

function isMissing(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === "ENOENT";
}

async function listBelow(root: string, prefix: string): Promise<readonly StoredName[]> {
  await requireDirectory(root);
  const names = await readdir(join(root, prefix)).catch((error: unknown): string[] => {
    if (isMissing(error)) return [];
    throw error;
  });
  const found = await inParallel(names, FILES_AT_ONCE, (name) => findStored(root, prefix + name));
  return found.filter((each) => each !== undefined);
}

/** Describes a file; undefined for one that another process has just renamed or deleted. */
async function findStored(root: string, name: string): Promise<StoredName | undefined> {
  try {
    const { size, mtimeMs } = await stat(join(root, name));
    return { name, size, writtenAt: mtimeMs };
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

/** Writes and syncs a file under another name, and renames it. */
async function writeWhole(path: string, bytes: Uint8Array): Promise<void> {
  await makeDirectory(dirname(path));
  const draft = `${path}.${randomBytes(4).toString("hex")}${DRAFT}`;
  try {
    await writeSynced(draft, bytes);
    await rename(draft, path);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
  await syncDirectory(dirname(path));
}

/** Creates a directory and those above it, and syncs their names. */
async function makeDirectory(path: string): Promise<void> {
  const first = await mkdir(path, { recursive: true });
  if (first === undefined) return;
  for (let made = resolve(path); made.length >= resolve(first).length; made = dirname(made))
    await syncDirectory(dirname(made));
}
