/** What programs may ask of the node: the opcode at hand, and the state. Addresses and keys come as digits. */
import { fromBareHex } from "../../bytes/hex.ts";
import { bytesToBigint } from "../../bytes/integer.ts";
import { wordBytes } from "../../bytes/word.ts";
import type { World } from "../../state/world/world.ts";
import { create2Address, createAddress } from "../address.ts";
import type { FrameStart, Step } from "../tracer.ts";
import { opcodeName } from "../tracers/opcode-name.ts";
import type { HostFunction } from "./sandbox.ts";

/** What there is to see now. */
export interface Sight {
  readonly world: World;
  /** Frames entered and not left. */
  readonly frames: FrameStart[];
  /** The opcode that was told of last. */
  step: Step | undefined;
}

const NAMES = Array.from({ length: 256 }, (_, op) => opcodeName(op)).join(",");
const ADDRESS = 20;
const WORD = 32;

/** The functions, by the names that `prelude.ts` uses. */
export function programHost(sight: Sight): Readonly<Record<string, HostFunction>> {
  return { names: () => NAMES, ...stepHost(sight), ...stateHost(sight), ...ADDRESSES };
}

function stepHost(sight: Sight): Readonly<Record<string, HostFunction>> {
  return {
    peek: (_, index) => {
      const { stack, stackLength } = sight.step ?? { stack: [], stackLength: 0 };
      const word = index < 0 || index >= stackLength ? 0n : stack[stackLength - 1 - index];
      return (word ?? 0n).toString();
    },
    memory: (_, begin, end) => (begin < 0 ? undefined : memoryAt(sight, begin, end)),
    memoryWord: (_, at) => bytesToBigint(at < 0 ? NOTHING : memoryAt(sight, at, at + WORD)).toString(),
    caller: () => sight.step?.caller,
    address: () => sight.step?.address,
    value: () => (sight.frames.at(-1)?.value ?? 0n).toString(),
    input: () => inputOf(sight.frames.at(-1)),
  };
}

const NOTHING = new Uint8Array(0);

/** Nothing where memory does not reach. */
function memoryAt({ step }: Sight, begin: number, end: number): Uint8Array {
  const memory = step?.memory ?? NOTHING;
  return end < begin || end > memory.length ? NOTHING : memory.subarray(begin, end);
}

/** Code that creates is no call's input. */
function inputOf(frame: FrameStart | undefined): Uint8Array | undefined {
  return frame?.kind === "CREATE" || frame?.kind === "CREATE2" ? undefined : frame?.input;
}

function stateHost({ world }: Sight): Readonly<Record<string, HostFunction>> {
  return {
    balance: (digits) => world.balance(bytesOf(digits, ADDRESS)).toString(),
    nonce: (digits) => Number(BigInt.asIntN(32, world.nonce(bytesOf(digits, ADDRESS)))),
    code: (digits) => world.code(bytesOf(digits, ADDRESS)),
    slot: (digits) => {
      const key = bytesOf(digits.slice(2 * ADDRESS), WORD);
      return wordBytes(world.slot(bytesOf(digits.slice(0, 2 * ADDRESS), ADDRESS), bytesToBigint(key)));
    },
    exists: (digits) => world.exists(bytesOf(digits, ADDRESS)),
  };
}

const ADDRESSES: Readonly<Record<string, HostFunction>> = {
  contract: (digits, nonce) =>
    createAddress(bytesOf(digits, ADDRESS), BigInt.asUintN(64, BigInt(Math.trunc(nonce) || 0))),
  contract2: (digits) => {
    const [salt, code] = [
      digits.slice(2 * ADDRESS, 2 * (ADDRESS + WORD)),
      digits.slice(2 * (ADDRESS + WORD)),
    ];
    return create2Address(
      bytesOf(digits.slice(0, 2 * ADDRESS), ADDRESS),
      bytesToBigint(bytesOf(salt, WORD)),
      bytesOf(code, code.length / 2),
    );
  },
};

/** A program may have bent the prelude's tools: what is not so many digits is zeros. */
function bytesOf(digits: string, length: number): Uint8Array {
  return digits.length === 2 * length && /^[0-9a-f]*$/.test(digits)
    ? fromBareHex(digits)
    : new Uint8Array(Math.trunc(length));
}
