/**
 * Blob sidecars of mined transactions for 21 days. In: new blocks, whose sidecars the pool or a proposal had, and
 * sidecars that peers send. Out: sidecars by transaction, and the places of those that are missing.
 */
import type { Hash } from "../bytes/brands.ts";
import { equalBytes } from "../bytes/compare.ts";
import { mapKey } from "../bytes/hex.ts";
import { messageOf } from "../bytes/message-of.ts";
import type { Chain, TransactionPlace } from "../chain/chain.ts";
import { versionedHash } from "../crypto/versioned-hash.ts";
import type { Block } from "../model/block.ts";
import { decodeTransaction, type Transaction } from "../model/transaction.ts";
import type { BlobSidecar } from "../model/transaction-type.ts";
import type { Log } from "../observe/log.ts";
import type { Clock } from "../runtime/clock.ts";
import type { Client } from "../runtime/fair-queue.ts";
import { checkSidecar, type ProveSidecar } from "./blobs.ts";
import { PoolError } from "./error.ts";
import type { TxPool } from "./pool.ts";
import { BUCKET_BLOCKS, SidecarFiles, type SidecarPosition } from "./sidecar-files.ts";

/** Position and hash of a blob transaction. */
export interface SidecarPlace extends SidecarPosition {
  readonly hash: Hash;
}

/** Called with a mined transaction whose sidecar is not known here. Must not throw. */
export type MissingListener = (place: SidecarPlace) => void;

/** Kept sidecars. Disposing them waits for the running writes. */
export interface Sidecars extends AsyncDisposable {
  /** Returns the sidecar of a mined transaction; undefined when it is not kept. */
  sidecarAt(place: TransactionPlace): BlobSidecar | undefined;
  /** Returns a blob of a mined transaction by its versioned hash; undefined for one that is not kept. */
  blob(versioned: Hash): Uint8Array | undefined;
  /** Returns the sidecar of a mined or pooled transaction. */
  find(hash: Hash): BlobSidecar | undefined;
  /** Keeps a verified sidecar of a proposal until the block is in the chain or sixteen newer ones came. */
  propose(hash: Hash, sidecar: BlobSidecar): void;
  /** Verifies and writes a sidecar of a peer. Resolves with false for one that does not belong to the transaction. */
  accept(hash: Hash, sidecar: BlobSidecar, peer?: Client): Promise<boolean>;
  /** Registers the listener for missing sidecars. */
  onMissing(listener: MissingListener): void;
}

/** Parts that sidecars come from and go to. */
export interface SidecarsDeps {
  readonly chain: Pick<Chain, "onHead" | "findTransaction" | "block">;
  readonly pool: Pick<TxPool, "get" | "wire" | "minedBlobs">;
  readonly prove: ProveSidecar;
  readonly directory: string;
  /** False while the disk is nearly full. */
  readonly hasRoom: () => boolean;
  readonly clock: Clock;
  readonly log: Log;
}

/** Time for which sidecars are kept (`blockchain/blob_storage.go@v2.2.2`), in milliseconds. */
export const RETENTION_MS = 21 * 86_400_000;
/** The same in blocks of a second, as the Go node counts what it deletes. */
const RETENTION_BLOCKS = RETENTION_MS / 1000;
/** Sidecars on their way to the disk. More of them count as missing. */
const MAX_WRITING = 32;
/** Sidecars of proposals. */
const MAX_PROPOSED = 16;

/** Opens the sidecars of a chain. The pool must follow the chain already, since it is asked about each new block. */
export function openSidecars(deps: SidecarsDeps): Sidecars {
  return new KeptSidecars(deps);
}

class KeptSidecars implements Sidecars {
  readonly #deps: SidecarsDeps;
  readonly #files: SidecarFiles;
  readonly #stop: () => void;
  readonly #proposed = new Map<string, BlobSidecar>();
  /** Sidecars on their way to the disk, by transaction. */
  readonly #writing = new Map<string, SidecarPosition & { readonly sidecar: BlobSidecar }>();
  #missing: MissingListener | undefined;
  /** The running writes and deletions, one after the other. */
  #work: Promise<void> = Promise.resolve();

  constructor(deps: SidecarsDeps) {
    this.#deps = deps;
    this.#files = new SidecarFiles(deps.directory);
    this.#stop = deps.chain.onHead((block) => this.#follow(block));
  }

  onMissing(listener: MissingListener): void {
    this.#missing = listener;
  }

  propose(hash: Hash, sidecar: BlobSidecar): void {
    this.#proposed.set(mapKey(hash), sidecar);
    for (const key of this.#proposed.keys()) {
      if (this.#proposed.size <= MAX_PROPOSED) break;
      this.#proposed.delete(key);
    }
  }

  sidecarAt({ block, index }: TransactionPlace): BlobSidecar | undefined {
    const transaction = block.transactions[index];
    if (transaction === undefined) return undefined;
    const writing = this.#writing.get(mapKey(transaction.hash))?.sidecar;
    const sidecar = writing ?? this.#files.read({ number: block.header.number, index });
    return sidecar !== undefined && belongsTo(sidecar, transaction) ? sidecar : undefined;
  }

  blob(versioned: Hash): Uint8Array | undefined {
    for (const { number, index } of [...this.#writing.values(), ...this.#files.positions()]) {
      const block = this.#deps.chain.block(number);
      const hashes = block?.transactions[index]?.fields.blobVersionedHashes ?? [];
      const at = hashes.findIndex((hash) => equalBytes(hash, versioned));
      const blob = block && at >= 0 ? this.sidecarAt({ block, index })?.blobs[at] : undefined;
      if (blob !== undefined) return blob;
    }
    return undefined;
  }

  find(hash: Hash): BlobSidecar | undefined {
    const { chain, pool } = this.#deps;
    const pooled = pool.get(hash);
    if (pooled !== undefined) return decodeTransaction(pool.wire(pooled)).fields.sidecar;
    const place = chain.findTransaction(hash);
    return (place && this.sidecarAt(place)) ?? pool.minedBlobs(hash);
  }

  async accept(hash: Hash, sidecar: BlobSidecar, peer: Client = {}): Promise<boolean> {
    const place = this.#deps.chain.findTransaction(hash);
    const { blobVersionedHashes: hashes } = place?.block.transactions[place.index]?.fields ?? {};
    if (place === undefined || hashes === undefined) return false;
    try {
      checkSidecar(hashes, sidecar);
    } catch (error) {
      if (error instanceof PoolError) return false;
      throw error;
    }
    if (!(await this.#deps.prove(sidecar, peer))) return false;
    const position = { number: place.block.header.number, index: place.index };
    return this.#write({ ...position, hash }, sidecar);
  }

  #follow({ header: { number, time }, transactions }: Block): void {
    if (this.#deps.clock.now() - time * 1000 > RETENTION_MS) return;
    if (number % BUCKET_BLOCKS === 0) {
      this.#run("cannot delete old blob sidecars", () => this.#files.deleteBefore(number - RETENTION_BLOCKS));
    }
    for (const [index, { hash, fields }] of transactions.entries()) {
      if (fields.blobVersionedHashes === undefined) continue;
      const key = mapKey(hash);
      const sidecar = this.#deps.pool.minedBlobs(hash) ?? this.#proposed.get(key);
      this.#proposed.delete(key);
      const place = { number, index, hash };
      if (sidecar === undefined || !this.#write(place, sidecar)) this.#missing?.(place);
    }
  }

  /** Writes a verified sidecar. Returns false when the disk has no room or too many writes are waiting. */
  #write({ hash, ...position }: SidecarPlace, sidecar: BlobSidecar): boolean {
    if (this.#writing.size >= MAX_WRITING || !this.#deps.hasRoom()) return false;
    const key = mapKey(hash);
    this.#writing.set(key, { ...position, sidecar });
    this.#run("cannot write a blob sidecar", async () => {
      try {
        await this.#files.write(position, sidecar);
      } finally {
        this.#writing.delete(key);
      }
    });
    return true;
  }

  #run(failure: string, work: () => Promise<void>): void {
    this.#work = this.#work.then(work).catch((error: unknown) => {
      this.#deps.log.warn({ reason: messageOf(error) }, failure);
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop();
    await this.#work;
  }
}

/** False for the sidecar of a transaction that was at this place before the chain was rewound. */
function belongsTo({ commitments }: BlobSidecar, { fields }: Transaction): boolean {
  const { blobVersionedHashes: hashes = [] } = fields;
  return (
    hashes.length === commitments.length &&
    commitments.every((commitment, i) => equalBytes(versionedHash(commitment), hashes[i] as Hash))
  );
}
