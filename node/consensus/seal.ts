/**
 * Istanbul seals in a header's extra data: signing with a node key, recovery of addresses
 * (`consensus/istanbul/utils.go@v2.2.2`).
 */
import type { Address, Hash } from "../bytes/brands.ts";
import { addressOfPublicKey, recover } from "../crypto/secp256k1.ts";
import { VANITY_LENGTH } from "../model/extra-fields.ts";
import type { Header } from "../model/header.ts";
import { blockHash } from "../model/header.ts";
import {
  committedSealDigest,
  encodeExtra,
  type IstanbulExtra,
  parseExtra,
  proposerSealDigest,
} from "../model/istanbul-extra.ts";

/** Signs a digest of 32 bytes. Returns 65 bytes: R, S, V (0 or 1). */
export type SealDigest = (digest: Hash) => Uint8Array;

/** Recovers the address of the proposer; undefined when the seal is absent or unreadable. */
export function recoverProposer(header: Header, extra: IstanbulExtra): Address | undefined {
  return signerOf(proposerSealDigest(header), extra.seal);
}

/** Recovers the addresses of the committed seals, in order; undefined for an unreadable seal. */
export function recoverCommitters(hash: Hash, extra: IstanbulExtra): (Address | undefined)[] {
  const digest = committedSealDigest(hash);
  return extra.committedSeals.map((seal) => signerOf(digest, seal));
}

function signerOf(digest: Hash, seal: Uint8Array): Address | undefined {
  if (seal.length !== 65) return undefined;
  const publicKey = recover(digest, seal);
  return publicKey === undefined ? undefined : addressOfPublicKey(publicKey);
}

/** Returns the header with the proposer's seal in its extra data. */
export function withProposerSeal(header: Header, sign: SealDigest): Header {
  const extra = parseExtra(header.extra);
  return { ...header, extra: encodeExtra({ ...extra, seal: sign(proposerSealDigest(header)) }) };
}

/** Returns the header with the round in its vanity bytes; the block hash does not cover it. */
export function withRound(header: Header, round: number): Header {
  const extra = Uint8Array.from(header.extra);
  extra[VANITY_LENGTH - 1] = round & 0xff;
  return { ...header, extra };
}

/** Returns the header with the committed seals of a round, as it is inserted into the chain. */
export function withAgreement(header: Header, round: number, committedSeals: readonly Uint8Array[]): Header {
  const extra = parseExtra(header.extra);
  return withRound({ ...header, extra: encodeExtra({ ...extra, committedSeals }) }, round);
}

/** Returns the header with committed seals in its extra data; the block hash does not cover them. */
export function withCommittedSeals(header: Header, signers: readonly SealDigest[]): Header {
  const extra = parseExtra(header.extra);
  const digest = committedSealDigest(blockHash(header));
  return { ...header, extra: encodeExtra({ ...extra, committedSeals: signers.map((sign) => sign(digest)) }) };
}
