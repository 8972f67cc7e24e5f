/** Commands that send checkpoints to archives and fetch them: stores, streams, and the start of an empty node. */
import { mkdir, readFile, rename, rm } from "node:fs/promises";
import { dirname } from "node:path";
import { messageOf } from "../bytes/message-of.ts";
import type { ArchiveManifest, ArchiveStore } from "../checkpoint/archive.ts";
import { directoryStore } from "../checkpoint/archive.ts";
import { draftOf, refuseFilled } from "../checkpoint/create.ts";
import { CheckpointError, type CheckpointErrorCode, isDiskFailure } from "../checkpoint/error.ts";
import type { KeptTables } from "../checkpoint/kept-tables.ts";
import {
  type ArchivedCheckpoint,
  archivedNames,
  fetchFiles,
  GOES_ON,
  lockDraft,
  readArchived,
  removeLock,
  type WantedChain,
} from "../checkpoint/pull.ts";
import { type Pushed, pushCheckpoint } from "../checkpoint/push.ts";
import type { S3Credentials } from "../checkpoint/s3-client.ts";
import { checkpointStream, readStream } from "../checkpoint/stream.ts";
import { TableHashes } from "../checkpoint/table-hashes.ts";
import type { Progress } from "../observe/progress.ts";
import { OptionError } from "../options/error.ts";
import { syncDirectory } from "../runtime/synced-file.ts";
import { verifyCheckpoint } from "./checkpoint-jobs.ts";
import { ownNodeKey } from "./node-keys.ts";
import type { NodeOptions } from "./options.ts";

/** Environment variables, for the place and the keys of S3 stores. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** Progress and signal of a transfer, and the environment. */
export interface TransferJob {
  readonly progress: Progress;
  readonly signal: AbortSignal;
  readonly environment: Environment;
}

/** Opens a store by its URL: `s3://BUCKET/PREFIX`, or the path of a directory. Throws `OptionError`. */
export async function openArchive(url: string, environment: Environment): Promise<ArchiveStore> {
  const [, scheme, bucket = "", path = ""] = /^(?:([a-z0-9]+):\/\/)?([^/]*)\/?(.*)$/i.exec(url) ?? [];
  if (scheme === undefined) return directoryStore(url);
  if (scheme !== "s3")
    throw new OptionError("bad-value", `${scheme}:// is no archive: give s3://BUCKET/PREFIX or a directory`);
  const region = environment["AWS_REGION"] ?? "us-east-1";
  const endpoint = environment["AWS_ENDPOINT_URL_S3"] ?? environment["AWS_ENDPOINT_URL"];
  const prefix = path === "" || path.endsWith("/") ? path : `${path}/`;
  const { s3Store } = await import("../checkpoint/s3-store.ts");
  return s3Store({
    endpoint: endpoint ?? `https://s3.${region}.amazonaws.com`,
    region,
    bucket,
    prefix,
    credentials: await readCredentials(environment),
  });
}

/** Reads the keys from the environment, or from the file that `AWS_SHARED_CREDENTIALS_FILE` names. */
async function readCredentials(environment: Environment): Promise<S3Credentials> {
  const file = environment["AWS_SHARED_CREDENTIALS_FILE"];
  const values =
    file === undefined ? new Map<string, string>() : await readProfile(file, environment["AWS_PROFILE"]);
  const valueOf = (name: string) => environment[name] ?? values.get(name.toLowerCase());
  const accessKeyId = valueOf("AWS_ACCESS_KEY_ID");
  const secretAccessKey = valueOf("AWS_SECRET_ACCESS_KEY");
  if (!accessKeyId || !secretAccessKey) {
    const message =
      "an S3 store needs AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_SHARED_CREDENTIALS_FILE";
    throw new OptionError("missing-value", message);
  }
  return { accessKeyId, secretAccessKey, sessionToken: valueOf("AWS_SESSION_TOKEN") };
}

/** Reads the keys of a profile from a credentials file. */
async function readProfile(path: string, profile = "default"): Promise<ReadonlyMap<string, string>> {
  const text = await readFile(path, "utf8").catch((cause: NodeJS.ErrnoException) => {
    throw new OptionError(
      "bad-file",
      `cannot read the credentials file ${path}: ${cause.code ?? cause.message}`,
      cause,
    );
  });
  const values = new Map<string, string>();
  let current = "";
  for (const line of text.split("\n")) {
    current = /^\s*\[([^\]]+)\]/.exec(line)?.[1]?.trim() ?? current;
    const [, name, value] = /^\s*(aws_\w+)\s*=\s*(\S+)/.exec(line) ?? [];
    if (current === profile && name !== undefined && value !== undefined) values.set(name, value);
  }
  return values;
}

/** Sends a checkpoint to a store, signed with the node key of the options. Throws as `pushCheckpoint`. */
export async function pushToArchive(
  options: NodeOptions,
  {
    directory,
    url,
    progress,
    signal,
    environment,
  }: TransferJob & { readonly directory: string; readonly url: string },
): Promise<Pushed> {
  const { key, address } = await ownNodeKey(options);
  const store = await openArchive(url, environment);
  const onBytes = (done: number, total: number): void => progress.update(done, total);
  const hashes = new TableHashes();
  return pushCheckpoint(store, { directory, key, address, hashes, signal, onBytes });
}

/** Returns the pieces of a checkpoint as a tar stream, signed with the node key of the options. */
export async function streamOfCheckpoint(
  options: NodeOptions,
  directory: string,
): Promise<AsyncIterable<Uint8Array>> {
  const { key, address } = await ownNodeKey(options);
  return checkpointStream({ directory, key, address, hashes: new TableHashes() });
}

/** A checkpoint in a store, or what is wrong with its manifest. */
export type ListedCheckpoint = ArchivedCheckpoint | { readonly name: string; readonly fault: string };

/** Lists the checkpoints of a store, the newest first; an unreadable one has its fault instead of a manifest. */
export async function listArchive(
  url: string,
  { signal, environment }: Pick<TransferJob, "signal" | "environment">,
): Promise<readonly ListedCheckpoint[]> {
  const store = await openArchive(url, environment);
  const listed: ListedCheckpoint[] = [];
  for (const name of await archivedNames(store, signal)) {
    try {
      listed.push({ name, manifest: await readArchived(store, name, {}, signal) });
    } catch (error) {
      if (!(error instanceof CheckpointError)) throw error;
      listed.push({ name, fault: error.message });
    }
  }
  return listed;
}

/** A stream that may lack tables of the draft, which are kept. */
export interface PartialStream {
  readonly stream: AsyncIterable<Uint8Array>;
  readonly kept: KeptTables;
}

/** Asks for what a draft lacks. */
export type StreamRequest = (draft: string) => Promise<PartialStream>;

/** A pull: from a store, from a stream, or from one that can be asked for again. */
export interface PullJob extends TransferJob {
  readonly directory: string;
  readonly from: string | AsyncIterable<Uint8Array> | StreamRequest;
  /** Name of a manifest of the store; the newest when absent. */
  readonly name?: string | undefined;
  readonly wanted: WantedChain;
  readonly full: boolean;
}

/**
 * Fetches a checkpoint, verifies it and gives it its name, which must be absent or an empty directory. What is found
 * wrong leaves nothing. A pull that was interrupted, or found no room, goes on with its draft, but not one from a stream
 * that comes once. A verified draft stays where the name was taken meanwhile. Throws `CheckpointError` and as
 * `verifyCheckpoint`.
 */
export async function pullFromArchive(options: NodeOptions, job: PullJob): Promise<ArchiveManifest> {
  const { directory, signal, progress, full } = job;
  await refuseFilled(directory);
  const archived = await findArchived(job);
  const draft = draftOf(directory);
  await mkdir(draft, { recursive: true, mode: 0o700 });
  await using _lock = await lockDraft(draft);
  let isVerified = false;
  try {
    const manifest = await fetchDraft(job, archived, draft);
    await verifyCheckpoint(options, { directory: draft, progress, signal, full, headers: true });
    isVerified = true;
    await rename(draft, directory);
    await removeLock(directory);
    await syncDirectory(dirname(directory));
    return manifest;
  } catch (error) {
    const isKept = isVerified || isPassing(error, job);
    if (!isKept) await rm(draft, { recursive: true, force: true });
    if (!isDiskFailure(error)) throw error;
    const message = isKept ? `${messageOf(error)}: ${GOES_ON}` : messageOf(error);
    throw new CheckpointError("disk", message, { cause: error });
  }
}

/** Codes of errors that are no fault of the checkpoint. */
const PASSING: ReadonlySet<CheckpointErrorCode> = new Set(["busy", "cut", "disk", "failed"]);

/** True for an end after which the same pull goes on: an interrupt, a sender that does not answer, or a full disk. */
function isPassing(error: unknown, { signal, from }: PullJob): boolean {
  if (typeof from === "object") return false;
  if (signal.aborted || isDiskFailure(error)) return true;
  return error instanceof CheckpointError && PASSING.has(error.code);
}

/** A checkpoint of a store, or a stream. */
type Archived =
  | { readonly store: ArchiveStore; readonly manifest: ArchiveManifest }
  | Exclude<PullJob["from"], string>;

/**
 * Opens the store and reads the manifest there. An archive without a checkpoint, and one of another chain, is no reason to
 * delete an earlier draft.
 */
async function findArchived({ from, environment, signal, name, wanted }: PullJob): Promise<Archived> {
  if (typeof from !== "string") return from;
  const store = await openArchive(from, environment);
  const found = name ?? (await archivedNames(store, signal))[0];
  if (found === undefined) throw new CheckpointError("bad-manifest", `${from} has no checkpoint`);
  return { store, manifest: await readArchived(store, found, wanted, signal) };
}

async function fetchDraft(
  { wanted, signal, progress }: PullJob,
  from: Archived,
  draft: string,
): Promise<ArchiveManifest> {
  const onBytes = (done: number, total: number): void => progress.update(done, total);
  if (typeof from === "function") {
    const { stream, kept } = await from(draft);
    return readStream(stream, draft, wanted, { signal, onBytes, kept });
  }
  if (!("store" in from)) return readStream(from, draft, wanted, { signal, onBytes });
  await fetchFiles(from.store, from.manifest, draft, { signal, onBytes });
  return from.manifest;
}
