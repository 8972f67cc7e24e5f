/** Events for very many subscribers: one payload for all, slices, and a queue that is bounded. */
import { expect, test } from "@jest/globals";
import { Deliveries, Feed, type FeedEvent, plainEvent } from "../../../node/jsonrpc/feed.ts";
import { NotificationPayload, type Subscriber } from "../../../node/jsonrpc/subscription.ts";
import { aSubscriber, onBug } from "../rpc/fixture.ts";

function turnOver(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}

/** A feed that the test publishes to. */
function aFeed<C>(options: { readonly maxQueued?: number } = {}) {
  const deliveries = new Deliveries({ onBug, ...options });
  let publish: ((event: FeedEvent<C>) => void) | undefined;
  const feed = new Feed<C>(deliveries, (listener) => {
    publish = listener;
    return () => {
      publish = undefined;
    };
  });
  return {
    deliveries,
    feed,
    publish: (event: FeedEvent<C>) => publish?.(event),
    isListening: () => publish !== undefined,
  };
}

const head = (number: number) => plainEvent(new NotificationPayload(`${number}`));
const MANY = 20_000;

test("a head for very many subscribers is delivered in slices, with the rest of the node in between", async () => {
  const { feed, publish, deliveries } = aFeed<undefined>();
  let delivered = 0;
  const texts = new Set<string>();
  const connection = { cut: () => undefined };
  const subscriber: Subscriber = {
    connection,
    notify: ({ rest }) => {
      delivered++;
      texts.add(rest);
    },
  };
  for (let i = 0; i < MANY; i++) feed.subscribe(undefined, subscriber);
  publish(head(1));
  expect(delivered).toBeLessThan(1_000);
  const progress: number[] = [];
  while (deliveries.queuedBytes > 0) {
    await turnOver();
    progress.push(delivered);
  }
  expect(delivered).toBe(MANY);
  expect(progress.length).toBeGreaterThan(MANY / 2048);
  expect(texts.size).toBe(1);
});

test("few subscribers are notified in the turn of the event itself", () => {
  const { feed, publish, deliveries } = aFeed<undefined>();
  const received: string[] = [];
  for (let i = 0; i < 20; i++)
    feed.subscribe(
      undefined,
      aSubscriber((json) => received.push(json)),
    );
  publish(head(7));
  expect([received.length, new Set(received), deliveries.queuedBytes]).toEqual([20, new Set(["7"]), 0]);
});

test("each subscriber gets each event once and in order, those that join or leave meanwhile too", async () => {
  const { feed, publish, deliveries, isListening } = aFeed<undefined>();
  const received = new Map<number, string[]>();
  const ends: (() => void)[] = [];
  const join = (id: number): void => {
    const own: string[] = [];
    received.set(id, own);
    const connection = { cut: () => undefined };
    ends[id] = feed.subscribe(
      undefined,
      aSubscriber((json) => own.push(json), connection),
    );
  };
  for (let id = 0; id < 5_000; id++) join(id);
  publish(head(1));
  publish(head(2));
  await turnOver();
  join(5_000);
  ends[4_999]?.();
  const leftWith = received.get(4_999)?.length;
  publish(head(3));
  while (deliveries.queuedBytes > 0) await turnOver();
  for (let id = 0; id < 4_999; id++) expect(received.get(id)).toEqual(["1", "2", "3"]);
  expect(received.get(5_000)).toEqual(["3"]);
  expect(received.get(4_999)).toHaveLength(leftWith ?? -1);
  for (const end of ends) end();
  expect([feed.size, isListening()]).toEqual([0, false]);
});

test("a feed that falls behind cuts the connections with the most subscriptions, and no others", async () => {
  const { feed, publish, deliveries } = aFeed<undefined>({ maxQueued: 10_000 });
  const cut: string[] = [];
  const received: string[] = [];
  const connect = (name: string, subscriptions: number): void => {
    const connection = { cut: () => void cut.push(name) };
    const subscriber = aSubscriber((json) => name === "small" && received.push(json), connection);
    for (let i = 0; i < subscriptions; i++) feed.subscribe(undefined, subscriber);
  };
  connect("small", 1);
  connect("large", 3_000);
  connect("largest", 4_000);
  const padding = "x".repeat(1_000);
  let published = 0;
  while (cut.length === 0) publish(plainEvent(new NotificationPayload(`"${padding}${published++}"`)));
  expect(cut).toEqual(["largest"]);
  expect(feed.size).toBe(3_001);
  while (deliveries.queuedBytes > 0) await turnOver();
  expect(received).toHaveLength(published);
});

test("queued events are bounded whatever their number: the last subscriber of a feed that stands still is cut", () => {
  const { feed, publish, deliveries, isListening } = aFeed<undefined>({ maxQueued: 10_000 });
  const others = new Feed<undefined>(deliveries, (listener) => {
    listen = listener;
    return () => undefined;
  });
  let listen: ((event: FeedEvent<undefined>) => void) | undefined;
  for (let i = 0; i < MANY; i++)
    others.subscribe(
      undefined,
      aSubscriber(() => undefined),
    );
  listen?.(head(1)); // a delivery is under way: nothing is delivered at once
  let isCut = false;
  feed.subscribe(
    undefined,
    aSubscriber(() => undefined, { cut: () => (isCut = true) }),
  );
  for (let i = 0; i < 100; i++) publish(head(i));
  expect([isCut, isListening()]).toEqual([true, false]);
  expect(deliveries.queuedBytes).toBeLessThan(10_000);
});

test("an event that fails by a defect is dropped; the next ones are delivered", async () => {
  const bugs: unknown[] = [];
  const deliveries = new Deliveries({ onBug: (error) => bugs.push(error) });
  let publish: ((event: FeedEvent<undefined>) => void) | undefined;
  const feed = new Feed<undefined>(deliveries, (listener) => {
    publish = listener;
    return () => undefined;
  });
  const received: string[] = [];
  feed.subscribe(
    undefined,
    aSubscriber((json) => received.push(json)),
  );
  const failure = new Error("no payload");
  publish?.({
    bytes: 10,
    select: () => {
      throw failure;
    },
    payload: () => new NotificationPayload("0"),
  });
  publish?.(head(2));
  while (deliveries.queuedBytes > 0) await turnOver();
  expect([bugs, received, deliveries.queuedBytes]).toEqual([[failure], ["2"], 0]);
});
