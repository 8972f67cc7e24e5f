/** Outputs and gas of the contracts that Ethereum has too, compared with @ethereumjs/evm on random and edge input. */

import { Common, Mainnet } from "@ethereumjs/common";
import { createEVM } from "@ethereumjs/evm";
import { beforeAll, describe, expect, test } from "@jest/globals";
import { concatBytes } from "../../../node/bytes/compare.ts";
import { bareHex } from "../../../node/bytes/hex.ts";
import { fixedBytes } from "../../../node/bytes/integer.ts";
import { BASE_RULES } from "../../../node/config/rules.ts";
import { publicKeyOf, sign } from "../../../node/crypto/secp256k1.ts";
import { MODEXP_198, MODEXP_2565, MODEXP_7883 } from "../../../node/evm/modexp.ts";
import type { PrecompileWork } from "../../../node/evm/precompile.ts";
import {
  blsG1Add,
  blsG1Msm,
  blsG2Add,
  blsG2Msm,
  blsMapG1,
  blsMapG2,
  blsPairing,
} from "../../../node/evm/precompiles-bls.ts";
import {
  blake2fContract,
  bn254Add,
  bn254Multiply,
  bn254Pairing,
  modexpContract,
  p256Verify,
} from "../../../node/evm/precompiles-curves.ts";
import { ecrecover, identity, ripemd160Hash, sha256Hash } from "../../../node/evm/precompiles-hashes.ts";
import { curveInputs } from "../../support/precompile-inputs.ts";
import { randomBytes, seededRandom } from "../../support/random.ts";

const ROUNDS = Number(process.env["KNIT_PRECOMPILE_ROUNDS"] ?? 3);
const GAS = 2n ** 40n;

interface Outcome {
  readonly gas: bigint;
  readonly output: string;
}

type Oracle = (input: Uint8Array) => Promise<Outcome>;

/** Result of the other implementation for an input at an address. */
async function oracleAt(hardfork: string, address: number): Promise<Oracle> {
  const common = new Common({ chain: Mainnet, hardfork });
  const evm = await createEVM({ common });
  const contract = evm.precompiles.get(address.toString(16).padStart(40, "0"));
  if (contract === undefined) throw new Error(`no contract at ${address} in ${hardfork}`);
  return async (data) => {
    const { executionGasUsed, returnValue, exceptionError } = await contract({
      data,
      gasLimit: GAS,
      common,
      _EVM: evm,
    });
    return { gas: executionGasUsed, output: exceptionError ? "failure" : bareHex(returnValue) };
  };
}

function ours(work: PrecompileWork, input: Uint8Array): Outcome {
  // These look at nothing but their input.
  const call = { input, rules: BASE_RULES, feePayer: new Uint8Array(20), world: undefined as never };
  const gas = BigInt(work.gas(input, BASE_RULES));
  const output = gas > GAS ? undefined : work.run(call);
  // A failure consumes everything.
  return output === undefined ? { gas: GAS, output: "failure" } : { gas, output: bareHex(output) };
}

/** Contracts to compare: the contract, and the fork and address of the oracle's. */
const ROWS: readonly (readonly [work: PrecompileWork, hardfork: string, address: number])[] = [
  [ecrecover, "byzantium", 1],
  [sha256Hash, "byzantium", 2],
  [ripemd160Hash, "byzantium", 3],
  [identity, "byzantium", 4],
  [modexpContract(MODEXP_198), "byzantium", 5],
  [modexpContract(MODEXP_2565), "berlin", 5],
  [modexpContract(MODEXP_7883), "osaka", 5],
  [bn254Add(500), "byzantium", 6],
  [bn254Multiply(40_000), "byzantium", 7],
  [bn254Pairing({ base: 100_000, pair: 80_000 }), "byzantium", 8],
  [bn254Add(150), "istanbul", 6],
  [bn254Multiply(6000), "istanbul", 7],
  [bn254Pairing({ base: 45_000, pair: 34_000 }), "istanbul", 8],
  [blake2fContract, "istanbul", 9],
  [blsG1Add, "prague", 0x0b],
  [blsG1Msm, "prague", 0x0c],
  [blsG2Add, "prague", 0x0d],
  [blsG2Msm, "prague", 0x0e],
  [blsPairing, "prague", 0x0f],
  [blsMapG1, "prague", 0x10],
  [blsMapG2, "prague", 0x11],
  [p256Verify, "osaka", 0x100],
];

describe.each(ROWS.map((row) => [row[0].name, ...row] as const))("%s", (_name, work, hardfork, address) => {
  let oracle: Oracle;
  beforeAll(async () => {
    oracle = await oracleAt(hardfork, address);
  });

  test(`gives and costs what the oracle of ${hardfork} says`, async () => {
    for (const input of inputsOf(work.name)) {
      const shown = bareHex(input);
      expect({ shown, ...ours(work, input) }).toEqual({ shown, ...(await oracle(input)) });
    }
  });
});

function inputsOf(name: string): Uint8Array[] {
  const random = seededRandom(name.length * 7919 + ROUNDS);
  const well = Array.from({ length: ROUNDS }, () => wellFormed(name, random)).flat();
  return [
    ...well,
    ...well.map((input) => input.subarray(0, Math.floor(random() * (input.length + 1)))),
    ...well.map((input) => concatBytes(input, randomBytes(random, 1 + Math.floor(random() * 3)))),
    ...well.map((input) => flipBit(input, random)),
    ...[0, 1, 31, 32, 33, 64, 127, 128, 192, 213, 384].flatMap((length) => [
      new Uint8Array(length),
      randomBytes(random, length),
    ]),
  ].filter((input) => name !== "blake2f" || (input[0] ?? 0) + (input[1] ?? 0) === 0);
}

function flipBit(input: Uint8Array, random: () => number): Uint8Array {
  const at = Math.floor(random() * input.length);
  return input.length === 0 ? input : input.with(at, (input[at] ?? 0) ^ (1 << Math.floor(random() * 8)));
}

function wellFormed(name: string, random: () => number): Uint8Array[] {
  const bytes = (length: number): Uint8Array => randomBytes(random, length);
  switch (name) {
    case "ecrecover": {
      const digest = bytes(32);
      const signature = sign(digest, bytes(32));
      const high = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;
      const s = high - BigInt(`0x${bareHex(signature.subarray(32, 64))}`);
      const v = fixedBytes(27 + (signature[64] ?? 0), 32);
      return [
        concatBytes(digest, v, signature.subarray(0, 64)),
        concatBytes(
          digest,
          fixedBytes(28 - (signature[64] ?? 0), 32),
          signature.subarray(0, 32),
          fixedBytes(s, 32),
        ),
      ];
    }
    case "modexp": {
      const [base, exponent, modulus] = [bytes(random() * 70), bytes(random() * 40), bytes(random() * 70)];
      const parts = [base, exponent, modulus] as const;
      const sizes = parts.map(({ length }) => fixedBytes(length, 32));
      return [concatBytes(...sizes, ...parts)];
    }
    case "blake2f":
      return [concatBytes(fixedBytes(Math.floor(random() * 40), 4), bytes(208), Uint8Array.of(random() * 3))];
    default:
      return curveInputs(name, random) ?? [bytes(random() * 200), publicKeyOf(bytes(32))];
  }
}
