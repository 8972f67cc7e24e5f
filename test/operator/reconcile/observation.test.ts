/** Tests of the answers of nodes that start a reconciliation at once. */
import { expect, test } from "@jest/globals";
import type { Observation } from "../../../operator/reconcile/observation.ts";
import { isPolledChanged, nextPolled } from "../../../operator/reconcile/observation.ts";

type Answer = Observation & { readonly ok: true };

const ANSWER: Answer = {
  ok: true,
  at: 1,
  until: 2,
  address: "10.0.0.1",
  id: "a",
  version: "v",
  genesis: undefined,
  height: 7,
  syncing: false,
  council: undefined,
  disk: undefined,
  peers: new Set(["x", "y"]),
};
const SILENT: Observation = {
  ok: false,
  at: 1,
  address: "10.0.0.1",
  reason: "NodeSilent",
  message: "no way",
};

/** Reports whether `next` is a change for a node that went on from height 6 to 7. */
function hasChanged(next: Observation): boolean {
  const before = nextPolled(nextPolled(undefined, { ...ANSWER, height: 6 }), ANSWER);
  return isPolledChanged(before, nextPolled(before, next));
}

test.each<[string, Observation]>([
  ["a height that goes on", { ...ANSWER, at: 9, until: 10, height: 9 }],
  ["the same peers in another order", { ...ANSWER, height: 8, disk: undefined, peers: new Set(["y", "x"]) }],
])("%s is no news", (_what, next) => {
  expect(hasChanged(next)).toBe(false);
});

test.each<[string, Observation]>([
  ["a chain that stands still", { ...ANSWER, at: 9 }],
  ["another peer", { ...ANSWER, height: 8, disk: undefined, peers: new Set(["x", "z"]) }],
  ["another pod", { ...ANSWER, height: 8, address: "10.0.0.2" }],
  ["another key", { ...ANSWER, height: 8, id: "b" }],
  ["another release", { ...ANSWER, height: 8, version: "w" }],
  ["catching up", { ...ANSWER, height: 8, syncing: true }],
  ["silence", SILENT],
])("%s is news", (_what, next) => {
  expect(hasChanged(next)).toBe(true);
});

test("the first answer is news, one that goes on from there is none, silence that goes on is none, and its reason is", () => {
  expect(isPolledChanged(undefined, nextPolled(undefined, ANSWER))).toBe(true);
  const first = nextPolled(undefined, ANSWER);
  expect(isPolledChanged(first, nextPolled(first, { ...ANSWER, height: 8 }))).toBe(false);
  const before = nextPolled(undefined, SILENT);
  expect(isPolledChanged(before, nextPolled(before, { ...SILENT, at: 9 }))).toBe(false);
  expect(isPolledChanged(before, nextPolled(before, { ...SILENT, message: "another way" }))).toBe(true);
});
