/** Subscriptions of all connections against the part of the memory plan that is theirs. */
import { expect, test } from "@jest/globals";
import { planMemory } from "../../../node/compose/memory-plan.ts";
import { RpcError } from "../../../node/jsonrpc/errors.ts";
import { createSubscriptionLimit, Subscriptions } from "../../../node/jsonrpc/subscriptions.ts";
import { anEndpoint, ticker } from "../rpc/fixture.ts";

const LIMIT = 512 * 1024 * 1024;

/** False when it is refused. */
function subscribe(all: Subscriptions): boolean {
  try {
    all.turn().subscribe("eth", ["newHeads"], '["newHeads"]'.length);
    return true;
  } catch (error) {
    expect(error).toBeInstanceOf(RpcError);
    return false;
  }
}

test("300 subscriptions of each of 300 connections stay within the memory plan, and one more client gets its own", () => {
  const plan = planMemory(LIMIT, {});
  if ("needed" in plan) throw new Error("512 MiB are enough");
  const limit = createSubscriptionLimit(3000, plan.shares.subscriptions);
  const { view } = anEndpoint({ subscriptions: ticker().rows });
  const connect = (): Subscriptions => {
    const all: Subscriptions = new Subscriptions(view, limit, {
      send: () => undefined,
      hold: () => undefined,
      cut: () => all.close(),
    });
    return all;
  };
  const flood = Array.from({ length: 300 }, connect);
  let refused = 0;
  for (const all of flood) for (let i = 0; i < 300; i++) if (!subscribe(all)) refused++;
  expect(refused).toBeGreaterThan(0);
  expect(limit.shares.used).toBeLessThanOrEqual(plan.shares.subscriptions);
  expect(limit.used).toBeGreaterThan(5_000);
  const client = connect();
  expect([subscribe(client), subscribe(client), subscribe(client)]).toEqual([true, true, true]);
  for (const all of [...flood, client]) all.close();
  expect([limit.used, limit.shares.used]).toEqual([0, 0]);
});
