/**
 * The precompiled contracts of Frontier: signature recovery, hashes and the identity (yellow paper, appendix
 * E).
 */
import { concatBytes, isZero } from "../bytes/compare.ts";
import { bareHex } from "../bytes/hex.ts";
import { ripemd160, sha256 } from "../crypto/hashes.ts";
import { addressOfPublicKey, recover } from "../crypto/secp256k1.ts";
import type { PrecompileWork } from "./precompile.ts";

const WORD = 32;
const NONE = new Uint8Array(0);

const words = (input: Uint8Array): number => Math.ceil(input.length / WORD);

/**
 * ECRECOVER: digest, v (27 or 28), r and s, cut or padded to 128 bytes. The output is the address in 32
 * bytes, empty when no key is recovered.
 */
export const ecrecover: PrecompileWork = {
  name: "ecrecover",
  gas: () => 3000,
  cost: () => 113_150,
  run: ({ input, rules: { signers } }) => {
    const whole = new Uint8Array(4 * WORD);
    whole.set(input.subarray(0, whole.length));
    const v = whole[2 * WORD - 1];
    const signer = signers.size === 0 ? undefined : signers.get(signatureText(whole));
    if (signer !== undefined) return padLeft(signer);
    if (!isZero(whole.subarray(WORD, 2 * WORD - 1)) || (v !== 27 && v !== 28)) return NONE;
    const signature = new Uint8Array(65);
    signature.set(whole.subarray(2 * WORD));
    signature[64] = v - 27;
    const publicKey = recover(whole.subarray(0, WORD), signature);
    return publicKey === undefined ? NONE : padLeft(addressOfPublicKey(publicKey));
  },
};

/** Returns r, s and the last byte of v in the input of ECRECOVER as hex. */
function signatureText(input: Uint8Array): string {
  return bareHex(concatBytes(input.subarray(2 * WORD), input.subarray(2 * WORD - 1, 2 * WORD)));
}

/** SHA-256. */
export const sha256Hash: PrecompileWork = {
  name: "sha256",
  gas: (input) => 60 + 12 * words(input),
  cost: (input) => 1000 + 100 * words(input),
  run: ({ input }) => sha256(input),
};

/** RIPEMD-160, padded to 32 bytes. */
export const ripemd160Hash: PrecompileWork = {
  name: "ripemd160",
  gas: (input) => 600 + 120 * words(input),
  cost: (input) => 100 + 10 * words(input),
  run: ({ input }) => padLeft(ripemd160(input)),
};

/** Identity: the output is the input. */
export const identity: PrecompileWork = {
  name: "identity",
  gas: (input) => 15 + 3 * words(input),
  cost: () => 0,
  run: ({ input }) => Uint8Array.from(input),
};

function padLeft(bytes: Uint8Array): Uint8Array {
  const word = new Uint8Array(WORD);
  word.set(bytes, WORD - bytes.length);
  return word;
}
