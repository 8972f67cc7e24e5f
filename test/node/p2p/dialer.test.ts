/** Tests of the dialer: back-off, limits, static and dynamic nodes. */
import { expect, jest, test } from "@jest/globals";
import { Dialer } from "../../../node/p2p/dialer.ts";
import type { NodeUrl } from "../../../node/p2p/node-url.ts";
import { P2P_TIMINGS } from "../../../node/p2p/timings.ts";

const urlOf = (n: number): NodeUrl => ({
  id: new Uint8Array(64).fill(n),
  host: "h",
  tcpPort: n,
  udpPort: n,
  tcpPorts: [n],
  type: "unknown",
});

/** A dialer over dials that the test ends one by one, with a clock that the test turns. */
function aDialer() {
  jest.useFakeTimers();
  const dials: { port: number; succeed(): { leave: () => void }; fail(): void }[] = [];
  const left: number[] = [];
  const peers = new Set<number>();
  const dialer = new Dialer({
    dial: ({ tcpPort }) =>
      new Promise((resolve, reject) => {
        const gone = Promise.withResolvers<void>();
        dials.push({
          port: tcpPort,
          fail: () => reject(new Error("refused")),
          succeed() {
            resolve({ closed: gone.promise, disconnect: () => void left.push(tcpPort) });
            return { leave: gone.resolve };
          },
        });
      }),
    onFailure: () => undefined,
    isPeer: (id) => peers.has(id[0] ?? 0),
    ownId: new Uint8Array(64).fill(99),
    timings: { ...P2P_TIMINGS, minRedialMs: 1000, maxRedialMs: 30_000, steadyMs: 30_000 },
    clock: { now: () => Date.now() },
    randomFraction: () => 0.5,
  });
  return { dialer, dials, peers, left, close: () => (dialer[Symbol.dispose](), jest.useRealTimers()) };
}

test("the back-off doubles with each failure up to its limit, and restarts after a steady session", async () => {
  const { dialer, dials, close } = aDialer();
  dialer.add(urlOf(1));
  for (const wait of [1000, 2000, 4000, 8000, 16_000, 30_000, 30_000]) {
    const count = dials.length;
    dials.at(-1)?.fail();
    await jest.advanceTimersByTimeAsync(wait - 1);
    expect(dials.length).toBe(count);
    await jest.advanceTimersByTimeAsync(1);
    expect(dials.length).toBe(count + 1);
  }
  const session = dials.at(-1)?.succeed();
  await jest.advanceTimersByTimeAsync(40_000);
  session?.leave();
  const count = dials.length;
  await jest.advanceTimersByTimeAsync(1000);
  expect(dials.length).toBe(count + 1);
  close();
});

test("a short session counts as a failure", async () => {
  const { dialer, dials, close } = aDialer();
  dialer.add(urlOf(1));
  for (const wait of [1000, 2000, 4000]) {
    const count = dials.length;
    dials.at(-1)?.succeed().leave();
    await jest.advanceTimersByTimeAsync(wait - 1);
    expect(dials.length).toBe(count);
    await jest.advanceTimersByTimeAsync(1);
    expect(dials.length).toBe(count + 1);
  }
  close();
});

test("at most 16 dials run at once; connected peers do not count", async () => {
  const { dialer, dials, close } = aDialer();
  for (let n = 1; n <= 40; n++) dialer.add(urlOf(n));
  expect(dials.length).toBe(16);
  for (const dial of dials.slice(0, 10)) dial.succeed();
  await jest.advanceTimersByTimeAsync(0);
  expect(dials.map(({ port }) => port)).toEqual(Array.from({ length: 26 }, (_, i) => i + 1));
  close();
});

test("waiting nodes that have become peers meanwhile take no place from those behind them", async () => {
  const { dialer, dials, peers, close } = aDialer();
  for (let n = 1; n <= 40; n++) dialer.add(urlOf(n));
  for (let n = 17; n <= 32; n++) peers.add(n); // they dialled this node
  for (const dial of dials.slice(0, 16)) dial.succeed();
  await jest.advanceTimersByTimeAsync(0);
  expect(dials.slice(16).map(({ port }) => port)).toEqual([33, 34, 35, 36, 37, 38, 39, 40]);
  close();
});

test("the node itself, known nodes, nodes without an address and peers are not dialled", async () => {
  const { dialer, dials, peers, close } = aDialer();
  peers.add(2);
  for (const url of [urlOf(99), urlOf(2), { ...urlOf(3), host: undefined }, urlOf(1), urlOf(1)])
    dialer.add(url);
  await jest.advanceTimersByTimeAsync(60_000);
  expect(dials.map(({ port }) => port)).toEqual([1]);
  peers.delete(2);
  dialer.redial(urlOf(2).id);
  await jest.advanceTimersByTimeAsync(1000);
  expect(dials.map(({ port }) => port)).toEqual([1, 2]);
  close();
});

test("a removed node is not dialled again, and disconnected if a running dial succeeds", async () => {
  const { dialer, dials, left, close } = aDialer();
  dialer.add(urlOf(1));
  dialer.add(urlOf(2));
  expect([dialer.remove(urlOf(1).id), dialer.remove(urlOf(1).id)]).toEqual([true, false]);
  dials[0]?.succeed();
  dials[1]?.fail();
  await jest.advanceTimersByTimeAsync(0);
  expect(left).toEqual([1]);
  dialer.remove(urlOf(2).id);
  await jest.advanceTimersByTimeAsync(60_000);
  expect(dials.length).toBe(2);
  close();
});

test("a typed node is given up for half a minute after four failures in a row", async () => {
  const { dialer, dials, close } = aDialer();
  dialer.add(urlOf(1), "typed");
  for (const wait of [1000, 2000, 4000, 8000]) {
    expect(dialer.count("typed")).toBe(1);
    dials.at(-1)?.fail();
    await jest.advanceTimersByTimeAsync(wait);
  }
  expect([dials.length, dialer.count("typed")]).toEqual([4, 0]);
  dialer.add(urlOf(1), "typed");
  expect(dialer.count("typed")).toBe(0);
  await jest.advanceTimersByTimeAsync(30_000);
  dialer.add(urlOf(1), "typed");
  expect([dials.length, dialer.count("typed")]).toEqual([5, 1]);
  close();
});

test("a dynamic node is dialled once and frees its slot when it leaves; a static one is kept", async () => {
  const { dialer, dials, close } = aDialer();
  dialer.add(urlOf(1), "dynamic");
  dialer.add(urlOf(2), "dynamic");
  dialer.add(urlOf(2));
  const sessions = dials.map((dial) => dial.succeed());
  await jest.advanceTimersByTimeAsync(60_000);
  expect([dialer.count("dynamic"), dialer.count("static")]).toEqual([1, 1]);
  for (const { leave } of sessions) leave();
  await jest.advanceTimersByTimeAsync(2000);
  expect([dialer.count("dynamic"), dialer.count("static")]).toEqual([0, 1]);
  expect(dials.map(({ port }) => port)).toEqual([1, 2, 2]);
  dialer.add(urlOf(1));
  expect(dials.at(-1)?.port).toBe(1);
  close();
});

test("a node without an address is dialled once when its address is set", () => {
  const { dialer, dials, close } = aDialer();
  dialer.add({ ...urlOf(4), host: undefined, tcpPort: 0 });
  dialer.add(urlOf(5));
  expect(dialer.unresolvedIds()).toEqual([urlOf(4).id]);
  for (const url of [urlOf(6), urlOf(5), urlOf(4), { ...urlOf(4), tcpPort: 40 }]) dialer.setAddress(url);
  expect(dials.map(({ port }) => port)).toEqual([5, 4]);
  expect(dialer.unresolvedIds()).toEqual([]);
  close();
});
