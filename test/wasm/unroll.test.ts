/** Tests of the writing out of loops with known bounds. */
import { expect, test } from "@jest/globals";
import { unroll } from "../../wasm/unroll.ts";

const FILES: Readonly<Record<string, string>> = {
  "numbers.ts": "export const COUNT = 2 * 2;",
  "entry.ts": `import { COUNT } from "./numbers";
/** @unroll */
function addAll(sum: StaticArray<u64>, from: StaticArray<u64>): void {
  for (let i = 0; i < COUNT / 2; i++) sum[0] += from[i];
}
/** @unroll */
export function run(a: usize): u64 {
  const x = new StaticArray<u64>(COUNT / 2);
  const sum = new StaticArray<u64>(1);
  for (let i = 0; i < COUNT / 2; i++) x[i] = i === 1 ? load<u64>(a, 8 * i) : 0x123456789abcdef0;
  for (let i: usize = 0; i < 3; i++) addAll(sum, x);
  return sum[0];
}
export function plain(a: usize): usize { return a; }
`,
};
const read = (path: string): string | undefined => FILES[path];
const lines = (text: string): string[] => text.split(/\s*\n\s*/).filter((line) => line !== "");

test("loops with known bounds are written out, arrays become locals, calls with arrays become bodies", () => {
  const text = lines(unroll("entry.ts", read));
  expect(text.slice(text.indexOf("export function run(a: usize): u64 {"))).toEqual([
    "export function run(a: usize): u64 {",
    "let x_0_0: u64; let x_0_1: u64;",
    "let sum_0_0: u64;",
    "x_0_0 = 0x123456789abcdef0;",
    "x_0_1 = load<u64>(a, 8);",
    "for (let i: usize = 0; i < 3; i++) {",
    "sum_0_0 += x_0_0;",
    "sum_0_0 += x_0_1;",
    "}",
    "return sum_0_0;",
    "}",
    "export function plain(a: usize): usize { return a; }",
  ]);
});

test("an element that is not known is refused with the words of the source", () => {
  const source = `/** @unroll */
  export function run(n: i32): u64 { const x = new StaticArray<u64>(2); return x[n]; }`;
  expect(() => unroll("a.ts", () => source)).toThrow("a.ts: an element that is not known: x[n]");
});

test("a loop of more than 256 turns is refused", () => {
  const source = "/** @unroll */ export function run(): void { for (let i = 0; i < 257; i++) f(i); }";
  expect(() => unroll("a.ts", () => source)).toThrow("more than 256 turns");
});
