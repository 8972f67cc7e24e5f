/**
 * Recordings of the process over time, made by its inspector: one of a kind runs at a time, into a new file with mode
 * 0600. A recording that nobody stops ends after ten minutes.
 */
import { type FileHandle, open } from "node:fs/promises";
import type { Session } from "node:inspector/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";

/** A recording is running already, or none is running. */
export class ProfilerError extends Error {
  override readonly name = "ProfilerError";
  readonly code: "profiling" | "not-profiling";
  constructor(code: ProfilerError["code"], message: string) {
    super(message);
    this.code = code;
  }
}

/** A kind of recording. */
export interface RecordingKind {
  /** Name in the errors: "`name` already in progress". */
  readonly name: string;
  begin(session: Session, file: FileHandle): Promise<void>;
  /** Writes what `begin` has not written. */
  end(session: Session, file: FileHandle): Promise<void>;
}

/** Maximum length of a recording. */
export const MAX_RECORDING_MS = 10 * 60_000;

interface Running {
  readonly session: Session;
  readonly file: FileHandle;
  readonly deadline: NodeJS.Timeout;
}

/** The recordings of one kind. */
export class Recording implements AsyncDisposable {
  readonly #kind: RecordingKind;
  readonly #closing = new AbortController();
  #isBusy = false;
  #running: Running | undefined;

  constructor(kind: RecordingKind) {
    this.#kind = kind;
  }

  /** Starts a recording. Rejects with `ProfilerError` `profiling` while one runs, or with the system's error. */
  async start(path: string): Promise<void> {
    if (this.#isBusy) throw new ProfilerError("profiling", `${this.#kind.name} already in progress`);
    this.#isBusy = true;
    try {
      const file = await createFile(path);
      const { Session } = process.getBuiltinModule("node:inspector/promises"); // no part of every start
      const session = new Session();
      session.connect();
      await this.#kind.begin(session, file);
      const deadline = globalThis.setTimeout(() => void this.stop().catch(() => undefined), MAX_RECORDING_MS);
      deadline.unref();
      this.#running = { session, file, deadline };
    } catch (error) {
      this.#isBusy = false;
      throw error;
    }
  }

  /** Stops the recording and completes its file. Rejects with `ProfilerError` `not-profiling` without one. */
  async stop(): Promise<void> {
    const running = this.#running;
    if (running === undefined) throw new ProfilerError("not-profiling", `${this.#kind.name} not in progress`);
    this.#running = undefined;
    clearTimeout(running.deadline);
    try {
      await this.#kind.end(running.session, running.file);
    } finally {
      running.session.disconnect();
      await running.file.close();
      this.#isBusy = false;
    }
  }

  /** Records for a number of seconds, at most ten minutes. */
  async record(path: string, seconds: number): Promise<void> {
    await this.start(path);
    const own = this.#running;
    const { signal } = this.#closing;
    const ms = Math.min(seconds * 1000, MAX_RECORDING_MS);
    await setTimeout(ms, undefined, { signal }).catch(() => undefined);
    if (this.#running === own) await this.stop();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closing.abort();
    if (this.#running !== undefined) await this.stop();
  }
}

/** Creates a file for its owner only; a leading `~/` is the home directory. Rejects when it exists. */
export function createFile(path: string): Promise<FileHandle> {
  return open(path.startsWith("~/") ? join(homedir(), path.slice(2)) : path, "wx", 0o600);
}
