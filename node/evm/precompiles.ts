/**
 * The table of precompiled contracts: one row for each address and revision (`PrecompiledContracts*` in
 * `blockchain/vm/contracts.go@v2.2.2`).
 */
import type { Address } from "../bytes/brands.ts";
import { type EvmRevision, isRevisionSince } from "../config/rule-facts.ts";
import type { Rules } from "../config/rules.ts";
import { shortNumber } from "./address.ts";
import { MODEXP_198, MODEXP_2565, MODEXP_7883 } from "./modexp.ts";
import type { PrecompileWork } from "./precompile.ts";
import { blsG1Add, blsG1Msm, blsG2Add, blsG2Msm, blsMapG1, blsMapG2, blsPairing } from "./precompiles-bls.ts";
import {
  blake2fContract,
  bn254Add,
  bn254Multiply,
  bn254Pairing,
  modexpContract,
  p256Verify,
  pointEvaluation,
} from "./precompiles-curves.ts";
import { ecrecover, identity, ripemd160Hash, sha256Hash } from "./precompiles-hashes.ts";
import { feePayer, validateSender, vmLog } from "./precompiles-klaytn.ts";

/** A precompiled contract with its address, 1 to 0x3ff. */
export interface Precompile extends PrecompileWork {
  readonly address: number;
}

const LAST_RESERVED = 0x3ff;

type Row = readonly [address: number, since: EvmRevision, work: PrecompileWork];

/**
 * Contracts visible to all callers before Istanbul, and later to contracts that were created before Istanbul
 * (VM version 0).
 */
const legacyRows: readonly Row[] = [
  [1, "base", ecrecover],
  [2, "base", sha256Hash],
  [3, "base", ripemd160Hash],
  [4, "base", identity],
  [5, "base", modexpContract(MODEXP_198)],
  [6, "base", bn254Add(500)],
  [7, "base", bn254Multiply(40_000)],
  [8, "base", bn254Pairing({ base: 100_000, pair: 80_000 })],
  [9, "base", vmLog],
  [0x0a, "base", feePayer],
  [0x0b, "base", validateSender],
];

/** Contracts visible to all other callers; a later row replaces an earlier one of the same address. */
const rows: readonly Row[] = [
  [1, "istanbul", ecrecover],
  [2, "istanbul", sha256Hash],
  [3, "istanbul", ripemd160Hash],
  [4, "istanbul", identity],
  [5, "istanbul", modexpContract(MODEXP_198)],
  [5, "kore", modexpContract(MODEXP_2565)],
  [5, "osaka", modexpContract(MODEXP_7883)],
  [6, "istanbul", bn254Add(150)],
  [7, "istanbul", bn254Multiply(6000)],
  [8, "istanbul", bn254Pairing({ base: 45_000, pair: 34_000 })],
  [9, "istanbul", blake2fContract],
  [0x0a, "cancun", pointEvaluation],
  [0x0b, "prague", blsG1Add],
  [0x0c, "prague", blsG1Msm],
  [0x0d, "prague", blsG2Add],
  [0x0e, "prague", blsG2Msm],
  [0x0f, "prague", blsPairing],
  [0x10, "prague", blsMapG1],
  [0x11, "prague", blsMapG2],
  [0x100, "osaka", p256Verify],
  [0x3fd, "istanbul", vmLog],
  [0x3fe, "istanbul", feePayer],
  [0x3ff, "istanbul", validateSender],
];

const sets = new Map<string, ReadonlyMap<number, Precompile>>();

/**
 * Returns the contract at an address. `vmVersion` is that of the calling contract, 1 for any other caller.
 */
export function precompileAt(address: Address, rules: Rules, vmVersion: 0 | 1): Precompile | undefined {
  return setOf(rules.evm, vmVersion).get(shortNumber(address));
}

/**
 * True for an address that takes no value and holds no code: 0x1 to 0x3ff, unless the rules reserve those of
 * the contracts in force alone (`common.IsPrecompiledContractAddress` of the Go node).
 */
export function isReserved(address: Address, rules: Rules): boolean {
  const number = shortNumber(address);
  if (number <= 0 || number > LAST_RESERVED) return false;
  return rules.reservedAddresses === "range" || setOf(rules.evm, 1).has(number);
}

/**
 * True for addresses that are warm at the start of a transaction (EIP-2929): all in force, and 0x0a and 0x0b
 * of the older set.
 */
export function isWarmFromStart(address: Address, { evm }: Rules): boolean {
  const number = shortNumber(address);
  if (number < 0) return false; // most are others
  return number === 0x0a || number === 0x0b || setOf(evm, 1).has(number);
}

function setOf(evm: EvmRevision, vmVersion: 0 | 1): ReadonlyMap<number, Precompile> {
  const isLegacy = vmVersion === 0 || evm === "base";
  const name = isLegacy ? "legacy" : evm;
  let set = sets.get(name);
  if (set === undefined) {
    const inForce = isLegacy ? legacyRows : rows.filter(([, since]) => isRevisionSince(evm, since));
    set = new Map(inForce.map(([address, , work]) => [address, { ...work, address }]));
    sets.set(name, set);
  }
  return set;
}
