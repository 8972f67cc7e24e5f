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
import { isVote } from "./letter.ts";
import { readLetter } from "./letters.ts";
import type { Lock, Remembered, Signed } from "./round-state.ts";
import { KINDS, keyBytes, type ProposedBlock, proposedBlock } from "./statements.ts";

const SIGNED_KEY = tables.meta.key("signed");
const LOCKED_KEY = tables.meta.key("locked");

/** The record as it was written last; undefined when nothing was ever signed. Throws `BytesError` when it is damaged. */
export function readRecord(rows: Rows): Remembered<ProposedBlock> | undefined {
  const signed = rows.get(SIGNED_KEY);
  if (signed === undefined) return undefined;
  const locked = rows.get(LOCKED_KEY);
  return { signed: decodeSigned(signed), lock: locked && decodeLock(locked) };
}

/** Writes what has changed since; resolves when it would survive a power failure. */
export function openRecord(store: Store): (now: Remembered<ProposedBlock>) => Promise<void> {
  let before: Partial<Remembered<ProposedBlock>> = {};
  return async (now) => {
    if (now.signed === before.signed && now.lock === before.lock) return;
    const batch = store.createBatch();
    batch.put(SIGNED_KEY, encodeSigned(now.signed));
    if (now.lock === undefined) batch.delete(LOCKED_KEY);
    else if (now.lock !== before.lock) batch.put(LOCKED_KEY, encodeLock(now.lock));
    before = { signed: now.signed, lock: now.lock };
    await store.write(batch, { sync: true });
  };
}

function encodeSigned({ view, digests }: Signed): Uint8Array {
  const each = KINDS.map((kind) => keyBytes(digests[kind] ?? ""));
  return encodeRlp([integerBytes(view.sequence), integerBytes(view.round), ...each]);
}

function decodeSigned(row: Uint8Array): Signed {
  const cursor = new RlpCursor(row);
  const end = cursor.enter();
  const view = { sequence: cursor.number(), round: cursor.number() };
  const digests: Partial<Record<(typeof KINDS)[number], string>> = {};
  for (const kind of KINDS) {
    const digest = cursor.optionalFixed(32);
    if (digest !== undefined) digests[kind] = Buffer.from(digest).toString("latin1");
  }
  cursor.leave(end);
  return { view, digests };
}

function encodeLock({ round, proposal, proof }: Lock<ProposedBlock>): Uint8Array {
  const letters: RlpInput = proof.map(({ payload }) => payload);
  const block = encodeRlpList([encodeHeader(proposal.header), proposal.body]);
  return encodeRlpList([encodeRlp(integerBytes(round)), block, encodeRlp(letters)]);
}

function decodeLock(row: Uint8Array): Lock<ProposedBlock> {
  const cursor = new RlpCursor(row);
  const end = cursor.enter();
  const round = cursor.number();
  const { header, body } = splitBlock(cursor.raw());
  const outer = cursor.enter();
  const proof = [];
  while (!cursor.done) {
    const letter = readLetter(cursor.string());
    if (!isVote(letter)) throw new BytesError("bad-rlp", "a lock stands on votes");
    proof.push(letter);
  }
  cursor.leave(outer);
  cursor.leave(end);
  return { round, proposal: proposedBlock(decodeHeader(header), body.raw), proof };
}
