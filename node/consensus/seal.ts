/** Istanbul seals in a header's extra data: made with a node's key, recovered to addresses. */
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

/** Signs a 32-byte digest: 65 bytes R, S, V (0 or 1). */
export type SealDigest = (digest: Uint8Array) => Uint8Array;

/** Address that sealed the header as proposer; undefined when the seal is absent or unreadable. */
export function recoverProposer(header: Header, extra: IstanbulExtra): Uint8Array | undefined {
  return signerOf(proposerSealDigest(header), extra.seal);
}

/** Addresses of the committed seals, in their order; undefined where one is unreadable. */
export function recoverCommitters(hash: Uint8Array, extra: IstanbulExtra): (Uint8Array | undefined)[] {
  const digest = committedSealDigest(hash);
  return extra.committedSeals.map((seal) => signerOf(digest, seal));
}

function signerOf(digest: Uint8Array, seal: Uint8Array): Uint8Array | undefined {
  if (seal.length !== 65) return undefined;
  const publicKey = recover(digest, seal);
  return publicKey === undefined ? undefined : addressOfPublicKey(publicKey);
}

/** The header with the proposer's seal in its extra data. */
export function withProposerSeal(header: Header, sign: SealDigest): Header {
  const extra = parseExtra(header.extra);
  return { ...header, extra: encodeExtra({ ...extra, seal: sign(proposerSealDigest(header)) }) };
}

/** The header of a round in which it is proposed; the block hash stays the same. */
export function withRound(header: Header, round: number): Header {
  const extra = Uint8Array.from(header.extra);
  extra[VANITY_LENGTH - 1] = round & 0xff;
  return { ...header, extra };
}

/** The header as it goes into the chain: with the seals of those who agreed on it in a round. */
export function withAgreement(header: Header, round: number, committedSeals: readonly Uint8Array[]): Header {
  const extra = parseExtra(header.extra);
  return withRound({ ...header, extra: encodeExtra({ ...extra, committedSeals }) }, round);
}

/** The header with committed seals in its extra data; the block hash stays the same. */
export function withCommittedSeals(header: Header, signers: readonly SealDigest[]): Header {
  const extra = parseExtra(header.extra);
  const digest = committedSealDigest(blockHash(header));
  return { ...header, extra: encodeExtra({ ...extra, committedSeals: signers.map((sign) => sign(digest)) }) };
}
