/**
 * RLP codec of payloads: the part of a consensus message that depends on its code
 * (`consensus/istanbul/types.go@v2.2.2`).
 */
import { mapKey } from "../../bytes/hex.ts";
import { integerBytes } from "../../bytes/integer.ts";
import { encodeRlp, encodeRlpList } from "../../bytes/rlp.ts";
import { RlpCursor } from "../../bytes/rlp-cursor.ts";
import { splitBlock } from "../../model/block.ts";
import { blockHash, decodeHeader, encodeHeader, type Header } from "../../model/header.ts";
import type { MessagePayload, Preprepare, Proposal, VotePayload } from "./message.ts";
import type { View } from "./view.ts";

/** A proposed block with its header. The transactions are decoded when the block is verified. */
export interface ProposedBlock extends Proposal {
  readonly header: Header;
}

/** Payload of a message about a proposed block. */
export type BlockPayload = MessagePayload<ProposedBlock>;

/** Payload kinds, indexed by message code. */
export const PAYLOAD_KINDS = ["preprepare", "prepare", "commit", "round-change"] as const;

/** Returns the message code of a kind. */
export function payloadCode(kind: BlockPayload["kind"]): number {
  return PAYLOAD_KINDS.indexOf(kind);
}

/** Decodes a payload. Returns undefined for an unknown code. Throws `BytesError` or `ModelError`. */
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

/** Encodes a payload. */
export function encodePayload(payload: BlockPayload): Uint8Array<ArrayBuffer> {
  const { sequence, round } = payload.view;
  const view = encodeRlp([integerBytes(round), integerBytes(sequence)]);
  if (payload.kind !== "preprepare") {
    return encodeRlpList([view, encodeRlp(keyBytes(payload.digest)), encodeRlp(keyBytes(payload.parent))]);
  }
  const { header, body } = payload.proposal;
  return encodeRlpList([view, encodeRlpList([encodeHeader(header), body])]);
}

/** Returns the bytes of a map key. */
export function keyBytes(key: string): Uint8Array {
  return Buffer.from(key, "latin1");
}

/** Creates a proposed block from its header and body. */
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
  return { kind, view, digest: mapKey(cursor.hash()), parent: mapKey(cursor.fixedBytes(32)) };
}

function readProposal(cursor: RlpCursor, view: View): Preprepare<ProposedBlock> {
  const { header, body } = splitBlock(cursor.raw());
  return { kind: "preprepare", view, proposal: proposedBlock(decodeHeader(header), body.raw) };
}
