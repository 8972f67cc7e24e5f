/** Short calls run inline; calls that would delay the chain run in reader threads. */
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { fromHex } from "../../../node/bytes/hex.ts";
import { chainReading } from "../../../node/calls/chain-reading.ts";
import { InlineCalls } from "../../../node/calls/inline-calls.ts";
import { parseGenesis } from "../../../node/config/genesis.ts";
import { GasBudgetExceeded } from "../../../node/evm/frame.ts";
import type { Method } from "../../../node/jsonrpc/method.ts";
import { callMethods, estimateOnHead } from "../../../node/rpc/calls.ts";
import { aChain, type TestChain } from "../../support/chain.ts";
import { makerGenesis } from "../../support/transfer-chain.ts";
import { aCall, anEndpoint, aSession } from "./fixture.ts";

const SHORT = `0x${"1001".padStart(40, "0")}`;
const ENDLESS = `0x${"1002".padStart(40, "0")}`;
const ECHO = `0x${"1003".padStart(40, "0")}`;
const A_WHILE_MS = 60_000;

let chain: TestChain;
let rows: readonly Method[];
let given: string[];

beforeAll(async () => {
  const alloc = {
    [SHORT]: { balance: "0x7", code: "0x303160005260206000f3" },
    [ENDLESS]: { balance: "0x0", code: "0x5b600056" },
    [ECHO]: { balance: "0x0", code: "0x366000600037366000fd" },
  };
  chain = await aChain(parseGenesis(makerGenesis(alloc, { istanbulCompatibleBlock: 0 })));
  rows = callMethods({
    open: () => chainReading(chain.chain),
    limits: { upperGas: 500_000_000n, gasCap: 0n },
    timeoutMs: 5_000,
    inlineCalls: new InlineCalls(A_WHILE_MS),
  });
  given = [];
});
afterAll(async () => {
  await chain[Symbol.asyncDispose]();
});

/** An endpoint's answers; `given` lists the calls of the readers. */
function call(name: string, ...params: unknown[]): unknown {
  const readers = {
    call: (method: string) => {
      given.push(method);
      return Promise.resolve('"from a reader"');
    },
  };
  return anEndpoint({ methods: rows, options: { readers } }).answer(aCall(name, params), aSession);
}

test("a call that needs little gas runs inline, as does its failure", () => {
  const balance = `"0x${"7".padStart(64, "0")}"`;
  for (const name of ["eth_call", "chain_call"])
    for (const tag of ["latest", "pending"]) {
      expect(call(name, { to: SHORT }, tag)).toBe(`{"jsonrpc":"2.0","id":1,"result":${balance}}\n`);
    }
  expect(call("eth_call", { to: ECHO, data: "0x01020304" }, "latest")).toContain(
    '"code":3,"message":"execution reverted","data":"0x01020304"',
  );
  expect(call("eth_call", {}, "latest")).toContain('"result":"0x"');
  expect(given).toEqual([]);
});

test("a call that needs more gas, an older block or state overrides runs in a reader", async () => {
  given = [];
  await call("eth_call", { to: ENDLESS }, "latest");
  await call("eth_call", { to: ENDLESS, gas: "0xea60" }, "latest");
  await call("eth_call", { to: SHORT }, "0x0");
  await call("eth_call", { to: SHORT }, "latest", { [SHORT]: { balance: "0x1" } });
  await call("eth_estimateGas", { to: SHORT });
  expect(given).toEqual(["eth_call", "eth_call", "eth_call", "eth_call", "eth_estimateGas"]);
});

/** Answers a gas search for a call of this contract, at once or from a reader that says so. */
const answer = (methods: Method[], to: string): unknown =>
  anEndpoint({ methods, options: { readers: { call: () => Promise.resolve('"from a reader"') } } }).answer(
    aCall("eth_estimateGas", [{ to }]),
    aSession,
  );

test("a gas search runs inline on a development chain, unless an attempt needs much gas", async () => {
  const inlineSearches = new InlineCalls(A_WHILE_MS);
  const deps = {
    open: () => chainReading(chain.chain),
    limits: { upperGas: 500_000_000n, gasCap: 0n },
    timeoutMs: 5_000,
  };
  const estimate = estimateOnHead(deps, { to: fromHex(SHORT) });
  expect(answer(callMethods({ ...deps, inlineSearches }), SHORT)).toContain(`"0x${estimate.toString(16)}"`);
  expect(await answer(callMethods({ ...deps, inlineSearches }), ENDLESS)).toContain("from a reader");
  expect(await answer(callMethods(deps), SHORT)).toContain("from a reader");
});

const noKind = (): string => "";

test("a kind of call that exceeded the gas is not tried inline again", () => {
  const brief = new InlineCalls(A_WHILE_MS);
  let tries = 0;
  const long = (name: string): unknown =>
    brief.run(
      () => name,
      () => {
        tries++;
        throw new GasBudgetExceeded();
      },
    );
  expect([long("a"), long("a"), tries]).toEqual([undefined, undefined, 1]);
  for (let kind = 0; kind < 1_000; kind++) long(`${kind}`);
  long("a");
  expect(tries).toBe(1_002);
  expect(
    brief.run(
      () => "b",
      () => "short",
    ),
  ).toBe("short");
});

function slow(): string {
  const until = performance.now() + 0.002;
  while (performance.now() < until);
  return "done";
}

function defect(): never {
  throw new Error("broken");
}

test("inline calls of one turn of the event loop share a bounded time", async () => {
  const brief = new InlineCalls(0.001);
  expect([brief.run(noKind, slow), brief.run(noKind, slow)]).toEqual(["done", undefined]);
  await new Promise((resolve) => setImmediate(resolve));
  expect([brief.run(noKind, slow), brief.run(noKind, slow)]).toEqual(["done", undefined]);
});

test("an internal error does not count as a long call", () => {
  expect(() => new InlineCalls(A_WHILE_MS).run(noKind, defect)).toThrow("broken");
});
