/** Tests of contract code and its analysis. */
import { expect, test } from "@jest/globals";
import { fixedBytes } from "../../../node/bytes/integer.ts";
import { Codes } from "../../../node/evm/code.ts";
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
