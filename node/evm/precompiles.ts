/** The precompiled contracts: one row each, with what it costs and from where to where it holds (execution.md 5.2). */
import { type EvmRevision, isRevisionSince } from "../config/rule-facts.ts";
import type { Rules } from "../config/rules.ts";
import { sha256 } from "../crypto/hashes.ts";
import type { World } from "../state/world.ts";

/** What a precompiled contract may look at. */
export interface PrecompileCall {
  readonly input: Uint8Array;
  readonly world: World;
  readonly rules: Rules;
  readonly feePayer: Uint8Array;
}

/** One precompiled contract. */
export interface Precompile {
  /** 1 to 0x3ff. */
  readonly address: number;
  readonly name: string;
  /** The first revision that has it here. */
  readonly since: EvmRevision;
  /** True for the set that contracts of VM version 0 go on seeing, and that holds for all before Istanbul. */
  readonly legacy: boolean;
  readonly gas: (input: Uint8Array, rules: Rules) => bigint | number;
  /** Computation cost. */
  readonly cost: (input: Uint8Array, gas: bigint | number, rules: Rules) => number;
  /** `undefined` for a failure, which takes all gas of the frame. */
  readonly run: (call: PrecompileCall) => Uint8Array | undefined;
}

const words = (input: Uint8Array): number => Math.ceil(input.length / 32);
const everywhere = [
  { since: "base", legacy: true },
  { since: "istanbul", legacy: false },
] as const;

const rows: readonly Precompile[] = everywhere.flatMap((place) => [
  {
    address: 2,
    name: "sha256",
    ...place,
    gas: (input: Uint8Array) => 60 + 12 * words(input),
    cost: (input: Uint8Array) => 1000 + 100 * words(input),
    run: ({ input }: PrecompileCall) => sha256(input),
  },
  {
    address: 4,
    name: "identity",
    ...place,
    gas: (input: Uint8Array) => 15 + 3 * words(input),
    cost: () => 0,
    run: ({ input }: PrecompileCall) => input.slice(),
  },
]);

const sets = new Map<string, ReadonlyMap<number, Precompile>>();

/** The contract at an address; `vmVersion` is that of the contract that calls, 1 for any other caller. */
export function precompileAt(address: Uint8Array, rules: Rules, vmVersion: 0 | 1): Precompile | undefined {
  for (let i = 0; i < 18; i++) if (address[i] !== 0) return undefined;
  return setOf(rules, vmVersion).get(((address[18] ?? 0) << 8) | (address[19] ?? 0));
}

/** The addresses of all that hold in these rules, ascending. */
export function activePrecompiles(rules: Rules): readonly Uint8Array[] {
  const numbers = [...setOf(rules, 1).keys()].sort((a, b) => a - b);
  return numbers.map((number) => Uint8Array.of(...new Uint8Array(18), number >> 8, number & 0xff));
}

/** Later rows replace earlier ones at the same address. */
function setOf({ evm }: Rules, vmVersion: 0 | 1): ReadonlyMap<number, Precompile> {
  const isLegacy = vmVersion === 0 || evm === "base";
  const name = isLegacy ? "legacy" : evm;
  let set = sets.get(name);
  if (set === undefined) {
    const inForce = rows.filter(
      ({ since, legacy }) => legacy === isLegacy && (isLegacy || isRevisionSince(evm, since)),
    );
    set = new Map(inForce.map((row) => [row.address, row]));
    sets.set(name, set);
  }
  return set;
}
