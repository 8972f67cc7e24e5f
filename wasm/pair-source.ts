/**
 * Writes AssemblyScript functions on elements a + b i of a prime field's extension by a root of -1, one to each pair of
 * `lane-source.ts`.
 */
import { type Field, sizeOf } from "./field.ts";
import { column, laneSource, linear, reduced, times, vectorsOf } from "./lane-source.ts";

const range = (length: number): number[] => Array.from({ length }, (_, i) => i);

/** The source of `conjugate`, `addTurned` (the lanes of b change places), `multiply` and `square`, with the lanes'. */
export function pairSource(field: Field): string {
  return `
  ${laneSource(field)}
  const FIRST: usize = memory.data<u64>([0xffffffff, 0xffffffff], 16);
  const SECOND: usize = memory.data<u64>([0xffffffff00000000, 0xffffffff00000000], 16);
  const LEFT: usize = memory.data(${sizeOf(field)}, 16);
  const RIGHT: usize = memory.data(${sizeOf(field)}, 16);
  ${linear(field, "conjugate", "i32x4.sub(v128.xor(A, v128.load(SECOND)), v128.load(SECOND))")}
  ${linear(field, "addTurned", "i32x4.add(A, v128.shuffle<i32>(B, B, 1, 0, 3, 2))")}
  ${pairsSource(field)}
  ${squareSource(field)}
  `;
}

/** (a0 + a1 i)(b0 + b1 i): a0 times b, and a1 times i b. */
function pairsSource(field: Field): string {
  const terms = (k: number): string[] =>
    column(field, k).flatMap(([i, j]) => [
      times(`v128.load32_splat(a, ${8 * i})`, "b", j),
      times(`v128.load32_splat(a, ${8 * i + 4})`, "c", j),
    ]);
  const turned = range(field.limbs / 2).map(
    (v) =>
      `const c${v} = i32x4.sub(v128.xor(v128.shuffle<i32>(b${v}, b${v}, 1, 0, 3, 2), signs), signs);`,
  );
  return `function multiply(r: usize, a: usize, b: usize): void {
    const signs = v128.load(FIRST);
    ${vectorsOf(field, "b", "b")}
    ${turned.join("\n    ")}
    ${reduced(field, terms)}
  }`;
}

/** (a0 + a1)(a0 - a1) and 2 a0 a1. */
function squareSource(field: Field): string {
  const steps = range(field.limbs / 2).map((v) => `
    const x${v} = v128.load(a, ${16 * v});
    const y${v} = v128.shuffle<i32>(x${v}, x${v}, 1, 0, 3, 2);
    v128.store(LEFT, i32x4.add(v128.shuffle<i32>(x${v}, x${v}, 0, 0, 2, 2), y${v}), ${16 * v});
    v128.store(RIGHT, i32x4.sub(x${v}, v128.and(y${v}, firsts)), ${16 * v});`);
  return `function square(r: usize, a: usize): void {
    const firsts = v128.load(FIRST);${steps.join("")}
    multiplyLanes(r, LEFT, RIGHT);
  }`;
}
