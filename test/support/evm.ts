/** Programs for the interpreter: an assembler, a world to run them in, and one call. */
import { concatBytes } from "../../node/bytes/compare.ts";
import { fromBareHex } from "../../node/bytes/hex.ts";
import { fixedBytes, integerBytes } from "../../node/bytes/integer.ts";
import { type ForkSchedule } from "../../node/config/forks.ts";
import { EVM_REVISIONS, type EvmRevision } from "../../node/config/rule-facts.ts";
import { type Rules, rulesAt } from "../../node/config/rules.ts";
import { createEvm, type EvmOptions, type EvmResult } from "../../node/evm/evm.ts";
import { opcodes } from "../../node/evm/opcodes.ts";
import { emptyAccount } from "../../node/model/account.ts";
import { FAIL_KEY } from "../../node/model/account-key.ts";
import { NewestState } from "../../node/state/flat/flat-state.ts";
import { JournaledWorld } from "../../node/state/world/journaled-world.ts";
import type { World } from "../../node/state/world/world.ts";
import { createMemoryStore } from "../../node/store/memory-store.ts";

export const CALLER: Uint8Array = fixedBytes(0xca11e4n, 20);
export const CONTRACT: Uint8Array = fixedBytes(0xc0de00n, 20);
export const OTHER: Uint8Array = fixedBytes(0x07e4n, 20);

const numbers = new Map(opcodes.map(({ name, number }) => [name, number]));
const FORK_KEYS: Readonly<Record<EvmRevision, string | undefined>> = {
  base: undefined,
  istanbul: "istanbulCompatibleBlock",
  london: "londonCompatibleBlock",
  kore: "koreCompatibleBlock",
  shanghai: "shanghaiCompatibleBlock",
  cancun: "cancunCompatibleBlock",
  prague: "pragueCompatibleBlock",
  osaka: "osakaCompatibleBlock",
};

/**
 * Assembles words apart by spaces: opcode names; numbers, which become the shortest PUSH; `name:`, a JUMPDEST;
 * `@name`, a PUSH2 of where it is; `#hex`, bytes as they are.
 */
export function assemble(source: string): Uint8Array {
  const parts: Uint8Array[] = [];
  const labels = new Map<string, number>();
  const uses: (readonly [part: number, label: string])[] = [];
  let at = 0;
  for (const word of source.split(/\s+/).filter((text) => text !== "")) {
    if (word.endsWith(":")) labels.set(word.slice(0, -1), at);
    if (word.startsWith("@")) uses.push([parts.length, word.slice(1)]);
    const bytes = assembleWord(word);
    parts.push(bytes);
    at += bytes.length;
  }
  for (const [part, label] of uses) {
    const target = labels.get(label);
    if (target === undefined) throw new Error(`no label ${label}`);
    parts[part] = Uint8Array.of(0x61, target >> 8, target & 0xff);
  }
  return concatBytes(...parts);
}

function assembleWord(word: string): Uint8Array {
  if (word.endsWith(":")) return Uint8Array.of(0x5b);
  if (word.startsWith("@")) return new Uint8Array(3);
  if (word.startsWith("#")) return fromBareHex(word.slice(1));
  const number = numbers.get(word);
  if (number !== undefined) return Uint8Array.of(number);
  const value = BigInt(word);
  const bytes = value === 0n ? Uint8Array.of(0) : integerBytes(value);
  return concatBytes(Uint8Array.of(0x5f + bytes.length), bytes);
}

/** The rules of a chain that runs this revision from block 0 on. */
export function rulesOf(revision: EvmRevision): Rules {
  const forks = new Map<string, number>();
  for (const each of EVM_REVISIONS) {
    const key = FORK_KEYS[each];
    if (key !== undefined) forks.set(key, 0);
    if (each === revision) break;
  }
  const schedule: ForkSchedule = { forks };
  return rulesAt(schedule, 0);
}

/** An empty world on no state at all. */
export function aWorld(): World {
  return new JournaledWorld(new NewestState(createMemoryStore(), 1000, () => undefined), 0);
}

/** Puts a contract into a world. */
export function putContract(world: World, address: Uint8Array, code: Uint8Array, codeInfo = 0x10): void {
  world.setAccount(address, {
    ...emptyAccount(),
    kind: "contract",
    key: FAIL_KEY,
    nonce: 1n,
    balance: world.balance(address),
    codeInfo,
  });
  world.setCode(address, code);
}

/** Options of a run of a program; everything has a default. */
export interface RunOptions extends Partial<Omit<EvmOptions, "world" | "rules">> {
  readonly world?: World;
  readonly rules?: Rules;
  readonly gas?: bigint;
  readonly value?: bigint;
  readonly input?: Uint8Array;
}

/** The options of an interpreter with plain surroundings. */
export function evmOptions(options: RunOptions = {}): EvmOptions {
  return {
    world: aWorld(),
    rules: rulesOf("osaka"),
    chainId: 1001n,
    block: {
      number: 1000,
      time: 1_700_000_000,
      author: fixedBytes(0xa07402n, 20),
      blockScore: 1n,
      baseFee: 25_000_000_000n,
      blobBaseFee: 200_000_000_000n,
      random: fixedBytes(0x4a4dn, 32),
      gasLimit: 0n,
      blockHash: (number) => fixedBytes(number, 32),
    },
    transaction: { origin: CALLER, gasPrice: 50_000_000_000n, feePayer: OTHER, blobHashes: [] },
    ...options,
  };
}

/** Puts code at `CONTRACT` and calls it from `CALLER`. */
export function runCode(code: Uint8Array, options: RunOptions = {}): EvmResult {
  const evm = evmOptions(options);
  const { gas = 1_000_000n, value = 0n, input = new Uint8Array(0) } = options;
  if (evm.world.balance(CALLER) === 0n) evm.world.addBalance(CALLER, 10n ** 20n);
  putContract(evm.world, CONTRACT, code);
  return createEvm(evm).call({ caller: CALLER, to: CONTRACT, input, value, gas });
}

/** Runs a program. */
export function runProgram(source: string, options: RunOptions = {}): EvmResult {
  return runCode(assemble(source), options);
}
