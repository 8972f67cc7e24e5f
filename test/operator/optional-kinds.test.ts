/** Kinds that a cluster may not have: followed while they are there. */
import { afterEach, beforeEach, expect, jest, test } from "@jest/globals";
import type { Reflector } from "../../operator/kube/reflector.ts";
import { silentLog } from "../../operator/observe/log.ts";
import { followOptionalKinds } from "../../operator/optional-kinds.ts";
import type { FollowedKind } from "../../operator/reconcile/surroundings.ts";

let served: boolean | Error;
let heard: string[];
const followed = new Map<FollowedKind, Reflector>();

beforeEach(() => {
  jest.useFakeTimers();
  served = false;
  heard = [];
  followed.clear();
});
afterEach(() => {
  jest.useRealTimers();
});

function open(): Reflector {
  heard.push("opened");
  return {
    synced: Promise.resolve(),
    get: () => undefined,
    all: () => [],
    [Symbol.asyncDispose]: async () => void heard.push("closed"),
  };
}

const begin = () =>
  followOptionalKinds({
    client: {
      serves: async () => {
        if (served instanceof Error) throw served;
        return served;
      },
    },
    board: { followed },
    open,
    came: () => void heard.push("came"),
    everyMs: 1_000,
    log: silentLog,
  });

test("a kind that comes is followed and told once, one that goes is followed no more", async () => {
  const kinds = await begin();
  expect(heard).toEqual([]);
  served = true;
  await jest.advanceTimersByTimeAsync(3_000);
  expect([heard, [...followed.keys()]]).toEqual([["opened", "came"], ["serviceMonitor"]]);
  served = new Error("no answer");
  await jest.advanceTimersByTimeAsync(1_000);
  expect(followed.size).toBe(1);
  served = false;
  await jest.advanceTimersByTimeAsync(1_000);
  expect([heard.at(-1), followed.size]).toEqual(["closed", 0]);
  await kinds[Symbol.asyncDispose]();
});

test("one that is there at the start is followed before anything else begins, and closed at the end", async () => {
  served = true;
  const kinds = await begin();
  expect(followed.size).toBe(1);
  await kinds[Symbol.asyncDispose]();
  await jest.advanceTimersByTimeAsync(5_000);
  expect(heard).toEqual(["opened", "came", "closed"]);
});
