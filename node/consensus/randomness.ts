/**
 * Random fields of headers (KIP-114): the proposer signs the block number with its BLS key, and the signature
 * is mixed into the parent's mix hash.
 */
import type { Address, Hash } from "../bytes/brands.ts";
import { equalBytes } from "../bytes/compare.ts";
import { bareHex } from "../bytes/hex.ts";
import { type Bls, loadBls } from "../crypto/bls.ts";
import { loadPossessionCheck } from "../crypto/bls-possession.ts";
import { keccak256 } from "../crypto/keccak.ts";
import type { Header } from "../model/header.ts";
import { ConsensusError } from "./error.ts";
import { rememberKey, rememberReveal, revealMessage, verifiedReveal } from "./reveals.ts";

/** A registered BLS key with its proof of possession (KIP-113). */
export interface ProposerKey {
  readonly publicKey: Uint8Array;
  readonly proof: Uint8Array;
}

/** Signature checks; synchronous, because header rules are. */
export interface BlsChecks {
  readonly verify: Bls["verify"];
  readonly possesses: (key: ProposerKey) => boolean;
}

/** Dependencies of the random field rules. */
export interface RandomFieldDeps extends BlsChecks {
  /** Mix hash of the parent; 32 zero bytes for the first block with randomness. */
  readonly parentMix: Hash;
  /** Returns the registered key of the author; undefined without one. */
  readonly keyOf: (author: Address) => ProposerKey | undefined;
}

const MIX_BYTES = 32;
/** Cached results of proof checks. A check takes 30 ms, and a key is used for years. */
const MAX_CACHED_PROOFS = 1_000;

/** Loads the fastest available implementation. */
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

/** Checks the random fields of a header of `author`. Throws `ConsensusError` `fork-fields`. */
export function checkRandomFields(header: Header, author: Address, deps: RandomFieldDeps): void {
  const key = deps.keyOf(author);
  if (key === undefined) {
    throw new ConsensusError("fork-fields", "bls pubkey not found for the proposer");
  }
  if (!deps.possesses(key)) {
    throw new ConsensusError("fork-fields", "KIP113 PoP verification failed");
  }
  const { publicKey } = key;
  rememberKey(author, publicKey);
  const { randomReveal, mixHash } = header;
  if (
    randomReveal === undefined ||
    mixHash === undefined ||
    !(verifiedReveal(header, publicKey) ?? verifyReveal(header, randomReveal, { publicKey, deps })) ||
    !equalBytes(mixHash, mixedHash(deps.parentMix, randomReveal))
  ) {
    throw new ConsensusError("fork-fields", "invalid randao fields");
  }
}

function verifyReveal(
  header: Header,
  signature: Uint8Array,
  { publicKey, deps }: { readonly publicKey: Uint8Array; readonly deps: RandomFieldDeps },
): boolean {
  const isGood = deps.verify({ publicKey, message: revealMessage(header.number), signature });
  if (isGood) rememberReveal(header, publicKey);
  return isGood;
}

/** Returns the mix hash: the parent's mix XOR the hash of the reveal. */
export function mixedHash(parentMix: Hash, randomReveal: Uint8Array): Hash<ArrayBuffer> {
  const mixed = Uint8Array.from(keccak256(randomReveal));
  for (let i = 0; i < MIX_BYTES; i++) mixed[i] = (mixed[i] ?? 0) ^ (parentMix[i] ?? 0);
  return mixed;
}

const NO_MIX: Hash = new Uint8Array(MIX_BYTES);

/** Returns the mix hash that the child of a header builds on; zeros for a parent without randomness. */
export function mixOf(parent: Header, parentHasMix: boolean): Hash {
  return parentHasMix ? (parent.mixHash ?? NO_MIX) : NO_MIX;
}
