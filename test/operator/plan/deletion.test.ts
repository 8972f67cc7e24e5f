/** Tests of the conditions for the deletion of a Node, as a table. */
import { expect, test } from "@jest/globals";
import { type DeletionView, planDeletion } from "../../../operator/plan/deletion.ts";

const UNTIL = 1_000;
const aView = (more: Partial<DeletionView> = {}): DeletionView => ({
  until: UNTIL,
  orphans: false,
  pods: [],
  keepers: [],
  ...more,
});

test.each<[string, Partial<DeletionView>, number, boolean, string | undefined]>([
  ["nothing is left", {}, 0, true, undefined],
  ["a pod is there", { pods: ["a"] }, 0, false, "pods that have not terminated: a"],
  ["a node keeps it as a peer", { keepers: ["b"] }, 0, false, "nodes that still have it as a peer: b"],
  ["what belongs to it is to stay", { pods: ["a"], keepers: ["b"], orphans: true }, 0, true, undefined],
  ["its time is nearly over", { pods: ["a"] }, UNTIL - 1, false, "pods that have not terminated: a"],
  ["its time is over", { pods: ["a"] }, UNTIL, true, "pods that have not terminated: a"],
  [
    "many are left",
    { pods: ["a"], keepers: ["b", "c", "d", "e", "f", "g", "h"] },
    0,
    false,
    "pods that have not terminated: a; nodes that still have it as a peer: b, c, d, e, f and 2 others",
  ],
])("%s", (_name, view, now, isOver, left) => {
  expect(planDeletion(aView(view), now)).toEqual({ isOver, left });
});
