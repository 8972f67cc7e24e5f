/**
 * Events for many subscribers. In: one event, shared by all. Out: notifications, connection by connection and in slices,
 * with the rest of the node in between. What waits is bounded: where a feed falls behind, the connections with the most
 * subscriptions are cut.
 */
import { Slice } from "../runtime/scheduler.ts";
import type { NotificationPayload, SubscribedConnection, Subscriber } from "./subscription.ts";

/** One event; `C` is what subscribers choose by. */
export interface FeedEvent<C> {
  /** Memory in use while the event waits. */
  readonly bytes: number;
  /** Indexes of the payloads for a subscriber, in their order. */
  select(criteria: C): readonly number[];
  payload(index: number): NotificationPayload;
}

/** Options that all feeds share. */
export interface DeliveriesOptions {
  /** Bytes of events that wait, of all feeds together. */
  readonly maxQueued?: number | undefined;
  /** Receives what a delivery threw: the event is dropped. */
  readonly onBug: (error: unknown) => void;
}

const MAX_QUEUED = 32 * 1024 * 1024;
/** Steps of a slice: a subscriber that was looked at, or a notification. */
const MAX_STEPS = 2048;
/** Steps in the turn of the event itself, however long they take: few subscribers are notified at once. */
const MAX_STEPS_AT_ONCE = 128;

/** A feed as its deliveries see it. */
interface Queue {
  readonly queuedBytes: number;
  /** More than one event waits. */
  readonly isBehind: boolean;
  /** Delivers while `mayGoOn`. Returns false when something is left. */
  deliver(mayGoOn: () => boolean): boolean;
  thin(): void;
}

/** Delivers for all feeds of a process: one slice in a turn of the event loop, the feeds alternately. */
export class Deliveries {
  readonly #maxQueued: number;
  readonly #onBug: (error: unknown) => void;
  readonly #waiting: Queue[] = [];
  #queuedBytes = 0;
  #isScheduled = false;
  #isDelivering = false;

  constructor({ maxQueued = MAX_QUEUED, onBug }: DeliveriesOptions) {
    this.#maxQueued = maxQueued;
    this.#onBug = onBug;
  }

  /** Bytes of events that wait. */
  get queuedBytes(): number {
    return this.#queuedBytes;
  }

  /** Counts bytes of a feed's queue, negative ones for those that have left it. */
  count(bytes: number): void {
    this.#queuedBytes += bytes;
  }

  /** Delivers what a feed has queued: the beginning at once when no other delivery is under way. */
  start(feed: Queue): void {
    if (!this.#waiting.includes(feed)) this.#waiting.push(feed);
    if (!this.#isScheduled && !this.#isDelivering) this.#deliver(MAX_STEPS_AT_ONCE);
    if (this.#queuedBytes > this.#maxQueued) this.#heaviest()?.thin();
  }

  #heaviest(): Queue | undefined {
    return this.#waiting.reduce<Queue | undefined>(
      (heaviest, feed) =>
        feed.isBehind && feed.queuedBytes > (heaviest?.queuedBytes ?? 0) ? feed : heaviest,
      undefined,
    );
  }

  #deliver(steps: number, slice?: Slice): void {
    let left = steps;
    const mayGoOn = (): boolean => --left > 0 && slice?.isOver !== true;
    this.#isDelivering = true;
    for (let feed = this.#waiting.shift(); feed !== undefined; feed = this.#waiting.shift()) {
      if (this.#isDelivered(feed, mayGoOn)) continue;
      this.#waiting.push(feed);
      break;
    }
    this.#isDelivering = false;
    if (this.#waiting.length > 0) this.#schedule();
  }

  #isDelivered(feed: Queue, mayGoOn: () => boolean): boolean {
    try {
      return feed.deliver(mayGoOn);
    } catch (error) {
      this.#onBug(error);
      return false;
    }
  }

  #schedule(): void {
    this.#isScheduled = true;
    setImmediate(() => {
      this.#isScheduled = false;
      this.#deliver(MAX_STEPS, new Slice("notifications"));
    });
  }
}

interface Entry<C> {
  readonly criteria: C;
  readonly subscriber: Subscriber;
  /** The number of the first event that it is notified of. */
  readonly first: number;
  isEnded: boolean;
}

/** One source of events and its subscribers. It listens to the source while it has any. */
export class Feed<C> implements Queue {
  readonly #deliveries: Deliveries;
  readonly #listen: (publish: (event: FeedEvent<C>) => void) => () => void;
  readonly #groups = new Map<SubscribedConnection, Set<Entry<C>>>();
  #queue: FeedEvent<C>[] = [];
  #queuedBytes = 0;
  /** The number of the event at the head of the queue. */
  #number = 0;
  #size = 0;
  #delivery: Generator<undefined, void> | undefined;
  #stop: (() => void) | undefined;

  constructor(deliveries: Deliveries, listen: (publish: (event: FeedEvent<C>) => void) => () => void) {
    this.#deliveries = deliveries;
    this.#listen = listen;
  }

  /** Subscriptions. */
  get size(): number {
    return this.#size;
  }

  /** Bytes of events that not all subscribers have been notified of. */
  get queuedBytes(): number {
    return this.#queuedBytes;
  }

  /** See `Queue`. */
  get isBehind(): boolean {
    return this.#queue.length > 1;
  }

  /** Notifies a subscriber of events from now on; the result ends it. */
  subscribe(criteria: C, subscriber: Subscriber): () => void {
    const first = this.#number + this.#queue.length;
    const entry: Entry<C> = { criteria, subscriber, first, isEnded: false };
    const { connection } = subscriber;
    const group = this.#groups.get(connection);
    if (group === undefined) this.#groups.set(connection, new Set([entry]));
    else group.add(entry);
    this.#size++;
    this.#stop ??= this.#listen((event) => this.#publish(event));
    return () => this.#end(entry);
  }

  /** See `Queue`. */
  deliver(mayGoOn: () => boolean): boolean {
    const delivery = this.#delivery ?? this.#deliverAll();
    this.#delivery = undefined; // for the case that it throws
    do {
      if (delivery.next().done === true) return true;
    } while (mayGoOn());
    if (this.#size > 0) this.#delivery = delivery;
    return this.#size === 0;
  }

  /** Cuts the connections with the most subscriptions, until half of the subscriptions are left at most. */
  thin(): void {
    const target = Math.floor(this.#size / 2);
    const largestFirst = [...this.#groups].sort(([, one], [, other]) => other.size - one.size);
    for (const [connection, group] of largestFirst) {
      for (const entry of group) this.#end(entry);
      connection.cut();
      if (this.#size <= target) return;
    }
  }

  #publish(event: FeedEvent<C>): void {
    this.#queue.push(event);
    this.#count(event.bytes);
    this.#deliveries.start(this);
  }

  #count(bytes: number): void {
    this.#queuedBytes += bytes;
    this.#deliveries.count(bytes);
  }

  #end(entry: Entry<C>): void {
    if (entry.isEnded) return;
    entry.isEnded = true;
    const { connection } = entry.subscriber;
    const group = this.#groups.get(connection);
    group?.delete(entry);
    if (group?.size === 0) this.#groups.delete(connection);
    this.#size--;
    if (this.#size > 0) return;
    this.#number += this.#queue.length;
    this.#queue = [];
    this.#count(-this.#queuedBytes);
    this.#delivery = undefined;
    this.#stop?.();
    this.#stop = undefined;
  }

  *#deliverAll(): Generator<undefined, void> {
    for (let event = this.#queue[0]; event !== undefined; event = this.#queue[0]) {
      try {
        yield* this.#deliverOne(event);
      } finally {
        if (this.#queue[0] === event) this.#shift(event);
      }
    }
  }

  #shift({ bytes }: FeedEvent<C>): void {
    this.#queue.shift();
    this.#number++;
    this.#count(-bytes);
  }

  *#deliverOne(event: FeedEvent<C>): Generator<undefined, void> {
    for (const group of this.#groups.values()) {
      for (const entry of group) {
        if (entry.first <= this.#number) yield* notifications(entry, event);
        yield;
      }
    }
  }
}

function* notifications<C>(entry: Entry<C>, event: FeedEvent<C>): Generator<undefined, void> {
  for (const index of event.select(entry.criteria)) {
    if (entry.isEnded) return;
    entry.subscriber.notify(event.payload(index));
    yield;
  }
}

const ONLY = [0];

/** An event with the same single payload for every subscriber. */
export function plainEvent(payload: NotificationPayload): FeedEvent<undefined> {
  return { bytes: EVENT_BYTES + payload.rest.length, select: () => ONLY, payload: () => payload };
}

/** Memory of an event besides its texts. */
export const EVENT_BYTES = 512;
