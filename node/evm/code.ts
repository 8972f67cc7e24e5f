/**
 * Contract code with its analysis: jump destinations and decoded PUSH constants. In: the accounts of a world.
 * Out: `Code` objects, shared by all accounts and transactions that have the same code hash.
 */
import type { Address, Hash } from "../bytes/brands.ts";
import { equalBytes } from "../bytes/compare.ts";
import { mapKey } from "../bytes/hex.ts";
import { bytesToBigint } from "../bytes/integer.ts";
import { EMPTY_HASH } from "../crypto/keccak.ts";
import { RecentMap } from "../runtime/recent-map.ts";
import type { World } from "../state/world/world.ts";

const PUSH1 = 0x60;
const PUSH32 = 0x7f;
const JUMPDEST = 0x5b;
const MAX_CONSTANTS = 0xffff;

/** Prefix of the code of an account that delegates to another one (EIP-7702). */
export const DESIGNATOR: Uint8Array = Uint8Array.of(0xef, 0x01, 0x00);
const DELEGATION_BYTES = 23;

/** Contract code, analysed on first use. */
export class Code {
  readonly bytes: Uint8Array;
  /** One bit for each byte of code, set for a JUMPDEST outside PUSH data. */
  #targets: Uint8Array | undefined;
  /** For each byte of code the index of its constant in `#constants`; 0 before the first use. */
  #places: Uint16Array | undefined;
  readonly #constants: bigint[] = [0n];

  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
  }

  /** True when a jump to byte `at` is valid. */
  isTarget(at: number): boolean {
    if (at >= this.bytes.length) return false;
    this.#targets ??= targetsOf(this.bytes);
    return (((this.#targets[at >> 3] ?? 0) >> (at & 7)) & 1) === 1;
  }

  /** Returns the constant of `length` bytes at `at`; bytes beyond the end of the code are zeros. */
  constant(at: number, length: number): bigint {
    const place = this.#places?.[at];
    return place === undefined || place === 0 ? this.#read(at, length) : (this.#constants[place] as bigint);
  }

  #read(at: number, length: number): bigint {
    if (at >= this.bytes.length) return 0n; // `#places` has no element for it
    const there = this.bytes.subarray(at, at + length);
    const value = bytesToBigint(there) << BigInt(8 * (length - there.length));
    if (this.#constants.length > MAX_CONSTANTS) return value;
    this.#places ??= new Uint16Array(this.bytes.length);
    this.#places[at] = this.#constants.length;
    this.#constants.push(value);
    return value;
  }
}

/** Empty code. */
export const NO_CODE = new Code(new Uint8Array(0));

/** Recently used code by code hash, shared by all machines. */
const recent = new RecentMap<Code>(512);

/** The code of a world's accounts, looked up once for each account and transaction. */
export class Codes {
  readonly #world: World;
  readonly #codes = new Map<string, Code>();
  #last = NO_CODE;
  #lastHash: Hash = EMPTY_HASH;

  constructor(world: World) {
    this.#world = world;
  }

  /** Returns the account's own code, or `NO_CODE`. */
  at(address: Address): Code {
    const hash = this.#world.codeHash(address);
    if (hash === this.#lastHash) return this.#last;
    const name = mapKey(hash);
    let code = this.#codes.get(name);
    if (code === undefined) {
      code = recent.get(name) ?? loadCode(this.#world, address, name);
      this.#codes.set(name, code);
    }
    this.#last = code;
    this.#lastHash = hash;
    return code;
  }
}

/** Returns the code of an account; the world is read only when the cache does not have the code hash. */
export function codeAt(world: World, address: Address): Code {
  const hash = world.codeHash(address);
  if (hash === EMPTY_HASH || equalBytes(hash, EMPTY_HASH)) return NO_CODE;
  const name = mapKey(hash);
  return recent.get(name) ?? loadCode(world, address, name);
}

function loadCode(world: World, address: Address, name: string): Code {
  const bytes = world.code(address);
  if (bytes.length === 0) return NO_CODE;
  const code = new Code(bytes);
  recent.set(name, code);
  return code;
}

/** Returns the address that an account delegates to (EIP-7702), or undefined for any other code. */
export function delegationIn(code: Uint8Array): Address | undefined {
  if (code.length !== DELEGATION_BYTES || DESIGNATOR.some((byte, i) => code[i] !== byte)) return undefined;
  return code.subarray(DESIGNATOR.length);
}

function targetsOf(bytes: Uint8Array): Uint8Array {
  const targets = new Uint8Array((bytes.length + 7) >> 3);
  for (let at = 0; at < bytes.length; at++) {
    const op = bytes[at] as number; // in range: loop bound
    if (op === JUMPDEST) targets[at >> 3] = (targets[at >> 3] as number) | (1 << (at & 7));
    else if (op >= PUSH1 && op <= PUSH32) at += op - PUSH1 + 1;
  }
  return targets;
}
