/** The inner half of a consensus message: what it says, by its code. */
import { mapKey } from "../../bytes/hex.ts";
import { integerBytes } from "../../bytes/integer.ts";
import { encodeRlp, encodeRlpList } from "../../bytes/rlp.ts";
import { splitBlock } from "../../model/block.ts";
import { blockHash, decodeHeader, encodeHeader, type Header } from "../../model/header.ts";
import { RlpCursor } from "../../model/rlp-cursor.ts";
import type { Payload, Preprepare, Proposal, VotePayload } from "./message.ts";
import type { View } from "./view.ts";

/** A proposed block: its transactions are not read before it is judged. */
export interface ProposedBlock extends Proposal {
  readonly header: Header;
  /** RLP list of its transactions, those with blobs as they travel. */
  readonly body: Uint8Array;
}

/** What is said of proposed blocks. */
export type BlockPayload = Payload<ProposedBlock>;

/** Kinds of payloads, by their codes. */
export const PAYLOAD_KINDS = ["preprepare", "prepare", "commit", "round-change"] as const;

/** The code of a kind. */
export function payloadCode(kind: BlockPayload["kind"]): number {
  return PAYLOAD_KINDS.indexOf(kind);
}

/** Reads what a message says; undefined where there is no such kind. Throws `BytesError` or `ModelError`. */
export function decodePayload(code: number, content: Uint8Array): BlockPayload | undefined {
  const kind = PAYLOAD_KINDS[code];
  if (kind === undefined) return undefined;
  const cursor = new RlpCursor(content);
  const end = cursor.enter();
  const view = readView(cursor);
  const payload = kind === "preprepare" ? readProposal(cursor, view) : readVote(cursor, kind, view);
  cursor.leave(end);
  cursor.leave(content.length);
  return payload;
}

/** The other way. */
export function encodePayload(payload: BlockPayload): Uint8Array<ArrayBuffer> {
  const { sequence, round } = payload.view;
  const view = encodeRlp([integerBytes(round), integerBytes(sequence)]);
  if (payload.kind !== "preprepare") {
    return encodeRlpList([view, encodeRlp(keyBytes(payload.digest)), encodeRlp(keyBytes(payload.parent))]);
  }
  const { header, body } = payload.proposal;
  return encodeRlpList([view, encodeRlpList([encodeHeader(header), body])]);
}

/** The bytes that a map key stands for. */
export function keyBytes(key: string): Uint8Array {
  return Buffer.from(key, "latin1");
}

/** A block as consensus handles it. */
export function proposedBlock(header: Header, body: Uint8Array): ProposedBlock {
  const { number, parentHash } = header;
  return { number, hash: mapKey(blockHash(header)), parent: mapKey(parentHash), header, body };
}

function readView(cursor: RlpCursor): View {
  const end = cursor.enter();
  const [round, sequence] = [cursor.number(), cursor.number()];
  cursor.leave(end);
  return { sequence, round };
}

function readVote(cursor: RlpCursor, kind: VotePayload["kind"], view: View): VotePayload {
  return { kind, view, digest: mapKey(cursor.fixed(32)), parent: mapKey(cursor.fixed(32)) };
}

function readProposal(cursor: RlpCursor, view: View): Preprepare<ProposedBlock> {
  const { header, body } = splitBlock(cursor.raw());
  return { kind: "preprepare", view, proposal: proposedBlock(decodeHeader(header), body.raw) };
}
