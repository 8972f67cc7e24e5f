/** Messages from bytes, with every signature in them checked; and bytes from what this node says. */
import { equalBytes } from "../../bytes/compare.ts";
import { mapKey } from "../../bytes/hex.ts";
import { addressOfPublicKey, recover } from "../../crypto/secp256k1.ts";
import { committedSealDigest } from "../../model/istanbul-extra.ts";
import { ConsensusError } from "../error.ts";
import { type SealDigest, withRound } from "../seal.ts";
import type { ConsensusMessage, Preprepare } from "./message.ts";
import {
  type BlockPayload,
  decodePayload,
  encodePayload,
  keyBytes,
  type ProposedBlock,
  payloadCode,
} from "./payload.ts";
import { decodeWireMessage, encodeWireMessage, type WireMessage, wireMessageDigest } from "./wire-message.ts";

/** A message about blocks. */
export type BlockMessage = ConsensusMessage<ProposedBlock>;

const NO_BYTES = new Uint8Array(0);

/** What somebody claims that somebody says: no signature of it has been checked. */
export interface UnverifiedMessage extends Pick<BlockMessage, "sender" | "payload" | "bytes"> {
  readonly wire: WireMessage;
}

/** Reads a message and checks it: `readClaim` and `checkLetter`, with what they throw. */
export function readMessage(bytes: Uint8Array): BlockMessage {
  return verifyMessage(parseMessage(bytes));
}

/** Reads what a message claims. Throws `BytesError`, `ModelError`, or `ConsensusError` `bad-message` for another kind. */
export function parseMessage(bytes: Uint8Array): UnverifiedMessage {
  const wire = decodeWireMessage(bytes);
  const { code, content, sender } = wire;
  const payload = decodePayload(code, content);
  if (payload === undefined) throw badMessage(`there is no message ${code}`);
  return { sender: mapKey(sender), payload, bytes, wire };
}

/**
 * Checks the signature, and the seal of a commit too: one that is not its sender's would spoil the block. Throws
 * `ConsensusError` `bad-message` for a false one.
 */
export function verifyMessage({ wire, sender, payload, bytes }: UnverifiedMessage): BlockMessage {
  const { signature, seal } = wire;
  if (!isSignedBy(wire.sender, wireMessageDigest(wire), signature)) {
    throw badMessage("the signature is not the sender's");
  }
  if (payload.kind === "commit" && !isSignedBy(wire.sender, sealDigest(payload.digest), seal)) {
    throw badMessage("the committed seal is not the sender's");
  }
  return { sender, payload, seal, bytes };
}

/**
 * Writes the messages of one validator: the same payload gives the same bytes. A proposal gets the round in which it
 * is proposed; those bytes are made when somebody wants them.
 */
export function createMessageSigner(
  address: Uint8Array,
  sign: SealDigest,
): (payload: BlockPayload) => BlockMessage {
  return (payload) => {
    const seal = payload.kind === "commit" ? sign(sealDigest(payload.digest)) : NO_BYTES;
    let bytes: Uint8Array | undefined;
    return {
      sender: mapKey(address),
      payload,
      seal,
      get bytes() {
        bytes ??= signedBytes({ payload, sender: address, seal }, sign);
        return bytes;
      },
    };
  };
}

function signedBytes(
  { payload, sender, seal }: Pick<WireMessage, "sender" | "seal"> & { readonly payload: BlockPayload },
  sign: SealDigest,
): Uint8Array {
  const isProposal = payload.kind === "preprepare";
  const unsigned: WireMessage = {
    hash: keyBytes(isProposal ? payload.proposal.parent : payload.parent),
    code: payloadCode(payload.kind),
    content: encodePayload(isProposal ? inItsRound(payload) : payload),
    sender,
    signature: NO_BYTES,
    seal,
  };
  return encodeWireMessage({ ...unsigned, signature: sign(wireMessageDigest(unsigned)) });
}

function inItsRound(payload: Preprepare<ProposedBlock>): Preprepare<ProposedBlock> {
  const { view, proposal } = payload;
  return { ...payload, proposal: { ...proposal, header: withRound(proposal.header, view.round) } };
}

function sealDigest(digest: string): Uint8Array {
  return committedSealDigest(keyBytes(digest));
}

function isSignedBy(sender: Uint8Array, digest: Uint8Array, signature: Uint8Array): boolean {
  const key = recover(digest, signature);
  return key !== undefined && equalBytes(addressOfPublicKey(key), sender);
}

function badMessage(what: string): ConsensusError {
  return new ConsensusError("bad-message", what);
}
