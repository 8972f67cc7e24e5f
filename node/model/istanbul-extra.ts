/**
 * The extra field of an Istanbul header: 32 bytes of vanity, whose last byte is the round of the decision,
 * then a list of validators, proposer seal and committed seals (`blockchain/types/istanbul.go@v2.2.2`).
 */
import type { Address, Hash } from "../bytes/brands.ts";
import { concatBytes } from "../bytes/compare.ts";
import { encodeRlp } from "../bytes/rlp.ts";
import { keccak256 } from "../crypto/keccak.ts";
import { ModelError } from "./error.ts";
import { readExtraFields, VANITY_LENGTH } from "./extra-fields.ts";
import { type Header, sealHash } from "./header.ts";

/**
 * A decoded extra field. `seal` is 65 bytes, empty while unsealed; `committedSeals` is empty until the block
 * is decided.
 */
export interface IstanbulExtra {
  readonly vanity: Uint8Array;
  readonly validators: readonly Address[];
  readonly seal: Uint8Array;
  readonly committedSeals: readonly Uint8Array[];
}

/** Decodes the extra field into views. Throws `ModelError` `bad-extra`. */
export function parseExtra(extra: Uint8Array): IstanbulExtra {
  const fields = readExtraFields(extra);
  if (fields === undefined) throw new ModelError("bad-extra", "invalid istanbul header extra-data");
  const { seal, committedSeals } = fields;
  return {
    vanity: extra.subarray(0, VANITY_LENGTH),
    get validators() {
      return fields.validators;
    },
    seal,
    committedSeals,
  };
}

/** Encodes an extra field. The vanity is padded or cut to 32 bytes. */
export function encodeExtra(extra: IstanbulExtra): Uint8Array<ArrayBuffer> {
  const vanity = new Uint8Array(VANITY_LENGTH);
  vanity.set(extra.vanity.subarray(0, VANITY_LENGTH));
  return concatBytes(vanity, encodeRlp([extra.validators, extra.seal, extra.committedSeals]));
}

/** Returns the consensus round in which the block was decided. */
export function roundOf(extra: Uint8Array): number {
  return extra[VANITY_LENGTH - 1] ?? 0;
}

/** Returns the digest of the proposer's seal: the hash of the seal hash. Throws `ModelError` `bad-extra`. */
export function proposerSealDigest(header: Header): Hash<ArrayBuffer> {
  return keccak256(sealHash(header));
}

/** Returns the digest of a committed seal: keccak(block hash ++ 2), 2 being the code of a commit message. */
export function committedSealDigest(blockHash: Hash): Hash<ArrayBuffer> {
  return keccak256(concatBytes(blockHash, Uint8Array.of(2)));
}
