/** Tests of the queue of a subscriber that does not read: never more than its budget, over any transport. */
import { expect, test } from "@jest/globals";
import { text as textCodec } from "../../../node/jsonrpc/codecs/plain.ts";
import { method } from "../../../node/jsonrpc/method.ts";
import { createSubscriptionLimit } from "../../../node/jsonrpc/subscriptions.ts";
import { FairTime } from "../../../node/runtime/fair-time.ts";
import { StreamSession, streamDefaults, type Wire } from "../../../node/transport/stream-session.ts";
import { aCall, anEndpoint, gate, ticker } from "../rpc/fixture.ts";

interface TestWire extends Wire {
  readonly most: number;
  readonly gone: boolean;
  /** The peer takes what waits. */
  take(): void;
}

/** A peer who takes nothing by itself, or everything at once. */
function aWire(takes: boolean): TestWire {
  let [unsent, most, gone] = [0, 0, false];
  return {
    write: (text) => {
      if (!takes) unsent += text.length;
      most = Math.max(most, unsent);
    },
    unsent: () => unsent,
    pause: () => undefined,
    resume: () => undefined,
    end: () => undefined,
    destroy: () => {
      gone = true;
    },
    get most() {
      return most;
    },
    get gone() {
      return gone;
    },
    take: () => {
      unsent = 0;
    },
  };
}

/** A session, the texts that it has written, and a promise of its end. */
function aSession(endpoint = anEndpoint()) {
  const texts: string[] = [];
  const ended = Promise.withResolvers<void>();
  const wire = { ...aWire(true), write: (text: string) => void texts.push(text), end: ended.resolve };
  return {
    session: new StreamSession(endpoint, createSubscriptionLimit(), wire),
    texts,
    ended: ended.promise,
  };
}

test("a long batch that is not JSON is refused, and its connection ends", async () => {
  const { session, texts, ended } = aSession();
  session.receive(`[${"{},".repeat(30_000)}{]`);
  await ended;
  expect(texts.join("")).toContain("invalid character ']' looking for beginning of object key string");
  session.close();
});

test.each(["", " \n\t", "{", '{"id":1,"method":"net_version"', "[", "tru", '"a'])(
  "the text %j, which ends too early, ends the connection without an answer, as in the Go node",
  async (text) => {
    const { session, texts, ended } = aSession();
    session.receive(text);
    await ended;
    expect(texts).toEqual([]);
    session.close();
  },
);

test("calls under way are answered before text that is not JSON ends their connection, later ones are not", async () => {
  const slow = gate("net_slow");
  const { session, texts, ended } = aSession(anEndpoint({ methods: [slow.method] }));
  for (const text of [aCall("net_slow"), "{bad", aCall("net_version", [], 2)]) session.receive(text);
  slow.open();
  await ended;
  expect(texts.map((text) => JSON.parse(text) as unknown)).toMatchObject([
    { id: null, error: { code: -32700 } },
    { id: 1, result: "late" },
  ]);
  session.close();
});

const PAYLOAD = `"${"x".repeat(100_000)}"`;

test("a subscriber who does not read is dropped before more than its budget waits; others get everything", () => {
  const source = ticker();
  const endpoint = anEndpoint({ subscriptions: source.rows });
  const subscriptionLimit = createSubscriptionLimit();
  const [slow, quick] = [aWire(false), aWire(true)];
  const sessions = [slow, quick].map((wire) => new StreamSession(endpoint, subscriptionLimit, wire));
  for (const session of sessions) session.receive(aCall("eth_subscribe", ["newHeads"]));
  for (let i = 0; i < 200; i++) {
    source.tick(PAYLOAD);
    if (slow.gone) sessions[0]?.close(); // as the transport does
  }
  expect(slow).toMatchObject({ gone: true });
  expect(slow.most).toBeLessThanOrEqual(streamDefaults.maxNotified);
  expect(slow.most).toBeGreaterThan(streamDefaults.maxNotified - 2 * PAYLOAD.length);
  expect(quick.gone).toBe(false);
  expect([source.listeners, subscriptionLimit.used]).toEqual([1, 1]);
  expect(endpoint.unsent.used).toBe(0);
  sessions[1]?.close();
});

test("a peer that takes nothing while it is not read from is closed when its time is up, one that does is not", async () => {
  const limits = { ...streamDefaults, maxUnsent: 10, writeMs: 30 };
  const [slow, quick] = [aWire(false), aWire(false)];
  const sessions = [quick, slow].map(
    (wire) => new StreamSession(anEndpoint(), createSubscriptionLimit(), wire, limits),
  );
  for (const session of sessions) session.receive(aCall("net_version"));
  quick.take();
  sessions[0]?.onDrain();
  while (!slow.gone) await new Promise((resolve) => setImmediate(resolve));
  expect(quick.gone).toBe(false);
  for (const session of sessions) session.close();
});

test("what waits for the answer that names a subscription is bounded too", async () => {
  const source = ticker();
  const slow = gate("net_slow");
  const endpoint = anEndpoint({ subscriptions: source.rows, methods: [slow.method] });
  const wire = aWire(true);
  const session = new StreamSession(endpoint, createSubscriptionLimit(), wire);
  session.receive(`[${aCall("eth_subscribe", ["newHeads"])},${aCall("net_slow")}]`);
  while (slow.calls === 0) await new Promise((resolve) => setImmediate(resolve));
  let ticks = 0;
  for (; !wire.gone && ticks < 100; ticks++) source.tick(PAYLOAD);
  expect(ticks).toBe(Math.ceil((4 * 1024 * 1024) / PAYLOAD.length));
  session.close();
  slow.open();
});

test("messages of many connections at once are answered in several turns, one of each connection after the other", async () => {
  const time = new FairTime("messages");
  let answered = 0;
  let paused = 0;
  const slow = method({
    name: "net_slowly",
    summary: "",
    params: {},
    result: textCodec,
    handle: () => {
      const end = performance.now() + 1;
      while (performance.now() < end);
      return `${answered++}`;
    },
  });
  const endpoint = anEndpoint({ methods: [slow] });
  const written: string[][] = [];
  const sessions = Array.from({ length: 20 }, (_, at) => {
    const own: string[] = [];
    written[at] = own;
    const wire: Wire = {
      ...aWire(true),
      write: (json) => void own.push(json),
      pause: () => paused++,
      resume: () => paused--,
      time: time.open(),
    };
    return new StreamSession(endpoint, createSubscriptionLimit(), wire);
  });
  for (const session of sessions) for (let id = 0; id < 5; id++) session.receive(aCall("net_slowly", [], id));
  expect(answered).toBeLessThan(40);
  expect(paused).toBeGreaterThan(10);
  while (written.some((own) => own.length < 5)) await new Promise((resolve) => setImmediate(resolve));
  expect(paused).toBe(0);
  for (const own of written) {
    expect(own.map((json) => (JSON.parse(json) as { id: number }).id)).toEqual([0, 1, 2, 3, 4]);
  }
  for (const session of sessions) session.close();
});
