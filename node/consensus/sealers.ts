/**
 * Sealers of headers, recovered ahead in batches on a worker thread: recovery is most of the cost of a header
 * without transactions.
 */
import type { Address, Hash } from "../bytes/brands.ts";
import type { Recoverer } from "../crypto/recoverer.ts";
import type { RecoveryJob } from "../crypto/recovery-batch.ts";
import type { Header } from "../model/header.ts";
import { committedSealDigest, parseExtra, proposerSealDigest } from "../model/istanbul-extra.ts";
import { copyReveal, verifyReveals } from "./reveals.ts";
import { recoverProposer, withAgreement } from "./seal.ts";

/** Addresses that sealed a header; undefined where nothing recovers. */
export interface Sealers {
  readonly proposer: Address | undefined;
  /** Signers of the committed seals, in order. */
  readonly committers: readonly (Uint8Array | undefined)[];
}

/** A header and its hash. */
export interface HashedHeader {
  readonly header: Header;
  readonly hash: Hash;
}

/** Headers with more seals are not recovered ahead; no real header has as many. */
const MAX_SEALS = 128;
const SEAL_LENGTH = 65;

/** Sealers by header object; headers never change. */
const found = new WeakMap<Header, Sealers>();

/** Returns the sealers that `recoverSealers` found for this header object. */
export function recoveredSealers(header: Header): Sealers | undefined {
  return found.get(header);
}

/** Records the sealers of a header object whose seals have been verified. */
export function rememberSealers(header: Header, sealers: Sealers): void {
  found.set(header, sealers);
}

/** The round of an agreement, with the committed seals and the addresses that made them, in one order. */
export interface CommittedSeals {
  readonly round: number;
  readonly seals: readonly Uint8Array[];
  readonly committers: readonly Address[];
}

/** Returns a verified header with its committed seals. Its sealers and its reveal are remembered. */
export function withCommitters(header: Header, { round, seals, committers }: CommittedSeals): Header {
  const sealed = withAgreement(header, round, seals);
  copyReveal(header, sealed);
  rememberSealers(sealed, { proposer: authorOf(header), committers });
  return sealed;
}

/** Proposers that are known without the other sealers. */
const proposers = new WeakMap<Header, { readonly proposer: Address | undefined }>();

/** Records the proposer of a header object that was sealed here. */
export function rememberProposer(header: Header, proposer: Address): void {
  proposers.set(header, { proposer });
}

/**
 * Returns the proposer of a header, recovered once per header object; undefined when nothing recovers or the
 * extra data cannot be decoded.
 */
export function authorOf(header: Header): Address | undefined {
  const known = found.get(header) ?? proposers.get(header);
  if (known !== undefined) return known.proposer;
  const proposer = recoverAuthor(header);
  proposers.set(header, { proposer });
  return proposer;
}

function recoverAuthor(header: Header): Address | undefined {
  try {
    return recoverProposer(header, parseExtra(header.extra));
  } catch {
    return undefined; // extra data that cannot be read has no seal
  }
}

/**
 * Recovers the sealers of headers, for `recoveredSealers`, and verifies their random reveals, for
 * `verifiedReveal`. Headers with unreadable seals are skipped.
 */
export async function recoverSealers(recoverer: Recoverer, headers: readonly HashedHeader[]): Promise<void> {
  const readable: { readonly header: Header; readonly seals: number }[] = [];
  const jobs: RecoveryJob[] = [];
  for (const each of headers) {
    const own = sealJobs(each);
    if (own === undefined) continue;
    readable.push({ header: each.header, seals: own.length });
    jobs.push(...own);
  }
  const signers = await recoverer.recover(jobs);
  let at = 0;
  for (const { header, seals } of readable) {
    const [proposer, ...committers] = signers.slice(at, at + seals);
    found.set(header, { proposer, committers });
    at += seals;
  }
  await verifyReveals(
    recoverer,
    readable.map(({ header }) => ({ header, author: found.get(header)?.proposer })),
  );
}

/** Returns the seals to recover: the proposer's, then the committed ones. */
function sealJobs({ header, hash }: HashedHeader): RecoveryJob[] | undefined {
  try {
    const { seal, committedSeals } = parseExtra(header.extra);
    const seals = [seal, ...committedSeals];
    if (seals.length > MAX_SEALS || seals.some(({ length }) => length !== SEAL_LENGTH)) return undefined;
    const committed = committedSealDigest(hash);
    return seals.map((signature, i) => ({
      digest: i === 0 ? proposerSealDigest(header) : committed,
      signature,
    }));
  } catch {
    return undefined; // skipped
  }
}
