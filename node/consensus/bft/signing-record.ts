/**
 * Record of the last signed messages and the lock in the chain's database. It is synced before a message is
 * sent, so that a crash never makes the node sign a contradiction. A rewind of the chain moves it to a row of its own.
 */
import { BytesError } from "../../bytes/error.ts";
import { integerBytes } from "../../bytes/integer.ts";
import { encodeRlp, encodeRlpList, type RlpInput } from "../../bytes/rlp.ts";
import { RlpCursor } from "../../bytes/rlp-cursor.ts";
import { splitBlock } from "../../model/block.ts";
import { decodeHeader, encodeHeader } from "../../model/header.ts";
import type { Rows, Store } from "../../store/store.ts";
import { tables } from "../../store/tables.ts";
import { isVote, type Proposal } from "./message.ts";
import { keyBytes, PAYLOAD_KINDS, type ProposedBlock, proposedBlock } from "./payload.ts";
import type { DurableState, LastSigned, Lock, RoundState } from "./round-state.ts";
import { readMessage } from "./signed-message.ts";
import { compareViews, type View } from "./view.ts";

const SIGNED_KEY = tables.meta.key("signed");
const LOCKED_KEY = tables.meta.key("locked");
const BEFORE_REWIND_KEY = tables.meta.key("signedBefore");

/**
 * Reads the record; undefined when nothing was ever signed. Throws `BytesError`, `ModelError` or `ConsensusError` when a
 * row is damaged.
 */
export function readRecord(rows: Rows): DurableState<ProposedBlock> | undefined {
  const signed = rows.get(SIGNED_KEY);
  if (signed === undefined) return undefined;
  const locked = rows.get(LOCKED_KEY);
  return { signed: decodeSigned(signed), lock: locked && decodeLock(locked) };
}

/** Reads the signed messages of before the last rewind; undefined without one. Throws as `readRecord`. */
export function readRecordBeforeRewind(rows: Rows): LastSigned | undefined {
  const signed = rows.get(BEFORE_REWIND_KEY);
  return signed && decodeSigned(signed);
}

/** Digest of a reserved slot: any block may have been signed there, so no other may be. */
export const RESERVED = "\xff".repeat(32);

/** Writes the record of one validator. */
export class SigningRecord {
  readonly #store: Store;
  #onDisk: DurableState<ProposedBlock> | undefined;
  #reserved: View | undefined;
  #writtenAhead: string | undefined;
  #writing: Promise<void> = Promise.resolve();

  constructor(store: Store) {
    this.#store = store;
  }

  /** Resolves when the record of the signed messages is durable. */
  async sync(now: DurableState<ProposedBlock>): Promise<void> {
    await this.#writing;
    if (this.#onDisk === undefined || !isCovered(this.#onDisk, now)) await this.#write(now);
  }

  /**
   * Reserves a proposal and a prepare in the view ahead of time, so that neither waits for the disk. After a
   * crash the node is silent in that view. In a view that has begun it writes the votes of the lock, or that
   * there is no lock.
   */
  reserve({ view, signed, lock }: DurableState<ProposedBlock> & { readonly view: View }): void {
    const latest = this.#reserved === undefined ? signed.view : later(signed.view, this.#reserved);
    if (compareViews(latest, view) < 0) {
      this.#reserved = view;
      return this.#writeBehind({ signed: reservationOf(view), lock });
    }
    const isUnderWay = compareViews(signed.view, view) === 0;
    if (isUnderWay && this.#onDisk?.lock !== lock) this.#writeBehind({ signed, lock });
  }

  /**
   * Writes the commit of a prepared block ahead of its prepares, so that the commit does not wait for the
   * disk. After a crash the node is locked on that block.
   */
  writeAhead(state: RoundState<ProposedBlock>): void {
    const next = lockWrittenAhead(state);
    if (next === undefined || this.#writtenAhead === next.lock.proposal.hash) return;
    this.#writtenAhead = next.lock.proposal.hash;
    this.#writeBehind(next);
  }

  /** Replaces reservations by what was signed, at the end. */
  async finish(now: DurableState<ProposedBlock>): Promise<void> {
    await this.#writing;
    const disk = this.#onDisk;
    if (disk !== undefined && (disk.signed !== now.signed || disk.lock !== now.lock)) await this.#write(now);
  }

  #writeBehind(record: DurableState<ProposedBlock>): void {
    this.#writing = this.#writing.then(() => this.#write(record));
    this.#writing.catch(() => undefined); // the next `sync` rejects with it
  }

  async #write(now: DurableState<ProposedBlock>): Promise<void> {
    const { signed, lock } = now;
    const batch = this.#store.createBatch();
    batch.put(SIGNED_KEY, encodeSigned(signed));
    if (lock === undefined) batch.delete(LOCKED_KEY);
    else if (lock !== this.#onDisk?.lock) batch.put(LOCKED_KEY, encodeLock(lock));
    await this.#store.write(batch, { sync: true });
    this.#onDisk = { signed, lock };
  }
}

/**
 * Returns the record of a prepared block as if it had been committed, with a lock without votes; undefined
 * when there is no such block. Only in the first round: later rounds are slow anyway, and two nodes that
 * restart with such locks can then differ only by one proposer's blocks.
 */
export function lockWrittenAhead<P extends Proposal>({
  view,
  signed,
  lock,
  proposal,
}: RoundState<P>): (DurableState<P> & { readonly lock: Lock<P> }) | undefined {
  if (view.round > 0 || lock !== undefined || proposal === undefined) return undefined;
  if (compareViews(signed.view, view) !== 0) return undefined;
  const { prepare, commit } = signed.digests;
  if (prepare !== proposal.hash || commit !== undefined) return undefined;
  const digests = { ...signed.digests, commit: proposal.hash };
  return { signed: { view, digests }, lock: { proposal, round: view.round, proof: [] } };
}

function later(a: View, b: View): View {
  return compareViews(a, b) < 0 ? b : a;
}

/** Returns the record that reserves a view. */
export function reservationOf(view: View): LastSigned {
  return { view, digests: { preprepare: RESERVED, prepare: RESERVED } };
}

/** Returns true when a node that restarts with the record on disk cannot contradict the other one. */
function isCovered(
  disk: DurableState<ProposedBlock>,
  { signed, lock }: DurableState<ProposedBlock>,
): boolean {
  const order = compareViews(disk.signed.view, signed.view);
  if (order < 0 || !isLockCovered(disk.lock, lock)) return false;
  const known = disk.signed.digests;
  return order > 0 || PAYLOAD_KINDS.every((kind) => isDigestCovered(known[kind], signed.digests[kind]));
}

/** Returns true when the lock on disk covers the other one; a lock that is not needed contradicts nothing. */
function isLockCovered(
  disk: Lock<ProposedBlock> | undefined,
  lock: Lock<ProposedBlock> | undefined,
): boolean {
  if (lock === undefined) return true;
  return disk?.round === lock.round && disk.proposal.hash === lock.proposal.hash;
}

function isDigestCovered(known: string | undefined, digest: string | undefined): boolean {
  return digest === undefined || known === digest || known === RESERVED;
}

function encodeSigned({ view, digests }: LastSigned): Uint8Array {
  const each = PAYLOAD_KINDS.map((kind) => keyBytes(digests[kind] ?? ""));
  return encodeRlp([integerBytes(view.sequence), integerBytes(view.round), ...each]);
}

function decodeSigned(row: Uint8Array): LastSigned {
  const cursor = new RlpCursor(row);
  const end = cursor.enter();
  const view = { sequence: cursor.number(), round: cursor.number() };
  const digests: Partial<Record<(typeof PAYLOAD_KINDS)[number], string>> = {};
  for (const kind of PAYLOAD_KINDS) {
    const digest = cursor.optionalFixed(32);
    if (digest !== undefined) digests[kind] = Buffer.from(digest).toString("latin1");
  }
  cursor.leave(end);
  cursor.leave(row.length);
  return { view, digests };
}

function encodeLock({ round, proposal, proof }: Lock<ProposedBlock>): Uint8Array {
  const messages: RlpInput = proof.map(({ bytes }) => bytes);
  const block = encodeRlpList([encodeHeader(proposal.header), proposal.body]);
  return encodeRlpList([encodeRlp(integerBytes(round)), block, encodeRlp(messages)]);
}

function decodeLock(row: Uint8Array): Lock<ProposedBlock> {
  const cursor = new RlpCursor(row);
  const end = cursor.enter();
  const round = cursor.number();
  const { header, body } = splitBlock(cursor.raw());
  const outer = cursor.enter();
  const proof = [];
  while (!cursor.done) {
    const message = readMessage(cursor.string());
    if (!isVote(message)) throw new BytesError("bad-rlp", "a lock stands on votes");
    proof.push(message);
  }
  cursor.leave(outer);
  cursor.leave(end);
  cursor.leave(row.length);
  return { round, proposal: proposedBlock(decodeHeader(header), body.raw), proof };
}
