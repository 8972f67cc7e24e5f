/**
 * Signed consensus messages: decoding with verification of the signature and the committed seal, and signing
 * of own messages.
 */
import type { Address, Hash } from "../../bytes/brands.ts";
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

/** A message about a proposed block. */
export type BlockMessage = ConsensusMessage<ProposedBlock>;

const NO_BYTES = new Uint8Array(0);

/** A decoded message whose signature has not been verified. */
export interface UnverifiedMessage extends Pick<BlockMessage, "sender" | "payload" | "bytes"> {
  readonly wire: WireMessage;
}

/** Decodes and verifies a message. Throws as `parseMessage` and `verifyMessage`. */
export function readMessage(bytes: Uint8Array): BlockMessage {
  return verifyMessage(parseMessage(bytes));
}

/**
 * Decodes a message without verifying it. Throws `BytesError`, `ModelError`, or `ConsensusError`
 * `bad-message` for an unknown code.
 */
export function parseMessage(bytes: Uint8Array): UnverifiedMessage {
  const wire = decodeWireMessage(bytes);
  const { code, content, sender } = wire;
  const payload = decodePayload(code, content);
  if (payload === undefined) throw badMessage(`there is no message ${code}`);
  return { sender: mapKey(sender), payload, bytes, wire };
}

/**
 * Verifies the signature and the committed seal of a commit, since a false seal would invalidate the block.
 * Throws `ConsensusError` `bad-message`.
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
 * Creates the signer of one validator; the same payload gives the same bytes. A pre-prepare carries the round
 * in its header, and its bytes are encoded on first use.
 */
export function createMessageSigner(
  address: Address,
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

function isSignedBy(sender: Address, digest: Hash, signature: Uint8Array): boolean {
  const key = recover(digest, signature);
  return key !== undefined && equalBytes(addressOfPublicKey(key), sender);
}

function badMessage(what: string): ConsensusError {
  return new ConsensusError("bad-message", what);
}
