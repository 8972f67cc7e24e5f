/**
 * The file of a log. Lines are added at once; a file that has grown too large is rotated under a name with the time, and
 * those that are too many or too old are removed. A disk that takes no line never stops the program.
 */
import {
  closeSync,
  createReadStream,
  createWriteStream,
  fstatSync,
  mkdirSync,
  openSync,
  renameSync,
  writeSync,
} from "node:fs";
import { readdir, rename, rm, stat } from "node:fs/promises";
import { dirname, join, parse } from "node:path";
import { pipeline } from "node:stream/promises";
import { createGzip } from "node:zlib";

/** Size at which a log file is rotated, and the age at which rotated files are deleted. */
export interface Rotation {
  /** Size above which a file is rotated before the next line. */
  readonly maxBytes: number;
  /** Rotated files that are kept; 0 for all. */
  readonly maxFiles: number;
  /** Age at which rotated files are deleted; 0 for never. */
  readonly maxAgeMs: number;
  /** Compress rotated files. */
  readonly compress: boolean;
}

/** An open log file. Disposing it waits until rotated files are compressed and old ones deleted. */
export interface LogFile extends AsyncDisposable {
  write(line: string): void;
}

/** Opens a file for appending lines, and creates its directory. Throws the system's error. */
export function openLogFile(path: string, rotation: Rotation | undefined, now = Date.now): LogFile {
  mkdirSync(dirname(path), { recursive: true });
  return new RotatingFile(path, rotation, now);
}

class RotatingFile implements LogFile {
  readonly #path: string;
  readonly #rotation: Rotation | undefined;
  readonly #now: () => number;
  /** `undefined` once it is closed. */
  #handle: number | undefined;
  #size: number;
  #tidying: Promise<void> = Promise.resolve();

  constructor(path: string, rotation: Rotation | undefined, now: () => number) {
    this.#path = path;
    this.#rotation = rotation;
    this.#now = now;
    const handle = openSync(path, "a", 0o640);
    this.#handle = handle;
    this.#size = fstatSync(handle).size;
    this.#tidy();
  }

  write(line: string): void {
    if (this.#handle === undefined) return;
    const bytes = Buffer.from(line);
    try {
      const isFull = this.#size > 0 && this.#size + bytes.length > (this.#rotation?.maxBytes ?? Infinity);
      const handle = isFull ? this.#rotate(this.#handle) : this.#handle;
      this.#size += writeSync(handle, bytes);
    } catch {
      // the terminal has the line
    }
  }

  /** The new file is opened before the old one is closed: whatever fails, there is one to write to. */
  #rotate(old: number): number {
    renameSync(this.#path, rotatedName(this.#path, this.#now()));
    const next = openSync(this.#path, "a", 0o640);
    closeSync(old);
    this.#handle = next;
    this.#size = fstatSync(next).size;
    this.#tidy();
    return next;
  }

  #tidy(): void {
    const rotation = this.#rotation;
    if (rotation === undefined) return;
    const tidied = this.#tidying.then(() => tidy(this.#path, rotation, this.#now()));
    this.#tidying = tidied.catch(() => undefined); // the next time again
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#handle !== undefined) closeSync(this.#handle);
    this.#handle = undefined;
    await this.#tidying;
  }
}

/** `knit.log` becomes `knit-2026-11-21T14-28-42.120.log`, in universal time. */
function rotatedName(path: string, time: number): string {
  const { dir, name, ext } = parse(path);
  const stamp = new Date(time).toISOString().replaceAll(":", "-").replace("Z", "");
  return join(dir, `${name}-${stamp}${ext}`);
}

const STAMP = String.raw`\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d\.\d{3}`;

async function tidy(path: string, rotation: Rotation, now: number): Promise<void> {
  const { maxFiles, maxAgeMs, compress } = rotation;
  const { dir, name, ext } = parse(path);
  const pattern = new RegExp(`^${RegExp.escape(name)}-${STAMP}${RegExp.escape(ext)}(\\.gz)?$`);
  const aside = (await readdir(dir)).filter((file) => pattern.test(file)).toSorted();
  const surplus = maxFiles === 0 ? 0 : Math.max(0, aside.length - maxFiles);
  for (const [i, file] of aside.entries()) {
    const whole = join(dir, file);
    const isOld = maxAgeMs > 0 && now - (await stat(whole)).mtimeMs > maxAgeMs;
    if (i < surplus || isOld) await removeRotated(whole);
    else if (compress && !file.endsWith(".gz")) await pack(whole);
  }
}

/** With what a process that was killed had packed of it. */
async function removeRotated(path: string): Promise<void> {
  await rm(unfinishedPath(path), { force: true });
  await rm(path);
}

function unfinishedPath(path: string): string {
  return `${path}.gz.tmp`;
}

/** The packed file has its name when it is whole. */
async function pack(path: string): Promise<void> {
  const unfinished = unfinishedPath(path);
  await pipeline(createReadStream(path), createGzip(), createWriteStream(unfinished, { mode: 0o640 }));
  await rename(unfinished, `${path}.gz`);
  await rm(path);
}
