/** `debug_subscribe traceChain`. */

import { expect, test } from "@jest/globals";
import { rpcProfiles } from "../../../node/compat/profiles.ts";
import { failure } from "../../../node/jsonrpc/errors.ts";
import { createRegistry } from "../../../node/jsonrpc/registry.ts";
import type { Block } from "../../../node/model/block.ts";
import { traceChainSubscription } from "../../../node/rpc/trace-chain.ts";
import { aSubscriber } from "./fixture.ts";

const hash = new Uint8Array(32).fill(7);
/** Every second one of ten blocks has a transaction. */
const blockAt = (number: number): Block =>
  ({ header: { number }, hash, transactions: number % 2 === 0 ? [{}] : [] }) as unknown as Block; // what is read
const chain = { head: () => blockAt(9), block: blockAt, oldestBody: () => 1 };

test("it notifies of the blocks with transactions after the first, until it is unsubscribed", async () => {
  const asked: unknown[] = [];
  const row = traceChainSubscription({
    chain,
    traceBlock: async (number, config) => (asked.push([number, config]), `[${number}]`),
  });
  const reported: { block: string; traces: number[] }[] = [];
  let end: (() => void) | undefined;
  await new Promise<void>((resolve) => {
    end = row.start(
      ["0x2", "latest", { tracer: "callTracer" }],
      aSubscriber((json) => {
        reported.push(JSON.parse(json) as (typeof reported)[number]);
        if (reported.length === 2) {
          end?.();
          setImmediate(() => setImmediate(resolve));
        }
      }),
    );
  });
  expect(reported.map(({ block, traces }) => [block, traces])).toEqual([
    ["0x4", [4]],
    ["0x6", [6]],
  ]);
  expect(asked[0]).toEqual([4, { tracer: "callTracer" }]);
});

test("the last block is reported even without transactions", async () => {
  const row = traceChainSubscription({ chain, traceBlock: async () => "[]" });
  const first = await new Promise<string>((resolve) => {
    row.start([2, 3], aSubscriber(resolve));
  });
  expect(JSON.parse(first)).toMatchObject({ block: "0x3", traces: [] });
});

test("an untraceable block ends the subscription", async () => {
  const reported: string[] = [];
  const asked: number[] = [];
  const traceBlock = async (number: number): Promise<string> => {
    asked.push(number);
    throw failure("execution timeout");
  };
  traceChainSubscription({ chain, traceBlock }).start(
    [0, 9],
    aSubscriber((json) => reported.push(json)),
  );
  while (asked.length === 0) await new Promise(setImmediate);
  for (let turn = 0; turn < 20; turn++) await new Promise(setImmediate);
  expect([asked, reported]).toEqual([[2], []]);
});

test.each([
  [["0x10", "0x11"], "the block does not exist (block number: 16)"],
  [["0x1", "0x11"], "the block does not exist (block number: 17)"],
  [["0x5", "0x5"], "end block #5 needs to come after start block #5"],
])("%j is refused", (params, message) => {
  const row = traceChainSubscription({ chain, traceBlock: async () => "[]" });
  expect(() =>
    row.start(
      params,
      aSubscriber(() => undefined),
    ),
  ).toThrow(message);
});

test("it is unavailable without the privilege", () => {
  const registry = createRegistry(rpcProfiles.service.options.interfaces);
  registry.addSubscriptions([traceChainSubscription({ chain, traceBlock: async () => "[]" })]);
  registry.seal();
  const findIn = (options: object): unknown =>
    registry.view(["debug"], options).findSubscription("debug", "traceChain");
  expect([findIn({}) === undefined, findIn({ without: "privileges" }) === undefined]).toEqual([false, true]);
});
