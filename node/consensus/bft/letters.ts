/** Letters from bytes, with every signature in them checked; and bytes from what this node says. */
import { equalBytes } from "../../bytes/compare.ts";
import { mapKey } from "../../bytes/hex.ts";
import { addressOfPublicKey, recover } from "../../crypto/secp256k1.ts";
import { committedSealDigest } from "../../model/istanbul-extra.ts";
import { ConsensusError } from "../error.ts";
import { type SealDigest, withRound } from "../seal.ts";
import type { Letter, Preprepare } from "./letter.ts";
import { type ConsensusMessage, decodeMessage, encodeMessage, messageDigest } from "./message.ts";
import {
  type BlockStatement,
  codeOf,
  decodeStatement,
  encodeStatement,
  keyBytes,
  type ProposedBlock,
} from "./statements.ts";

/** A letter about blocks. */
export type BlockLetter = Letter<ProposedBlock>;

const NO_BYTES = new Uint8Array(0);

/** What somebody claims that somebody says: no signature of it has been checked. */
export interface Claimed extends Pick<BlockLetter, "sender" | "statement" | "payload"> {
  readonly message: ConsensusMessage;
}

/** Reads a letter and checks it: `readClaim` and `checkLetter`, with what they throw. */
export function readLetter(payload: Uint8Array): BlockLetter {
  return checkLetter(readClaim(payload));
}

/** Reads what a letter claims. Throws `BytesError`, `ModelError`, or `ConsensusError` `bad-message` for another kind. */
export function readClaim(payload: Uint8Array): Claimed {
  const message = decodeMessage(payload);
  const { code, content, sender } = message;
  const statement = decodeStatement(code, content);
  if (statement === undefined) throw bad(`there is no message ${code}`);
  return { sender: mapKey(sender), statement, payload, message };
}

/**
 * Checks the signature, and the seal of a commit too: one that is not its sender's would spoil the block. Throws
 * `ConsensusError` `bad-message` for a false one.
 */
export function checkLetter({ message, sender, statement, payload }: Claimed): BlockLetter {
  const { signature, seal } = message;
  if (!isSignedBy(message.sender, messageDigest(message), signature)) {
    throw bad("the signature is not the sender's");
  }
  if (statement.kind === "commit" && !isSignedBy(message.sender, sealDigest(statement.digest), seal)) {
    throw bad("the committed seal is not the sender's");
  }
  return { sender, statement, seal, payload };
}

/**
 * Writes the letters of one validator: the same statement gives the same bytes. A proposal gets the round in which it
 * is proposed; those bytes are made when somebody wants them.
 */
export function createWriter(
  address: Uint8Array,
  sign: SealDigest,
): (statement: BlockStatement) => BlockLetter {
  return (statement) => {
    const seal = statement.kind === "commit" ? sign(sealDigest(statement.digest)) : NO_BYTES;
    let payload: Uint8Array | undefined;
    return {
      sender: mapKey(address),
      statement,
      seal,
      get payload() {
        payload ??= signedPayload({ statement, sender: address, seal }, sign);
        return payload;
      },
    };
  };
}

function signedPayload(
  {
    statement,
    sender,
    seal,
  }: Pick<ConsensusMessage, "sender" | "seal"> & { readonly statement: BlockStatement },
  sign: SealDigest,
): Uint8Array {
  const isProposal = statement.kind === "preprepare";
  const unsigned: ConsensusMessage = {
    hash: keyBytes(isProposal ? statement.proposal.parent : statement.parent),
    code: codeOf(statement.kind),
    content: encodeStatement(isProposal ? inItsRound(statement) : statement),
    sender,
    signature: NO_BYTES,
    seal,
  };
  return encodeMessage({ ...unsigned, signature: sign(messageDigest(unsigned)) });
}

function inItsRound(statement: Preprepare<ProposedBlock>): Preprepare<ProposedBlock> {
  const { view, proposal } = statement;
  return { ...statement, proposal: { ...proposal, header: withRound(proposal.header, view.round) } };
}

function sealDigest(digest: string): Uint8Array {
  return committedSealDigest(keyBytes(digest));
}

function isSignedBy(sender: Uint8Array, digest: Uint8Array, signature: Uint8Array): boolean {
  const key = recover(digest, signature);
  return key !== undefined && equalBytes(addressOfPublicKey(key), sender);
}

function bad(what: string): ConsensusError {
  return new ConsensusError("bad-message", what);
}
