/** The sender's balance in `prestateTracer` by profile, compared with a Go node 2.2.1. */
import { expect, test } from "@jest/globals";
import { toHex } from "../../../node/bytes/hex.ts";
import { startTracing } from "../../../node/calls/traces/tracers.ts";
import { type ProfileName, rpcProfiles } from "../../../node/compat/profiles.ts";
import { aWorld, CALLER, OTHER } from "../../support/evm.ts";

const BEFORE = 10n ** 30n;

function shownTo(
  name: ProfileName,
  { gasUsed = 0n, price = 0n, blobFee = 0n, granted = 0n, value = 0n, failed = false },
): bigint {
  const world = aWorld();
  world.addBalance(CALLER, BEFORE);
  const subject = {
    from: CALLER,
    to: OTHER,
    input: new Uint8Array(0),
    value,
    gasLimit: 1n,
    price: 0n,
    blobFee,
    granted,
  };
  const terms = {
    config: { tracer: "prestateTracer" },
    budget: { maxBytes: 1_000, used: 0 },
    traceForm: rpcProfiles[name].options.traceForm,
    computationLimit: 1,
    block: 1,
    sandboxes: undefined,
  };
  const { tracer, result } = startTracing(terms, world, subject);
  const [input, isPrecompile] = [new Uint8Array(0), false];
  tracer.enter?.({
    kind: "CALL",
    depth: 0,
    from: CALLER,
    to: OTHER,
    value: 0n,
    gas: 1n,
    input,
    isPrecompile,
  });
  const trace = result({ gasUsed, fee: gasUsed * price, failed, output: input });
  return BigInt((trace as Record<string, { balance: string }>)[toHex(CALLER)]?.balance ?? 0) - BEFORE;
}

test("the service profile shows the balance before the transaction", () => {
  expect(shownTo("service", { gasUsed: 123_457n, price: 98_765_432_109_876_543n, blobFee: 7n })).toBe(0n);
});

test("a Go node of line 2 adds a double-precision fee to the balance after, without the blob fee", () => {
  expect(shownTo("kaia", { gasUsed: 21_000n, price: 25_000_000_000n, blobFee: 7n })).toBe(-7n);
  // 41666250000388885 is written 41666250000388890
  expect(shownTo("kaia", { gasUsed: 55_555n, price: 750_000_000_007n })).toBe(5n);
  // 12193283951989028369151 is written 1.219328395198903e+22
  expect(shownTo("kaia", { gasUsed: 123_457n, price: 98_765_432_109_876_543n })).toBe(1_630_849n);
});

test("a Go node of line 1 adds no fee", () => {
  expect(shownTo("klaytn", { gasUsed: 21_000n, price: 25n })).toBe(-21_000n * 25n);
});

test("Go nodes show a call's sender with the amount granted for its gas, and with a value that a failure left it", () => {
  const call = { granted: 1_000n, value: 7n };
  expect(shownTo("service", call)).toBe(0n);
  for (const name of ["kaia", "klaytn"] as const) {
    expect(shownTo(name, call)).toBe(1_000n);
    expect(shownTo(name, { ...call, failed: true })).toBe(1_007n);
  }
});
