/** A kernel of sums and products of points (`wasm/assembly/points/sums.ts`), opened for one curve. */
import { openWasm } from "./wasm.ts";

/** Exports of the kernels; numbers that are places are in the kernel's memory. Functions give 0 for false. */
interface PointModule {
  readonly memory: { readonly buffer: ArrayBuffer };
  readonly input: () => number;
  readonly digits: () => number;
  readonly output: () => number;
  readonly choose: (second: boolean) => void;
  readonly read: (index: number) => number;
  readonly sumOfTwo: () => number;
  readonly sumOfProducts: (count: number) => number;
  /** On BLS12-381 alone. */
  readonly map: () => number;
  readonly lift: () => number;
}

/** The kernel's functions and views of its memory. */
export interface PointKernel {
  readonly module: PointModule;
  /** Coordinates of the point or element that is read next. */
  readonly input: Uint8Array;
  /** Digits of factors, four bits each. */
  readonly digits: Uint8Array;
  /** Coordinates of the result. */
  readonly output: Uint8Array;
}

/** Opens a kernel for coordinates of `fieldBytes` bytes; `maxDigits` bytes of digits are written at most. */
export function openPointKernel(code: string, fieldBytes: number, maxDigits: number): PointKernel {
  // The exports are those of wasm/assembly/*-points.ts; a test rebuilds the modules and compares.
  const module = openWasm(code) as PointModule;
  const { buffer } = module.memory;
  return {
    module,
    input: new Uint8Array(buffer, module.input(), 4 * fieldBytes),
    digits: new Uint8Array(buffer, module.digits(), maxDigits),
    output: new Uint8Array(buffer, module.output(), 4 * fieldBytes),
  };
}

/** Writes the digits of a factor, four bits each, the highest first. */
export function writeDigits(digits: Uint8Array, at: number, count: number, factor: bigint): void {
  const text = factor.toString(16);
  const start = at + count - text.length;
  digits.fill(0, at, start);
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    digits[start + i] = code < 58 ? code - 48 : code - 87;
  }
}
