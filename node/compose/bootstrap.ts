/** The start of an empty node: from a sibling, from an archive, or from block 0. */
import { mkdir, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { messageOf } from "../bytes/message-of.ts";
import type { ArchiveManifest } from "../checkpoint/archive.ts";
import { removeCheckpoint } from "../checkpoint/create.ts";
import { CheckpointError, isDiskFailure } from "../checkpoint/error.ts";
import { readKeptTables } from "../checkpoint/kept-tables.ts";
import { DATABASES } from "../checkpoint/manifest.ts";
import { archivedNames, type WantedChain } from "../checkpoint/pull.ts";
import { openSibling, readSiblings, type Sibling, type Siblings } from "../checkpoint/siblings.ts";
import { TableHashes } from "../checkpoint/table-hashes.ts";
import type { Log } from "../observe/log.ts";
import {
  openArchive,
  type PullJob,
  pullFromArchive,
  type StreamRequest,
  type TransferJob,
} from "./archive-jobs.ts";
import { clearPlace, hasChain, putInPlace } from "./new-databases.ts";
import type { NodeOptions } from "./options.ts";

/** A start from a copy. */
export interface BootstrapJob extends TransferJob {
  /** Archive; undefined for none. */
  readonly url: string | undefined;
  /** File with gateways of siblings, which are asked before the archive; undefined for none. */
  readonly siblings?: string | undefined;
  readonly wanted: WantedChain;
  readonly log: Log;
  /** Milliseconds between two rounds of siblings that were busy, did not answer, or whose stream was cut. */
  readonly busyMs?: number;
  /** Limit in milliseconds of waiting for a sibling that does not answer, from the start or from the end of its stream. */
  readonly cutMs?: number;
}

const BUSY_MS = 3_000;
/** Time in which a sibling that ended has started again: a copy is faster than the chain from the peers. */
const CUT_MS = 120_000;
/** Limit of waiting for siblings that give their checkpoint to others: the chain comes from the peers as well. */
const MAX_BUSY_MS = 24 * 3_600_000;

/**
 * Fills an empty data directory with the checkpoint of a sibling, or with the newest one of a store that is good. Its
 * whole state is compared with the sealed root, unless a creator is named, who is trusted with it. Does nothing in a
 * directory that has a chain. Throws `CheckpointError` when the store has none that is good, and `exists` when a chain was
 * created there meanwhile; a directory stays empty when no sibling gives one and there is no store, but not because the
 * own disk takes no files: that is an error.
 */
export async function bootstrap(options: NodeOptions, job: BootstrapJob): Promise<void> {
  if (!hasChain(options.paths.chainData)) {
    await clearPlace(options.paths.chainData);
    const { url, siblings } = job;
    if (siblings !== undefined && (await fromSiblings(options, job, siblings))) return;
    if (url !== undefined) return fromStore(options, job, url);
  }
  return removeCheckpoint(placeBeside(options)); // of a process that was killed
}

/** Directory of a checkpoint that is being pulled. */
function placeBeside({ paths: { chainData } }: NodeOptions): string {
  return `${chainData}.bootstrap`;
}

async function fromStore(options: NodeOptions, job: BootstrapJob, url: string): Promise<void> {
  const { log, signal, environment } = job;
  const names = await archivedNames(await openArchive(url, environment), signal);
  let first: unknown;
  for (const name of names) {
    try {
      const { head } = await takeOver(options, job, { from: url, name });
      log.info({ number: head.number, hash: head.hash, checkpoint: name }, "started from a checkpoint");
      return;
    } catch (error) {
      if (signal.aborted || !isRefusal(error)) throw error;
      log.warn({ checkpoint: name, reason: messageOf(error) }, "checkpoint refused");
      first ??= error;
    }
  }
  throw first ?? new CheckpointError("bad-manifest", `${url} has no checkpoint`);
}

/**
 * Asks one sibling after another, again those that are busy, those that do not answer, which may be starting, and those
 * that have just sent a part: it is kept. False when none gives a checkpoint that is good.
 */
async function fromSiblings(options: NodeOptions, job: BootstrapJob, path: string): Promise<boolean> {
  const { log, signal, busyMs = BUSY_MS } = job;
  const { siblings, credentials } = await readSiblings(path);
  const deadline = performance.now() + MAX_BUSY_MS;
  const isAskedAgain = createPatience(siblings, job.cutMs);
  const hashes = new TableHashes();
  let left = siblings;
  while (left.length > 0 && performance.now() < deadline) {
    const again: Sibling[] = [];
    for (const sibling of left) {
      const outcome = await fromSibling(options, job, { sibling, credentials, hashes });
      if (outcome === "started") return true;
      if (isAskedAgain(sibling, outcome)) again.push(sibling);
    }
    if (again.length > 0) await wait(busyMs, undefined, { signal });
    left = again;
  }
  if (siblings.length > 0) log.warn({}, "no sibling gives a checkpoint: the chain comes from the peers");
  return false;
}

/** End of a request: `cut` after a part of the stream, `silent` without one. */
type Outcome = "started" | "busy" | "cut" | "silent" | "refused";

/** Returns a function that decides whether a sibling is asked again. */
function createPatience(
  siblings: readonly Sibling[],
  cutMs = CUT_MS,
): (sibling: Sibling, outcome: Outcome) => boolean {
  const silentSince = new Map(siblings.map((each) => [each, performance.now()]));
  return (sibling, outcome) => {
    if (outcome === "busy") return true;
    if (outcome === "cut") silentSince.set(sibling, performance.now());
    return outcome !== "refused" && performance.now() - (silentSince.get(sibling) ?? 0) < cutMs;
  };
}

interface AskedSibling extends Pick<Siblings, "credentials"> {
  readonly sibling: Sibling;
  /** Hashes of the tables of the draft. */
  readonly hashes: TableHashes;
}

async function fromSibling(
  options: NodeOptions,
  job: BootstrapJob,
  { sibling, credentials, hashes }: AskedSibling,
): Promise<Outcome> {
  const { log, signal } = job;
  try {
    const from: StreamRequest = async (draft) => {
      const kept = await readKeptTables(draft, hashes, signal);
      return { kept, stream: await openSibling(sibling, { credentials, kept, signal }) };
    };
    const { head } = await takeOver(options, job, { from });
    log.info({ number: head.number, hash: head.hash, sibling: sibling.name }, "started from a sibling");
    return "started";
  } catch (error) {
    signal.throwIfAborted();
    if (isDiskFailure(error)) throw error; // of the directories around the copy
    const code = error instanceof CheckpointError ? error.code : undefined;
    if (code === "busy") return "busy";
    if (code === "exists" || code === "disk") throw error;
    log.warn({ sibling: sibling.name, reason: messageOf(error) }, "no checkpoint from this sibling");
    if (code === "cut") return "cut";
    return code === "failed" ? "silent" : "refused";
  }
}

/** Pulls a checkpoint beside the databases, verifies it and puts it in their place. */
async function takeOver(
  options: NodeOptions,
  job: BootstrapJob,
  source: Pick<PullJob, "from" | "name">,
): Promise<ArchiveManifest> {
  const { chainData } = options.paths;
  const directory = placeBeside(options);
  await rm(directory, { recursive: true, force: true });
  await mkdir(dirname(chainData), { recursive: true, mode: 0o700 });
  const full = job.wanted.creator === undefined; // the signature of a trusted creator stands for the state
  const manifest = await pullFromArchive(options, { ...job, ...source, directory, full });
  if (!(await putInPlace(join(directory, DATABASES), chainData)))
    throw new CheckpointError("exists", `${chainData} was created while the checkpoint was fetched`);
  await rm(directory, { recursive: true });
  return manifest;
}

/** True for a checkpoint that is wrong, whatever its verification has met; not for a store or a disk. */
function isRefusal(error: unknown): boolean {
  if (error instanceof CheckpointError) return !["failed", "exists", "disk"].includes(error.code);
  return !isDiskFailure(error);
}
