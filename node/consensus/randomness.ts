/** The random fields of headers (KIP-114): the proposer's BLS signature of the number, mixed into the parent's. */
import { equalBytes } from "../bytes/compare.ts";
import { bareHex } from "../bytes/hex.ts";
import { type Bls, loadBls } from "../crypto/bls.ts";
import { loadPossessionCheck } from "../crypto/bls-possession.ts";
import { keccak256 } from "../crypto/keccak.ts";
import type { Header } from "../model/header.ts";
import { ConsensusError } from "./error.ts";
import { revealMessage } from "./reveal-message.ts";
import { rememberKey, rememberReveal, verifiedReveal } from "./reveals.ts";

/** A registered key with the proof that its owner has it. */
export interface ProposerKey {
  readonly publicKey: Uint8Array;
  readonly proof: Uint8Array;
}

/** What signatures are checked with. Synchronous, so that header rules are. */
export interface BlsChecks {
  readonly verify: Bls["verify"];
  readonly possesses: (key: ProposerKey) => boolean;
}

/** What the random fields of a header are judged against. */
export interface RandomFieldDeps extends BlsChecks {
  /** 32 zero bytes for the first block that has them. */
  readonly parentMix: Uint8Array;
  /** The registered key of the block's author; undefined for none. */
  readonly keyOf: (author: Uint8Array) => ProposerKey | undefined;
}

const MIX_BYTES = 32;
/** Proofs that were found good or bad: a check takes 30 ms, and each key is used for years. */
const MAX_CACHED_PROOFS = 1_000;

/** Loads the fastest implementation there is. */
export async function loadBlsChecks(): Promise<BlsChecks> {
  const bls = await loadBls();
  const check = await loadPossessionCheck();
  const known = new Map<string, boolean>();
  return {
    verify: (claim) => bls.verify(claim),
    possesses: (key) => {
      const name = `${bareHex(key.publicKey)}:${bareHex(key.proof)}`;
      const found = known.get(name) ?? check(key);
      if (known.size >= MAX_CACHED_PROOFS) known.clear();
      known.set(name, found);
      return found;
    },
  };
}

/** Throws `ConsensusError` unless the fields are what the author had to write. */
export function checkRandomFields(header: Header, author: Uint8Array, context: RandomFieldDeps): void {
  const key = context.keyOf(author);
  if (key === undefined) {
    throw new ConsensusError("fork-fields", "bls pubkey not found for the proposer");
  }
  if (!context.possesses(key)) {
    throw new ConsensusError("fork-fields", "KIP113 PoP verification failed");
  }
  const { publicKey } = key;
  rememberKey(author, publicKey);
  const { randomReveal, mixHash } = header;
  if (
    randomReveal === undefined ||
    mixHash === undefined ||
    !(verifiedReveal(header, publicKey) ?? verifyReveal(header, randomReveal, { publicKey, context })) ||
    !equalBytes(mixHash, mixedHash(context.parentMix, randomReveal))
  ) {
    throw new ConsensusError("fork-fields", "invalid randao fields");
  }
}

function verifyReveal(
  header: Header,
  signature: Uint8Array,
  { publicKey, context }: { readonly publicKey: Uint8Array; readonly context: RandomFieldDeps },
): boolean {
  const isGood = context.verify({ publicKey, message: revealMessage(header.number), signature });
  if (isGood) rememberReveal(header, publicKey);
  return isGood;
}

/** The parent's mix with a signature stirred in. A parent without one counts as zeros. */
export function mixedHash(parentMix: Uint8Array, randomReveal: Uint8Array): Uint8Array<ArrayBuffer> {
  const mixed = Uint8Array.from(keccak256(randomReveal));
  for (let i = 0; i < MIX_BYTES; i++) mixed[i] = (mixed[i] ?? 0) ^ (parentMix[i] ?? 0);
  return mixed;
}

const NO_MIX = new Uint8Array(MIX_BYTES);

/** What the child of a header mixes into: nothing of a parent from before randomness. */
export function mixOf(parent: Header, parentHasMix: boolean): Uint8Array {
  return parentHasMix ? (parent.mixHash ?? NO_MIX) : NO_MIX;
}
