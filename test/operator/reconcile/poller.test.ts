/** The poller: all nodes are asked, however many and however they behave. */
import { expect, test } from "@jest/globals";
import type { Channel } from "../../../operator/control/channel.ts";
import { ControlError } from "../../../operator/control/error.ts";
import { type Clock, systemClock } from "../../../operator/observe/clock.ts";
import { Poller } from "../../../operator/reconcile/poller.ts";
import { until } from "../../support/until.ts";

const ID = "ab".repeat(64);

const REPORT = { id: ID, version: "Knit", peers: [ID], height: 7, syncing: false };

interface Scene {
  readonly poller: Poller;
  readonly asked: string[];
  most(): number;
}

interface Pace {
  readonly everyMs?: number;
  readonly perSecond?: number;
  readonly clock?: Clock;
}

function aScene(
  keys: string[],
  call: Channel["call"],
  { everyMs = 60_000, perSecond = 10_000, clock = systemClock }: Pace = {},
): Scene {
  const asked: string[] = [];
  let running = 0;
  let most = 0;
  const poller = new Poller({
    keys: () => keys,
    gateway: (key) => (key.startsWith("none") ? undefined : { host: "h", port: 1, name: key }),
    onObservation: (key) => void asked.push(key),
    everyMs,
    perSecond,
    clock,
    channel: {
      call: async (gateway, method) => {
        most = Math.max(most, ++running);
        await new Promise((resolve) => setTimeout(resolve, 2));
        running--;
        return call(gateway, method);
      },
      [Symbol.dispose]: () => undefined,
    },
  });
  return { poller, asked, most: () => most };
}

test("every node is asked in turn when there are more than can be asked at once", async () => {
  const keys = Array.from({ length: 200 }, (_, index) => `n/${index}`);
  const { poller, asked, most } = aScene([...keys, "none/x"], async () => REPORT, {
    everyMs: 20,
  });
  await until(() => new Set(asked).size === 200);
  await poller[Symbol.asyncDispose]();
  expect(most()).toBeLessThanOrEqual(16);
  expect(poller.latest("n/199")).toMatchObject({
    ok: true,
    id: ID,
    version: "Knit",
    height: 7,
    syncing: false,
    address: "h",
  });
  expect(poller.latest("none/x")).toBeUndefined();
});

test("a node that does not answer, or answers nonsense, is known by that and holds nobody up", async () => {
  const { poller, asked } = aScene([], async ({ name }) => {
    if (name === "n/dead") throw new ControlError("connect", "no way");
    return name === "n/odd" ? { ...REPORT, peers: "many" } : REPORT;
  });
  for (const key of ["n/dead", "n/odd", "n/well"]) poller.pollSoon(key);
  await until(() => asked.length === 3);
  expect(poller.latest("n/dead")).toMatchObject({
    ok: false,
    reason: "GatewayUnreachable",
    message: "no way",
  });
  expect(poller.latest("n/odd")).toMatchObject({
    ok: false,
    reason: "NodeAnswerUnreadable",
    message: "the peers are not a list",
  });
  expect(poller.latest("n/well")).toMatchObject({ ok: true });
  await poller[Symbol.asyncDispose]();
});

test("nodes that hang make way for others, as many as may be asked at all", async () => {
  const hanging = Promise.withResolvers<typeof REPORT>();
  const call: Channel["call"] = ({ name }) => (name === "n/well" ? Promise.resolve(REPORT) : hanging.promise);
  const { poller, asked, most } = aScene([], call);
  for (let index = 0; index < 40; index++) poller.pollSoon(`n/${index}`);
  poller.pollSoon("n/well");
  await until(() => asked.includes("n/well"));
  expect(most()).toBeLessThanOrEqual(16);
  hanging.resolve(REPORT);
  await until(() => asked.length === 41);
  await poller[Symbol.asyncDispose]();
});

test("a node that is gone is forgotten, and nothing is asked after the end", async () => {
  const keys = ["n/a"];
  const { poller, asked } = aScene(keys, async () => REPORT, { everyMs: 10 });
  await until(() => poller.latest("n/a") !== undefined);
  keys.pop();
  await until(() => poller.latest("n/a") === undefined);
  await poller[Symbol.asyncDispose]();
  const { length } = asked;
  poller.pollSoon("n/b");
  await new Promise((resolve) => setTimeout(resolve, 30));
  expect(asked).toHaveLength(length);
});

test("many nodes are asked a few a second, evenly, and those with another height alone are not told of again", async () => {
  const keys = Array.from({ length: 40 }, (_, index) => `n/${index}`);
  let calls = 0;
  const call = async (): Promise<unknown> => {
    return { ...REPORT, height: ++calls };
  };
  const { poller, asked } = aScene(keys, call, { everyMs: 1, perSecond: 100 });
  await until(() => calls >= 80);
  await poller[Symbol.asyncDispose]();
  expect(asked.toSorted()).toEqual(keys.toSorted());
});
