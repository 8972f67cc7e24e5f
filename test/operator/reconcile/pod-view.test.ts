/** Tests that the cached members of a pod are enough to read it. */
import { expect, test } from "@jest/globals";
import { projectPod, readPod } from "../../../operator/reconcile/pod-view.ts";

const terminated = { reason: "OOMKilled", exitCode: 137, finishedAt: "2026-01-01T00:00:00Z" };
const base = {
  phase: "Running",
  podIP: "10.0.0.1",
  hostIP: "10.1.0.1",
  conditions: [
    { type: "PodScheduled", status: "True" },
    { type: "Ready", status: "True" },
  ],
  containerStatuses: [
    { name: "node", started: true, restartCount: 2, image: "i", lastState: { terminated } },
    { name: "gateway", restartCount: 0, state: { running: {} } },
  ],
};
const waiting = { waiting: { reason: "CrashLoopBackOff", message: "back-off" } };

test.each([
  ["that runs", base],
  [
    "that cannot be placed",
    { phase: "Pending", conditions: [{ type: "PodScheduled", status: "False", message: "no" }] },
  ],
  [
    "that cannot begin",
    { ...base, conditions: [], initContainerStatuses: [{ name: "genesis", state: waiting }] },
  ],
  ["of which nothing is known", undefined],
])("a pod %s is read as if all of it were held", (_name, status) => {
  const metadata = { name: "a-0", namespace: "n", uid: "u", resourceVersion: "1" };
  const pod = { metadata, spec: { containers: [{ name: "node" }] }, status };
  const { object } = projectPod(pod);
  expect(readPod(object)).toEqual(readPod(pod));
  const { spec } = object as { spec: object };
  expect(Object.keys(spec)).toEqual(["nodeName"]);
});
