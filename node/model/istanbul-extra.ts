/**
 * The extra field of an Istanbul header: 32 bytes of vanity, whose last one is the round in which the block was
 * agreed on, then a list of validators, the proposer's seal and the committed seals.
 */
import { concatBytes } from "../bytes/compare.ts";
import { encodeRlp } from "../bytes/rlp.ts";
import { keccak256 } from "../crypto/keccak.ts";
import { ModelError } from "./error.ts";
import { readExtraFields, VANITY_LENGTH } from "./extra-fields.ts";
import { type Header, sealHash } from "./header.ts";

/** `seal` is 65 bytes or empty while unsealed; `committedSeals` is empty while the block is not agreed on. */
export interface IstanbulExtra {
  readonly vanity: Uint8Array;
  readonly validators: readonly Uint8Array[];
  readonly seal: Uint8Array;
  readonly committedSeals: readonly Uint8Array[];
}

/** Reads the extra field into views. Throws `ModelError` `bad-extra`. */
export function parseExtra(extra: Uint8Array): IstanbulExtra {
  const fields = readExtraFields(extra);
  if (fields === undefined) throw new ModelError("bad-extra", "invalid istanbul header extra-data");
  const { validators, seal, committedSeals } = fields;
  return { vanity: extra.subarray(0, VANITY_LENGTH), validators, seal, committedSeals };
}

/** The extra field's bytes. Vanity shorter than 32 bytes is filled up with zeros, longer is cut. */
export function encodeExtra(extra: IstanbulExtra): Uint8Array<ArrayBuffer> {
  const vanity = new Uint8Array(VANITY_LENGTH);
  vanity.set(extra.vanity.subarray(0, VANITY_LENGTH));
  return concatBytes(vanity, encodeRlp([extra.validators, extra.seal, extra.committedSeals]));
}

/** The consensus round that a block with this extra field was agreed on in. */
export function roundOf(extra: Uint8Array): number {
  return extra[VANITY_LENGTH - 1] ?? 0;
}

/** What the proposer's seal signs: the hash of the seal hash. Throws `ModelError` `bad-extra`. */
export function proposerSealDigest(header: Header): Uint8Array<ArrayBuffer> {
  return keccak256(sealHash(header));
}

/** What a committed seal signs. */
export function committedSealDigest(blockHash: Uint8Array): Uint8Array<ArrayBuffer> {
  return keccak256(concatBytes(blockHash, Uint8Array.of(2)));
}
