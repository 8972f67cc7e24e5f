/** Code with what is found out about it on the way: where it may jump to, and its long constants. */
import { equalBytes } from "../bytes/compare.ts";
import { mapKey } from "../bytes/hex.ts";
import { bytesToBigint } from "../bytes/integer.ts";
import { EMPTY_HASH } from "../crypto/keccak.ts";
import { RecentMap } from "../state/recent-map.ts";
import type { World } from "../state/world/world.ts";

const PUSH1 = 0x60;
const PUSH32 = 0x7f;
const JUMPDEST = 0x5b;
const MOST_CONSTANTS = 0xffff;

/** What code begins with that stands for another account's (EIP-7702). */
export const DESIGNATOR: Uint8Array = Uint8Array.of(0xef, 0x01, 0x00);
const DELEGATION_BYTES = 23;

/** Some code. */
export class Code {
  readonly bytes: Uint8Array;
  /** One bit for each byte: a JUMPDEST that is not part of a constant. */
  #targets: Uint8Array | undefined;
  /** Of each byte, where its constant is among `#constants`; 0 for none yet. */
  #places: Uint16Array | undefined;
  readonly #constants: bigint[] = [0n];

  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
  }

  /** True when a jump to byte `at` is allowed. */
  isTarget(at: number): boolean {
    if (at >= this.bytes.length) return false;
    this.#targets ??= targetsOf(this.bytes);
    return (((this.#targets[at >> 3] ?? 0) >> (at & 7)) & 1) === 1;
  }

  /** The constant of `length` bytes from `at` on, zeros beyond the end. */
  constant(at: number, length: number): bigint {
    const place = this.#places?.[at];
    return place === undefined || place === 0 ? this.#read(at, length) : (this.#constants[place] as bigint);
  }

  #read(at: number, length: number): bigint {
    const there = this.bytes.subarray(at, at + length);
    const value = there.length === 0 ? 0n : bytesToBigint(there) << BigInt(8 * (length - there.length));
    if (this.#constants.length > MOST_CONSTANTS) return value;
    this.#places ??= new Uint16Array(this.bytes.length);
    this.#places[at] = this.#constants.length;
    this.#constants.push(value);
    return value;
  }
}

/** No code at all. */
export const NO_CODE = new Code(new Uint8Array(0));

/** By code hash; shared by all machines. */
const recent = new RecentMap<Code>(512);

/** The code of accounts, each analysed once a transaction, however many there are. */
export class Codes {
  readonly #world: World;
  readonly #codes = new Map<string, Code>();
  #last = NO_CODE;
  #lastHash: Uint8Array = EMPTY_HASH;

  constructor(world: World) {
    this.#world = world;
  }

  /** The account's own code; `NO_CODE` where there is none. */
  at(address: Uint8Array): Code {
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

/** The code of one account of a world; read from there only when it was not met for long. */
export function codeAt(world: World, address: Uint8Array): Code {
  const hash = world.codeHash(address);
  if (hash === EMPTY_HASH || equalBytes(hash, EMPTY_HASH)) return NO_CODE;
  const name = mapKey(hash);
  return recent.get(name) ?? loadCode(world, address, name);
}

function loadCode(world: World, address: Uint8Array, name: string): Code {
  const bytes = world.code(address);
  if (bytes.length === 0) return NO_CODE;
  const code = new Code(bytes);
  recent.set(name, code);
  return code;
}

/** The account that code hands calls on to (EIP-7702): the designator and the address. */
export function delegationIn(code: Uint8Array): Uint8Array | undefined {
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
