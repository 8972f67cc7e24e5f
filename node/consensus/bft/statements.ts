/** The inner half of a consensus message: what it says, by its code. */
import { mapKey } from "../../bytes/hex.ts";
import { integerBytes } from "../../bytes/integer.ts";
import { encodeRlp, encodeRlpList } from "../../bytes/rlp.ts";
import { splitBlock } from "../../model/block.ts";
import { blockHash, decodeHeader, encodeHeader, type Header } from "../../model/header.ts";
import { RlpCursor } from "../../model/rlp-cursor.ts";
import type { Preprepare, Proposal, Statement, Vote } from "./letter.ts";
import type { View } from "./view.ts";

/** A proposed block: its transactions are not read before it is judged. */
export interface ProposedBlock extends Proposal {
  readonly header: Header;
  /** RLP list of its transactions, those with blobs as they travel. */
  readonly body: Uint8Array;
}

/** What is said of proposed blocks. */
export type BlockStatement = Statement<ProposedBlock>;

/** Kinds of statements, by their codes. */
export const KINDS = ["preprepare", "prepare", "commit", "round-change"] as const;

/** The code of a kind. */
export function codeOf(kind: BlockStatement["kind"]): number {
  return KINDS.indexOf(kind);
}

/** Reads what a message says; undefined where there is no such kind. Throws `BytesError` or `ModelError`. */
export function decodeStatement(code: number, content: Uint8Array): BlockStatement | undefined {
  const kind = KINDS[code];
  if (kind === undefined) return undefined;
  const cursor = new RlpCursor(content);
  const end = cursor.enter();
  const view = readView(cursor);
  const statement = kind === "preprepare" ? readProposal(cursor, view) : readVote(cursor, kind, view);
  cursor.leave(end);
  cursor.leave(content.length);
  return statement;
}

/** The other way. */
export function encodeStatement(statement: BlockStatement): Uint8Array<ArrayBuffer> {
  const { sequence, round } = statement.view;
  const view = encodeRlp([integerBytes(round), integerBytes(sequence)]);
  if (statement.kind !== "preprepare") {
    return encodeRlpList([
      view,
      encodeRlp(keyBytes(statement.digest)),
      encodeRlp(keyBytes(statement.parent)),
    ]);
  }
  const { header, body } = statement.proposal;
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

function readVote(cursor: RlpCursor, kind: Vote["kind"], view: View): Vote {
  return { kind, view, digest: mapKey(cursor.fixed(32)), parent: mapKey(cursor.fixed(32)) };
}

function readProposal(cursor: RlpCursor, view: View): Preprepare<ProposedBlock> {
  const { header, body } = splitBlock(cursor.raw());
  return { kind: "preprepare", view, proposal: proposedBlock(decodeHeader(header), body.raw) };
}
