/**
 * SHA-256 of the table files of a node, which never change once written: remembered by name, file and time of the last
 * write, so that the next copy, backup or push does not read them for it. In memory alone: a node signs only hashes of
 * bytes that its own process has read.
 */
import { createHash } from "node:crypto";
import { stat } from "node:fs/promises";
import { join } from "node:path";
import { readAhead } from "../runtime/parallel.ts";
import { CheckpointError } from "./error.ts";
import {
  type CheckpointFile,
  createPieceBuffers,
  listedPieces,
  type PieceBuffers,
  readListed,
  sha256Of,
} from "./manifest.ts";

interface KnownTable {
  /** Device, inode, size and time of the last write. */
  readonly identity: string;
  readonly sha256: string;
}

/** A file that was read, with its SHA-256 as 64 hex digits. */
export interface HashedFile {
  readonly bytes: Uint8Array;
  readonly sha256: string;
}

/** About 200 bytes each. Tables beyond are read each time. */
const MAX_TABLES = 65_536;
/** All other files are copies of their moment. */
const TABLE = /\.ldb$/;

/** The hashes of one node's tables. */
export class TableHashes {
  readonly #known = new Map<string, KnownTable>();

  /** Forgets the tables that a checkpoint does not have: compactions have deleted them. */
  retain(files: readonly CheckpointFile[]): void {
    const listed = new Set(files.map(({ path }) => path));
    for (const path of this.#known.keys()) if (!listed.has(path)) this.#known.delete(path);
  }

  /** Returns the hash of a file of a checkpoint that was read before; undefined for another one. */
  async find(checkpoint: string, { path }: CheckpointFile): Promise<string | undefined> {
    const known = this.#known.get(path);
    if (known === undefined) return undefined;
    const identity = await identityOf(join(checkpoint, path)).catch(() => undefined); // the reader says what is wrong
    return known.identity === identity ? known.sha256 : undefined;
  }

  /**
   * Reads a file of a checkpoint, and remembers the hash of a table. Throws `CheckpointError` `bad-file` when it is missing,
   * of another size, or has other bytes than when it was read before, although nobody has written to it.
   */
  async read(checkpoint: string, file: CheckpointFile): Promise<HashedFile> {
    let bytes: Uint8Array = new Uint8Array(0);
    const sha256 = await this.#learn(checkpoint, file, async () => {
      bytes = await readListed(checkpoint, file);
      return sha256Of(bytes);
    });
    return { bytes, sha256 };
  }

  /** Returns the hash of a file of a checkpoint, which is read piece by piece. Throws as `read` does. */
  async hash(
    checkpoint: string,
    file: CheckpointFile,
    buffers: PieceBuffers = createPieceBuffers(),
  ): Promise<string> {
    return await this.#learn(checkpoint, file, async () => {
      const hash = createHash("sha256");
      for await (const piece of readAhead(listedPieces(checkpoint, file, buffers))) hash.update(piece);
      return hash.digest("hex");
    });
  }

  async #learn(checkpoint: string, file: CheckpointFile, hash: () => Promise<string>): Promise<string> {
    const { path } = file;
    const known = await this.find(checkpoint, file);
    const identity = TABLE.test(path)
      ? await identityOf(join(checkpoint, path)).catch(() => undefined)
      : undefined;
    const sha256 = await hash();
    if (known !== undefined && known !== sha256)
      throw new CheckpointError(
        "bad-file",
        `the disk has changed ${path}: its SHA-256 was ${known} and is ${sha256}`,
      );
    if (identity !== undefined && (this.#known.has(path) || this.#known.size < MAX_TABLES))
      this.#known.set(path, { identity, sha256 });
    return sha256;
  }
}

/** Links to a file have one identity. */
async function identityOf(path: string): Promise<string> {
  const { dev, ino, size, mtimeNs } = await stat(path, { bigint: true });
  return `${dev}:${ino}:${size}:${mtimeNs}`;
}
