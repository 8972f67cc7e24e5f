/** Kinds that a cluster may not have: followed while they are there. */
import { afterEach, beforeEach, expect, jest, test } from "@jest/globals";
import { watchOptionalKinds } from "../../../operator/compose/optional-kinds.ts";
import type { Reflector } from "../../../operator/kube/reflector.ts";
import { silentLog } from "../../../operator/observe/log.ts";
import { AddressBook } from "../../../operator/reconcile/address-book.ts";
import { ClusterCache } from "../../../operator/reconcile/cluster-cache.ts";

let served: boolean | Error;
let heard: string[];
let synced: Promise<void>;
let cache: ClusterCache;

beforeEach(() => {
  jest.useFakeTimers();
  served = false;
  heard = [];
  synced = Promise.resolve();
  cache = new ClusterCache({ log: silentLog, addresses: new AddressBook() });
});
afterEach(() => {
  jest.useRealTimers();
});

/** The cluster serves or lacks ServiceMonitor; it never has the other kinds. */
function open(): Reflector {
  heard.push("opened");
  return {
    synced,
    get: () => undefined,
    list: () => [],
    [Symbol.asyncDispose]: async () => void heard.push("closed"),
  };
}

const begin = () =>
  watchOptionalKinds({
    client: {
      serves: async ({ kind }) => {
        if (served instanceof Error) throw served;
        return served && kind === "ServiceMonitor";
      },
    },
    cache,
    open,
    onServed: () => void heard.push("came"),
    intervalMs: 1_000,
    log: silentLog,
  });

test("a kind that comes is followed and told once, one that goes is followed no more", async () => {
  const kinds = await begin();
  expect(heard).toEqual([]);
  served = true;
  await jest.advanceTimersByTimeAsync(3_000);
  expect([heard, cache.serves("serviceMonitor")]).toEqual([["opened", "came"], true]);
  served = new Error("no answer");
  await jest.advanceTimersByTimeAsync(1_000);
  expect(cache.serves("serviceMonitor")).toBe(true);
  served = false;
  await jest.advanceTimersByTimeAsync(1_000);
  expect([heard.at(-1), cache.serves("serviceMonitor")]).toEqual(["closed", false]);
  await kinds[Symbol.asyncDispose]();
});

test("one that is there at the start is followed before anything else begins, and closed at the end", async () => {
  served = true;
  const kinds = await begin();
  expect(cache.serves("serviceMonitor")).toBe(true);
  await kinds[Symbol.asyncDispose]();
  await jest.advanceTimersByTimeAsync(5_000);
  expect(heard).toEqual(["opened", "came", "closed"]);
});

test("one that may not be listed holds up neither the start nor the end, and is followed once it may", async () => {
  served = true;
  const { promise, resolve } = Promise.withResolvers<void>();
  synced = promise;
  const beginning = begin();
  await jest.advanceTimersByTimeAsync(60_000);
  const kinds = await beginning;
  await jest.advanceTimersByTimeAsync(60_000);
  expect([heard, cache.serves("serviceMonitor")]).toEqual([["opened"], false]);
  resolve();
  await jest.advanceTimersByTimeAsync(1_000);
  expect([heard, cache.serves("serviceMonitor")]).toEqual([["opened", "came"], true]);
  await kinds[Symbol.asyncDispose]();
  expect(heard).toEqual(["opened", "came", "closed"]);
});
