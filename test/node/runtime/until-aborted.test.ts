/** Waiting that a signal ends: nothing stays behind on a signal that lives on. */
import { getEventListeners } from "node:events";
import { expect, test } from "@jest/globals";
import { untilDoneOrAborted } from "../../../node/runtime/until-aborted.ts";

test("waiting for work leaves no listener on a signal that lives on", async () => {
  const { signal } = new AbortController();
  await untilDoneOrAborted(Promise.resolve(), signal);
  await expect(untilDoneOrAborted(Promise.reject(new Error("full")), signal)).rejects.toThrow("full");
  expect(getEventListeners(signal, "abort")).toEqual([]);
});

test("a signal ends the wait for work that never ends", async () => {
  const stop = new AbortController();
  const never = new Promise(() => undefined);
  const waiting = untilDoneOrAborted(never, stop.signal);
  stop.abort();
  await waiting;
  await untilDoneOrAborted(never, stop.signal);
  expect(getEventListeners(stop.signal, "abort")).toEqual([]);
});
