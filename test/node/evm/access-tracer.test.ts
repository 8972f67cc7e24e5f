/** Tests of the tracer that makes access lists. */
import { expect, test } from "@jest/globals";
import { toHex } from "../../../node/bytes/hex.ts";
import { type AccessedState, accessTracer } from "../../../node/evm/tracers/access-tracer.ts";
import { assemble, aWorld, OTHER, putContract, runProgram } from "../../support/evm.ts";

const named = Uint8Array.from({ length: 20 }, (_, i) => (i === 19 ? 0x77 : 0));
const textOf = ({ address, slots }: AccessedState): string =>
  `${toHex(address).slice(-4)} [${slots.join(" ")}]`;
const nobody = (): boolean => false;
const free = (address: Uint8Array): boolean => address[19] !== 0x79;

test("accounts that are asked about or called and slots that are read or written are noted once", () => {
  const world = aWorld();
  putContract(world, OTHER, assemble("9 SLOAD"));
  const tracer = accessTracer([], nobody);
  runProgram(
    "0x77 BALANCE 0x78 EXTCODESIZE 0x79 EXTCODEHASH 5 1 SSTORE 1 SLOAD 0 0 0 0 0x07e4 5000 STATICCALL",
    {
      world,
      tracer,
      gas: 1_000_000n,
    },
  );
  expect(tracer.touched.map(textOf)).toEqual(["0077 []", "0078 []", "0079 []", "de00 [1]", "07e4 [9]"]);
});

test("what is free is left out unless it has slots, and what a list names already stays", () => {
  const tracer = accessTracer(
    [
      { address: named, slots: [] },
      { address: OTHER, slots: [3n] },
    ],
    free,
  );
  runProgram("0x77 BALANCE 0x79 BALANCE 4 SLOAD", { tracer, gas: 1_000_000n });
  expect(tracer.touched.map(textOf)).toEqual(["07e4 [3]", "0079 []", "de00 [4]"]);
});
