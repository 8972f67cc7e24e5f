/**
 * Who sealed headers, found ahead and many at once: recovering seals is most of what a header without
 * transactions costs, and in a batch it runs on a thread of its own.
 */
import type { Recoverer } from "../crypto/recoverer.ts";
import type { RecoveryJob } from "../crypto/recovery-batch.ts";
import type { Header } from "../model/header.ts";
import { committedSealDigest, parseExtra, proposerSealDigest } from "../model/istanbul-extra.ts";
import { verifyReveals } from "./reveals.ts";
import { recoverProposer } from "./seal.ts";

/** Who sealed a header: undefined where nothing recovers. */
export interface Sealers {
  readonly proposer: Uint8Array | undefined;
  /** Of the committed seals, in their order. */
  readonly committers: readonly (Uint8Array | undefined)[];
}

/** A header and its hash. */
export interface HashedHeader {
  readonly header: Header;
  readonly hash: Uint8Array;
}

/** Headers with more seals than that are left to who judges them: no real one has as many. */
const MAX_SEALS = 128;
const SEAL_LENGTH = 65;

/** Kept for as long as the header object itself; headers never change. */
const found = new WeakMap<Header, Sealers>();

/** What `findSealers` found for this very header object. */
export function recoveredSealers(header: Header): Sealers | undefined {
  return found.get(header);
}

/** Notes who sealed this very header object, where somebody has checked each seal already. */
export function rememberSealers(header: Header, sealers: Sealers): void {
  found.set(header, sealers);
}

/** The same of proposers that were recovered when somebody asked. */
const asked = new WeakMap<Header, { readonly proposer: Uint8Array | undefined }>();

/**
 * Who sealed a header as its proposer, recovered once for this very header object; undefined where nothing recovers,
 * as from extra data that cannot be read.
 */
export function authorOf(header: Header): Uint8Array | undefined {
  const known = found.get(header) ?? asked.get(header);
  if (known !== undefined) return known.proposer;
  const proposer = recoverAuthor(header);
  asked.set(header, { proposer });
  return proposer;
}

function recoverAuthor(header: Header): Uint8Array | undefined {
  try {
    return recoverProposer(header, parseExtra(header.extra));
  } catch {
    return undefined; // extra data that cannot be read has no seal
  }
}

/**
 * Finds who sealed the headers, for `foundSealers`, and whether their random reveals are good, for `foundReveal`.
 * Those whose seals cannot be read are left alone.
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

/** What is to be recovered: the proposer's seal, then the committed ones. */
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
    return undefined; // left alone, as said above
  }
}
