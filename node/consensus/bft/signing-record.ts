/**
 * What this node signed last and what it is bound to, in the chain's database: synced before anything of it is
 * sent, so that no crash makes the node contradict itself. It goes when the chain is taken back.
 */
import { BytesError } from "../../bytes/error.ts";
import { integerBytes } from "../../bytes/integer.ts";
import { encodeRlp, encodeRlpList, type RlpInput } from "../../bytes/rlp.ts";
import { splitBlock } from "../../model/block.ts";
import { decodeHeader, encodeHeader } from "../../model/header.ts";
import { RlpCursor } from "../../model/rlp-cursor.ts";
import type { Rows, Store } from "../../store/store.ts";
import { tables } from "../../store/tables.ts";
import { lockWrittenAhead } from "./foreseen.ts";
import { isVote } from "./message.ts";
import { keyBytes, PAYLOAD_KINDS, type ProposedBlock, proposedBlock } from "./payload.ts";
import type { DurableState, LastSigned, Lock, RoundState } from "./round-state.ts";
import { readMessage } from "./signed-message.ts";
import { compareViews, type View } from "./view.ts";

const SIGNED_KEY = tables.meta.key("signed");
const LOCKED_KEY = tables.meta.key("locked");

/** The record as it was written last; undefined when nothing was ever signed. Throws `BytesError` when it is damaged. */
export function readRecord(rows: Rows): DurableState<ProposedBlock> | undefined {
  const signed = rows.get(SIGNED_KEY);
  if (signed === undefined) return undefined;
  const locked = rows.get(LOCKED_KEY);
  return { signed: decodeSigned(signed), lock: locked && decodeLock(locked) };
}

/** Stands for a block that may have been signed: nothing else of the kind may be, whatever it was. */
const RESERVED = "\xff".repeat(32);

/** Keeps the record on disk; see the head of this file. */
export class SigningRecord {
  readonly #store: Store;
  #onDisk: DurableState<ProposedBlock> | undefined;
  #reserved: View | undefined;
  #writtenAhead: string | undefined;
  #writing: Promise<void> = Promise.resolve();

  constructor(store: Store) {
    this.#store = store;
  }

  /** Resolves when what was signed so far would survive a power failure. */
  async sync(now: DurableState<ProposedBlock>): Promise<void> {
    await this.#writing;
    if (this.#onDisk === undefined || !isCovered(this.#onDisk, now)) await this.#write(now);
  }

  /**
   * Notes ahead, while nobody waits for it, that a block may be proposed and prepared in the view: then neither waits
   * for the disk. After a crash the node keeps quiet in that view. In a view that is under way it writes the votes
   * that a lock stands on, or that there is none after all.
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
   * Notes ahead, while the votes for a block are on their way, that it may be committed: then that does not wait for
   * the disk. After a crash the node is bound to it.
   */
  writeAhead(state: RoundState<ProposedBlock>): void {
    const next = lockWrittenAhead(state);
    if (next === undefined || this.#writtenAhead === next.lock.proposal.hash) return;
    this.#writtenAhead = next.lock.proposal.hash;
    this.#writeBehind(next);
  }

  /** At the end: what was noted ahead and did not come is free again. */
  async finish(now: DurableState<ProposedBlock>): Promise<void> {
    await this.#writing;
    const disk = this.#onDisk;
    if (disk !== undefined && (disk.signed !== now.signed || disk.lock !== now.lock)) await this.#write(now);
  }

  #writeBehind(record: DurableState<ProposedBlock>): void {
    this.#writing = this.#writing.then(() => this.#write(record));
    this.#writing.catch(() => undefined); // whoever keeps something next sees the failure
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

function later(a: View, b: View): View {
  return compareViews(a, b) < 0 ? b : a;
}

/** What may have been signed when a view is reserved. */
export function reservationOf(view: View): LastSigned {
  return { view, digests: { preprepare: RESERVED, prepare: RESERVED } };
}

/** Whether a node that comes back with the one record contradicts nothing of the other. */
function isCovered(
  disk: DurableState<ProposedBlock>,
  { signed, lock }: DurableState<ProposedBlock>,
): boolean {
  const order = compareViews(disk.signed.view, signed.view);
  if (order < 0 || !isLockCovered(disk.lock, lock)) return false;
  const known = disk.signed.digests;
  return order > 0 || PAYLOAD_KINDS.every((kind) => isDigestCovered(known[kind], signed.digests[kind]));
}

/** Being bound where one need not be contradicts nothing. */
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
  return { round, proposal: proposedBlock(decodeHeader(header), body.raw), proof };
}
