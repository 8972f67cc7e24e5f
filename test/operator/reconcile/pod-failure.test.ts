/** Failures of pods: the reason, the remedy, and that it does not come and go between two crashes. */
import { describe, expect, test } from "@jest/globals";
import { podFailure } from "../../../operator/reconcile/pod-failure.ts";
import { projectPod } from "../../../operator/reconcile/pod-view.ts";

const NOW = Date.parse("2026-01-01T00:10:00Z");
const before = (seconds: number): string => new Date(NOW - seconds * 1_000).toISOString();

const terminated = {
  exitCode: 1,
  reason: "Error",
  message: "starting\nFatal: unknown flag --x\n\n",
  startedAt: before(40),
  finishedAt: before(30),
};
const RUNNING = { running: { startedAt: before(10) } };
const NOT_READY = [
  { type: "Ready", status: "False" },
  { type: "ContainersReady", status: "False" },
];

function failureOf(status: object, meta: object = {}) {
  const metadata = { name: "a-0", namespace: "n", uid: "u", resourceVersion: "1", ...meta };
  return podFailure(projectPod({ metadata, spec: { nodeName: "m1" }, status }), NOW);
}

function ofContainer(container: object) {
  const status = { name: "node", ready: false, restartCount: 3, ...container };
  return failureOf({ conditions: NOT_READY, containerStatuses: [status] });
}

describe("a container that ends again and again", () => {
  const message = "node ended with exit code 1 (Error) and was restarted 3 times: Fatal: unknown flag --x";

  test.each<[string, object]>([
    ["waits", { state: { waiting: { reason: "CrashLoopBackOff" } }, lastState: { terminated } }],
    ["runs once more", { state: RUNNING, lastState: { terminated } }],
    ["has just ended", { state: { terminated } }],
  ])("shows the last line of its log while it %s", (_when, container) => {
    expect(ofContainer(container)).toEqual({ reason: "ContainerCrashing", message });
  });

  test.each<[string, object]>([
    ["has ended once", { restartCount: 1, state: RUNNING, lastState: { terminated } }],
    ["is ready", { ready: true, state: RUNNING, lastState: { terminated } }],
    ["was restarted in order", { state: RUNNING, lastState: { terminated: { ...terminated, exitCode: 0 } } }],
    [
      "ran long before it ended",
      { state: RUNNING, lastState: { terminated: { ...terminated, startedAt: before(9_000) } } },
    ],
    [
      "has run for ten minutes since",
      { state: { running: { startedAt: before(600) } }, lastState: { terminated } },
    ],
  ])("is no failure when it %s", (_when, container) => expect(ofContainer(container)).toBeUndefined());
});

test.each<[string, string, object]>([
  [
    "ImagePullFailed",
    "no such image; correct the image",
    { state: { waiting: { reason: "ErrImagePull", message: "no such image" } } },
  ],
  [
    "ContainerNotStarted",
    "CreateContainerConfigError",
    { state: { waiting: { reason: "CreateContainerConfigError" } } },
  ],
])("%s: %s", (reason, words, container) => {
  expect(ofContainer({ restartCount: 0, ...container })).toMatchObject({
    reason,
    message: expect.stringContaining(words),
  });
});

test("a container that is being created is no failure", () => {
  expect(
    ofContainer({ restartCount: 0, state: { waiting: { reason: "ContainerCreating" } } }),
  ).toBeUndefined();
});

describe("a machine that does not report", () => {
  const lost = {
    reason: "MachineLost",
    message: expect.stringMatching(/^the machine m1 .*kubectl -n n delete pod a-0 --force/),
  };

  test("is known by a pod whose containers are ready while it is not", () => {
    const conditions = [NOT_READY[0], { type: "ContainersReady", status: "True" }];
    expect(failureOf({ conditions, containerStatuses: [] })).toEqual(lost);
  });

  test("is known by a pod that does not end a minute after its grace period", () => {
    expect(failureOf({}, { deletionTimestamp: before(61) })).toEqual(lost);
    expect(failureOf({}, { deletionTimestamp: before(59) })).toBeUndefined();
  });
});
