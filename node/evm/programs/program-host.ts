/**
 * Functions that tracer programs can call: the current opcode and the state. Addresses and keys are hex
 * digits without 0x.
 */
import { fromBareHex } from "../../bytes/hex.ts";
import { bytesToBigint } from "../../bytes/integer.ts";
import { wordBytes } from "../../bytes/word.ts";
import type { World } from "../../state/world/world.ts";
import { create2Address, createAddress } from "../address.ts";
import type { FrameStart, OpcodeStep } from "../tracer.ts";
import { opcodeName } from "../tracers/opcode-name.ts";
import type { HostFunction } from "./sandbox.ts";

/** The part of an execution that a program can see at the moment. */
export interface TracerView {
  readonly world: World;
  /** Frames that have begun and not ended, the outermost first. */
  readonly frames: FrameStart[];
  /** The last reported opcode. */
  step: OpcodeStep | undefined;
}

const NAMES = Array.from({ length: 256 }, (_, op) => opcodeName(op)).join(",");
const ADDRESS = 20;
const WORD = 32;

/** Returns the host functions by the names that `prelude.ts` uses. */
export function programHost(view: TracerView): Readonly<Record<string, HostFunction>> {
  return { names: () => NAMES, ...stepHost(view), ...stateHost(view), ...ADDRESSES };
}

function stepHost(view: TracerView): Readonly<Record<string, HostFunction>> {
  return {
    peek: (_, index) => {
      const { stack, stackLength } = view.step ?? { stack: [], stackLength: 0 };
      const word = index < 0 || index >= stackLength ? 0n : stack[stackLength - 1 - index];
      return (word ?? 0n).toString();
    },
    memory: (_, begin, end) => (begin < 0 ? undefined : memoryAt(view, begin, end)),
    memoryWord: (_, at) => bytesToBigint(at < 0 ? NOTHING : memoryAt(view, at, at + WORD)).toString(),
    caller: () => view.step?.caller,
    address: () => view.step?.address,
    value: () => (view.frames.at(-1)?.value ?? 0n).toString(),
    input: () => inputOf(view.frames.at(-1)),
  };
}

const NOTHING = new Uint8Array(0);

/** Returns a range of memory; empty where memory does not reach. */
function memoryAt({ step }: TracerView, begin: number, end: number): Uint8Array {
  const memory = step?.memory ?? NOTHING;
  return end < begin || end > memory.length ? NOTHING : memory.subarray(begin, end);
}

/** Returns a frame's call data; undefined for a creation, whose input is init code. */
function inputOf(frame: FrameStart | undefined): Uint8Array | undefined {
  return frame?.kind === "CREATE" || frame?.kind === "CREATE2" ? undefined : frame?.input;
}

function stateHost({ world }: TracerView): Readonly<Record<string, HostFunction>> {
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

/**
 * Returns the bytes of hex digits; zeros for anything else, because a program can change the prelude's
 * helpers.
 */
function bytesOf(digits: string, length: number): Uint8Array {
  return digits.length === 2 * length && /^[0-9a-f]*$/.test(digits)
    ? fromBareHex(digits)
    : new Uint8Array(Math.trunc(length));
}
