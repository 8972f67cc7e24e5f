/** Tests of unlocked keys and their timers. */
import { afterEach, beforeEach, expect, jest, test } from "@jest/globals";
import { UnlockedKeys } from "../../../node/accounts/unlocked-keys.ts";

const address = new Uint8Array(20).fill(1);
const aKey = (): Uint8Array => new Uint8Array(32).fill(9);
const wiped = new Uint8Array(32);

beforeEach(() => void jest.useFakeTimers());
afterEach(() => void jest.useRealTimers());

const create = (): UnlockedKeys => new UnlockedKeys({ now: () => Date.now() });

test("a key leaves and is wiped when its time is over", () => {
  const keys = create();
  const key = aKey();
  keys.put(address, [[key]], 10);
  jest.advanceTimersByTime(9999);
  expect(keys.get(address)).toEqual([[aKey()]]);
  jest.advanceTimersByTime(1);
  expect(key).toEqual(wiped);
  expect(keys.get(address)).toBeUndefined();
});

test("0 keeps it, and a later limit does not shorten that", () => {
  const keys = create();
  keys.put(address, [[aKey()]], 0);
  const second = aKey();
  keys.put(address, [[second]], 1);
  expect(second).toEqual(wiped);
  jest.advanceTimersByTime(1e10);
  expect(keys.get(address)).toEqual([[aKey()]]);
});

test("a second limit replaces the first, longer or shorter", () => {
  const keys = create();
  const first = aKey();
  keys.put(address, [[first]], 10);
  keys.put(address, [[aKey()]], 100);
  expect(first).toEqual(wiped);
  jest.advanceTimersByTime(50_000);
  expect(keys.get(address)).toEqual([[aKey()]]);
  keys.put(address, [[aKey()]], 5);
  jest.advanceTimersByTime(5000);
  expect(keys.get(address)).toBeUndefined();
});

test("limits beyond the longest timer hold, to the second", () => {
  const keys = create();
  const key = aKey();
  keys.put(address, [[key]], 5_000_000);
  jest.advanceTimersByTime(5_000_000_000 - 1);
  expect(keys.get(address)).toEqual([[aKey()]]);
  jest.advanceTimersByTime(1);
  expect(key).toEqual(wiped);
});

test("the clock decides when the timer is late", () => {
  let now = 0;
  const keys = new UnlockedKeys({ now: () => now });
  const key = aKey();
  keys.put(address, [[key]], 10);
  now = 10_000;
  expect(keys.get(address)).toBeUndefined();
  expect(key).toEqual(wiped);
});

test("dropping and clearing wipe and leave no timer", () => {
  const keys = create();
  const [one, two] = [aKey(), aKey()];
  keys.put(address, [[one]], 10);
  keys.put(new Uint8Array(20).fill(2), [[two]], 10);
  keys.drop(address);
  keys.drop(address);
  expect(one).toEqual(wiped);
  keys.clear();
  expect(two).toEqual(wiped);
  expect(jest.getTimerCount()).toBe(0);
});
