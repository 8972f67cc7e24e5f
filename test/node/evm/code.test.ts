/** Tests of contract code and its analysis. */
import { expect, test } from "@jest/globals";
import { fixedBytes } from "../../../node/bytes/integer.ts";
import { Code, Codes } from "../../../node/evm/code.ts";
import type { World } from "../../../node/state/world/world.ts";
import { assemble, aWorld, putContract } from "../../support/evm.ts";

test("code is read and analysed once for all accounts that have it, in later transactions too", () => {
  const world = aWorld();
  const code = assemble("51966 POP to: @to JUMP");
  const [first, second] = [1n, 2n].map((number) => fixedBytes(number, 20)) as [Uint8Array, Uint8Array];
  for (const address of [first, second]) putContract(world, address, code);
  let reads = 0;
  // All that is asked of it.
  const counting = {
    codeHash: (address: Uint8Array) => world.codeHash(address),
    code: (address: Uint8Array) => {
      reads++;
      return world.code(address);
    },
  } as World;
  const analysed = new Codes(counting).at(first);
  const again = new Codes(counting);
  for (const address of [second, first]) expect(again.at(address)).toBe(analysed);
  expect(reads).toBe(1);
});

test("a PUSH at the end of the code adds no constant each time that it runs, so others are still read once", () => {
  const bytes = assemble("#6007 #60");
  const code = new Code(bytes);
  let reads = 0;
  bytes.subarray = (start, end) => {
    reads++;
    return bytes.slice(start, end);
  };
  for (let time = 0; time < 70_000; time++) code.constant(bytes.length, 1);
  expect([code.constant(1, 1), code.constant(1, 1), code.constant(bytes.length, 1)]).toEqual([7n, 7n, 0n]);
  expect(reads).toBe(1);
});

test("a PUSH whose bytes end early has zeros behind them", () => {
  const code = new Code(assemble("#7f0102"));
  for (const _time of [1, 2]) expect(code.constant(1, 32)).toBe(0x0102n << 240n);
  expect(code.constant(2, 2)).toBe(0x0200n);
  expect(code.constant(3, 32)).toBe(0n);
});
