/** Programs and inputs chosen against the interpreter and the precompiled contracts. */
import { concatBytes } from "../../node/bytes/compare.ts";
import { fixedBytes } from "../../node/bytes/integer.ts";
import { mapToG1, mapToG2 } from "../../node/crypto/bls-points.ts";
import { keccak256 } from "../../node/crypto/keccak.ts";
import { publicKeyOf, sign } from "../../node/crypto/secp256k1.ts";
import { versionedHash } from "../../node/crypto/versioned-hash.ts";
import { CALLER } from "../../test/support/evm.ts";

/** A word of 256 bits. */
export const BIG = "0xf123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";
const ODD = "0xffffffff00000001000000000000000000000000ffffffffffffffffffffffed";
const HALF = "0xdeadbeefcafebabe0123456789abcdef";

/** Bodies that leave the stack as it was: at its top is a word that changes from turn to turn. */
export const worstBodies: Readonly<Record<string, string>> = {
  "PUSH1 POP": "1 POP",
  "PUSH32 POP": `${BIG} POP`,
  JUMPDEST: "JUMPDEST",
  "PC JUMP": "PC 6 ADD JUMP #00 JUMPDEST",
  ADD: `${BIG} ADD`,
  SUB: `${BIG} SUB`,
  MUL: `${ODD} MUL`,
  DIV: `${HALF} ${BIG} DIV POP`,
  SDIV: `${HALF} ${BIG} SDIV POP`,
  MOD: `${HALF} ${BIG} MOD POP`,
  SMOD: `${HALF} ${BIG} SMOD POP`,
  ADDMOD: `${ODD} ${BIG} ${BIG} ADDMOD POP`,
  MULMOD: `${ODD} ${BIG} ${BIG} MULMOD POP`,
  EXP: `${ODD} ${BIG} EXP POP`,
  "EXP, odd base": `0x${"f".repeat(64)} ${ODD} EXP POP`,
  "EXP, short exponent": `255 ${ODD} EXP POP`,
  SIGNEXTEND: `${BIG} 15 SIGNEXTEND POP`,
  LT: `${BIG} ${BIG} LT POP`,
  SLT: `${BIG} ${ODD} SLT POP`,
  EQ: `${BIG} ${BIG} EQ POP`,
  AND: `${BIG} ${ODD} AND POP`,
  XOR: `${BIG} ${ODD} XOR POP`,
  NOT: "NOT",
  BYTE: `${BIG} 17 BYTE POP`,
  SHL: `${BIG} 13 SHL POP`,
  SHR: `${BIG} 13 SHR POP`,
  SAR: `${BIG} 13 SAR POP`,
  CLZ: `${BIG} CLZ POP`,
  "SHA3 of nothing": "0 0 SHA3 POP",
  "SHA3 of 136 bytes": "136 0 SHA3 POP",
  "SHA3 of 8,192 bytes": "8192 0 SHA3 POP",
  BALANCE: "DUP1 BALANCE POP",
  "BALANCE, warm": "ADDRESS BALANCE POP",
  "EXTCODEHASH, cold": "1 ADD DUP1 EXTCODEHASH POP",
  EXTCODECOPY: "8192 0 0 ADDRESS EXTCODECOPY",
  CALLDATALOAD: "3 CALLDATALOAD POP",
  CALLDATACOPY: "8192 0 0 CALLDATACOPY",
  "CALLDATACOPY of 1 byte": "1 0 0 CALLDATACOPY",
  CODECOPY: "8192 0 0 CODECOPY",
  "RETURNDATACOPY of nothing": "0 0 0 RETURNDATACOPY",
  BLOCKHASH: "999 BLOCKHASH POP",
  SELFBALANCE: "SELFBALANCE POP",
  GAS: "GAS POP",
  MLOAD: "7 MLOAD POP",
  MSTORE: `${BIG} 7 MSTORE`,
  MSTORE8: `${BIG} 7 MSTORE8`,
  MCOPY: "8192 1 0 MCOPY",
  "SLOAD, warm": "7 SLOAD POP",
  "SLOAD, cold": "1 ADD DUP1 SLOAD POP",
  "SSTORE, warm": "DUP1 7 SSTORE 1 ADD",
  "SSTORE, cold": "1 ADD DUP1 DUP1 SSTORE",
  TLOAD: "7 TLOAD POP",
  TSTORE: `${BIG} 7 TSTORE`,
  DUP16:
    "1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 DUP16 POP POP POP POP POP POP POP POP POP POP POP POP POP POP POP POP POP",
  SWAP16: `1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 ${"SWAP16 ".repeat(32)}${"POP ".repeat(17)}`,
  LOG0: "0 0 LOG0",
  LOG4: "1 2 3 4 32 0 LOG4",
  "LOG0 of 8,192 bytes": "8192 0 LOG0",
  "CALL of nobody": "0 0 0 0 0 0x5555 0 CALL POP",
  "CALL of oneself without gas": "0 0 0 0 0 ADDRESS 0 CALL POP",
  "CALL with value": "0 0 0 0 1 0x5555 0 CALL POP",
  "DELEGATECALL of oneself": "0 0 0 0 ADDRESS 0 DELEGATECALL POP",
  "STATICCALL that fails": "0 0 0 0 0xbad 1000 STATICCALL POP",
  CREATE: "0 0 0 CREATE POP",
  "CREATE of 32,768 bytes": "32768 0 0 CREATE POP",
};

const key = keccak256(Buffer.from("key"));
const digest = keccak256(Buffer.from("digest"));
const signature = sign(digest, key);
const generators = Buffer.from(
  `${"1".padStart(64, "0")}${"2".padStart(64, "0")}` +
    "198e9393920d483a7260bfb731fb5d25f1aa493335a9e71297e485b7aef312c2" +
    "1800deef121f1e76426a00665e5c4479674322d4f75edadd46debd5cd992f6ed" +
    "090689d0585ff075ec9e99ad690c3395bc4b313370b38ef355acdadcd122975b" +
    "12c85ea5db8c6deb4aab71808dcb408fe3d1e7690c43d37b4ce6cc0166fa7daa",
  "hex",
);
const blake = new Uint8Array(213);
blake[2] = 0x4e; // about 20,000 rounds
/** Modulus and exponent of ones; a base that does not fall to nothing. */
const modexp = (base: number, exponent: number, modulus: number): Uint8Array =>
  concatBytes(
    ...[base, exponent, modulus].map((length) => fixedBytes(length, 32)),
    new Uint8Array(base).fill(0x7b),
    new Uint8Array(exponent + modulus).fill(0xff),
  );
const g1 = mapToG1(new Uint8Array(64).fill(1, 20)) ?? new Uint8Array();
const g2 = mapToG2(new Uint8Array(128).fill(1, 20, 64).fill(2, 84)) ?? new Uint8Array();
const scalar = new Uint8Array(32).fill(0x6d);
const repeatCode = (part: Uint8Array, times: number): Uint8Array =>
  concatBytes(...Array.from({ length: times }, () => part));
// A proof of the consensus layer's reference tests.
const commitment = Buffer.from(
  "8f59a8d2a1a625a17f3fea0fe5eb8c896db3764f3185481bc22f91b4aaffcca25f26936857bc3a7c2539ea8ec3a952b7",
  "hex",
);
const evaluation = Buffer.from(
  "73eda753299d7d483339d80809a1d80553bda402fffe5bfeffffffff00000000" +
    "1522a4a7f34e1ea350ae07c29c96c7e79655aa926122e95fe69fcbd932ca49e9",
  "hex",
);
const proof = Buffer.from(
  "a62ad71d14c5719385c0686f1871430475bf3a00f0aa3f7b8dd99a9abc2160744faf0070725e00b60ad9a026a15b1a8c",
  "hex",
);

/** A precompiled contract's number, what it is asked to do, and the input. */
export type PrecompileInput = readonly [number: number, name: string, input: Uint8Array];

/** Inputs that take precompiled contracts longest for their price, as far as is known. */
export const worstInputs: readonly PrecompileInput[] = [
  [1, "ecrecover", concatBytes(digest, fixedBytes(27 + (signature[64] ?? 0), 32), signature.subarray(0, 64))],
  [2, "sha256 of nothing", new Uint8Array(0)],
  [2, "sha256 of 8,192 bytes", new Uint8Array(8192)],
  [3, "ripemd160 of 8,192 bytes", new Uint8Array(8192)],
  [4, "identity of 8,192 bytes", new Uint8Array(8192)],
  [5, "modexp of 32 bytes", modexp(32, 32, 32)],
  [5, "modexp of 256 bytes", modexp(256, 32, 256)],
  [5, "modexp of 1,024 bytes", modexp(1024, 3, 1024)],
  [5, "modexp, long exponent", modexp(32, 1024, 32)],
  [5, "modexp of 256 bytes, short exponent", modexp(256, 3, 256)],
  [6, "bn254 add", concatBytes(generators.subarray(0, 64), generators.subarray(0, 64))],
  [7, "bn254 multiply", concatBytes(generators.subarray(0, 64), new Uint8Array(32).fill(0xff))],
  [8, "bn254 pairing of 1", generators],
  [8, "bn254 pairing of 4", concatBytes(generators, generators, generators, generators)],
  [9, "blake2F of 20,000 rounds", blake],
  [9, "blake2F of no rounds", new Uint8Array(213)],
  [0x0b, "BLS G1 add", new Uint8Array(256)],
  [0x0a, "KZG point evaluation", concatBytes(versionedHash(commitment), evaluation, commitment, proof)],
  [0x0c, "BLS G1 sum of 1", concatBytes(g1, scalar)],
  [0x0c, "BLS G1 sum of 128", repeatCode(concatBytes(g1, scalar), 128)],
  [0x0d, "BLS G2 add", concatBytes(g2, g2)],
  [0x0e, "BLS G2 sum of 1", concatBytes(g2, scalar)],
  [0x0e, "BLS G2 sum of 128", repeatCode(concatBytes(g2, scalar), 128)],
  [0x0f, "BLS pairing of 1", concatBytes(g1, g2)],
  [0x0f, "BLS pairing of 8", repeatCode(concatBytes(g1, g2), 8)],
  [0x10, "BLS map to G1", new Uint8Array(64).fill(1, 20)],
  [0x11, "BLS map to G2", concatBytes(new Uint8Array(64).fill(1, 20), new Uint8Array(64).fill(2, 20))],
  [0x100, "p256 verify", concatBytes(digest, signature.subarray(0, 64), publicKeyOf(key))],
  [0x3ff, "validateSender", concatBytes(CALLER, digest, signature)],
];
