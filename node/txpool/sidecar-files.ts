/**
 * Blob sidecars of mined transactions as files, `<bucket>/<block>_<index>`, each the RLP list of version, blobs,
 * commitments and proofs. A bucket has the files of 1,000 blocks, and whole buckets are deleted.
 */
import { readdirSync, readFileSync } from "node:fs";
import { mkdir, readdir, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { RlpCursor } from "../bytes/rlp-cursor.ts";
import { encodeSidecar, readListedSidecar } from "../model/blob-sidecar.ts";
import type { BlobSidecar } from "../model/transaction-type.ts";

/** Position of a transaction in the chain. */
export interface SidecarPosition {
  readonly number: number;
  readonly index: number;
}

/** Blocks whose files share a directory (`blockchain/blob_storage.go@v2.2.2`). */
export const BUCKET_BLOCKS = 1000;

/** The files below a directory. */
export class SidecarFiles {
  readonly #directory: string;

  constructor(directory: string) {
    this.#directory = directory;
  }

  /** Writes a sidecar. A crash leaves the whole file or none under its name. */
  async write(position: SidecarPosition, sidecar: BlobSidecar): Promise<void> {
    await mkdir(this.#bucket(position), { recursive: true });
    const path = this.#path(position);
    await writeFile(`${path}.new`, encodeSidecar(sidecar));
    await rename(`${path}.new`, path);
  }

  /** Reads a sidecar; undefined for one that is absent or unreadable. */
  read(position: SidecarPosition): BlobSidecar | undefined {
    try {
      return readListedSidecar(new RlpCursor(readFileSync(this.#path(position))));
    } catch {
      return undefined; // never written, deleted, or damaged on the disk: peers are asked for none of them
    }
  }

  /** Returns the positions of all sidecars. */
  positions(): SidecarPosition[] {
    return namesIn(this.#directory).flatMap((bucket) =>
      namesIn(join(this.#directory, bucket)).flatMap((name) => {
        const [, number, index] = /^(\d+)_(\d+)$/.exec(name) ?? [];
        return number === undefined ? [] : [{ number: Number(number), index: Number(index) }];
      }),
    );
  }

  /** Deletes the buckets whose blocks are all below `number`. */
  async deleteBefore(number: number): Promise<void> {
    const first = Math.floor(number / BUCKET_BLOCKS);
    const names = await readdir(this.#directory).catch(() => []); // absent before the first blob
    for (const name of names) {
      if (!/^[0-9]+$/.test(name) || Number(name) >= first) continue;
      await rm(join(this.#directory, name), { recursive: true, force: true });
    }
  }

  #bucket({ number }: SidecarPosition): string {
    return join(this.#directory, String(Math.floor(number / BUCKET_BLOCKS)));
  }

  #path(position: SidecarPosition): string {
    return join(this.#bucket(position), `${position.number}_${position.index}`);
  }
}

function namesIn(directory: string): readonly string[] {
  try {
    return readdirSync(directory);
  } catch {
    return []; // absent before the first blob
  }
}
