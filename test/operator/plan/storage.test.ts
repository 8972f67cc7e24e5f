/** Volumes: how large they are to be, and what is said of them. */
import { describe, expect, test } from "@jest/globals";
import { formatBytes, parseBytes } from "../../../operator/plan/quantity.ts";
import {
  GROW_MS,
  planVolume,
  UNBINDABLE_MS,
  type VolumeView,
  worstVolume,
} from "../../../operator/plan/storage.ts";
import { seededRandom } from "../../support/random.ts";

test.each([
  ["10Gi", 10 * 2 ** 30],
  ["500M", 5e8],
  ["1.5Ti", 1.5 * 2 ** 40],
  ["1e9", 1e9],
  ["2E", 2e18],
  ["1500m", 2],
  ["7", 7],
  ["", undefined],
  ["Gi", undefined],
  ["10gi", undefined],
  ["-1Gi", undefined],
  ["1e999", undefined],
  ["1toString", undefined],
])("%j is %s bytes", (text, bytes) => expect(parseBytes(text)).toBe(bytes));

test("bytes are written so that they are read as the same", () => {
  for (const bytes of [1, 1024, 10 * 2 ** 30, 3 * 2 ** 40, 2 ** 40 + 2 ** 20, 1e9, 1e15 + 1])
    expect(parseBytes(formatBytes(bytes))).toBe(bytes);
});

const NOW = Date.parse("2026-01-01T00:00:00Z");
const G = 2 ** 30;

function aVolume(more: Partial<VolumeView> = {}): VolumeView {
  return {
    sizeBytes: 10 * G,
    autoGrow: { atPercent: 80, stepBytes: 5 * G, limitBytes: 18 * G },
    claim: { isBound: true, requestedBytes: 10 * G, capacityBytes: 10 * G, trouble: undefined },
    grownBytes: undefined,
    grownAt: undefined,
    disk: { usedBytes: 8 * G, capacityBytes: 10 * G },
    ...more,
  };
}

const aClaim = (requested: number, capacity: number, trouble?: string) => ({
  isBound: true,
  requestedBytes: requested * G,
  capacityBytes: capacity * G,
  trouble,
});

describe("a volume", () => {
  test.each<[string, Partial<VolumeView>, number]>([
    ["grows by a step when it is full enough", {}, 15],
    ["grows no further than its limit", { claim: aClaim(15, 15), grownBytes: 15 * G }, 18],
    ["grows for a migration by as many steps as that needs", { neededBytes: 11 * G, disk: undefined }, 15],
    ["grows for a migration no further than its limit", { neededBytes: 99 * G, disk: undefined }, 18],
    ["stays when it has what a migration needs", { neededBytes: 10 * G, disk: undefined }, 10],
    ["stays without leave to grow for a migration", { neededBytes: 11 * G, autoGrow: undefined }, 10],
    ["matches the spec", { sizeBytes: 40 * G, disk: undefined }, 40],
    ["never shrinks to what the spec asks for", { claim: aClaim(30, 30) }, 30],
    ["never shrinks to the limit", { claim: aClaim(30, 30), sizeBytes: 30 * G }, 30],
    ["keeps what it grew to when the claim does not say so yet", { grownBytes: 15 * G, grownAt: NOW }, 15],
    ["stays while it is not full enough", { disk: { usedBytes: 7.9 * G, capacityBytes: 10 * G } }, 10],
    ["stays without leave to grow", { autoGrow: undefined }, 10],
    ["stays while nobody knows how full it is", { disk: undefined }, 10],
    ["stays before it is there", { claim: undefined }, 10],
    ["stays while it grows already", { claim: aClaim(15, 10) }, 15],
    ["stays for a while after it grew", { grownAt: NOW - GROW_MS + 1 }, 10],
    [
      "asks for less while it cannot become so large",
      { sizeBytes: 20 * G, claim: aClaim(99, 10, "no room") },
      20,
    ],
    ["cannot ask for no more than it has", { claim: aClaim(99, 10, "no room"), disk: undefined }, 99],
    ["grows again after that", { grownAt: NOW - GROW_MS }, 15],
  ])("%s", (_what, more, size) => expect(planVolume(aVolume(more), NOW).bytes).toBe(size * G));

  test("grows at the moment that its plan says so, and not when it is asked for what it has", () => {
    expect(planVolume(aVolume(), NOW).grows).toBe(true);
    expect(planVolume(aVolume({ sizeBytes: 40 * G, disk: undefined }), NOW).grows).toBe(false);
  });

  test.each<[string, string, Partial<VolumeView>]>([
    ["Healthy", "70 percent of", { disk: { usedBytes: 7 * G, capacityBytes: 10 * G } }],
    ["Healthy", "unknown", { disk: undefined }],
    ["Growing", "to 16106127360", {}],
    [
      "LimitReached",
      "the maximum size is",
      {
        claim: aClaim(18, 18),
        disk: { usedBytes: 15 * G, capacityBytes: 18 * G },
      },
    ],
    ["Full", "96 percent", { disk: { usedBytes: 9.6 * G, capacityBytes: 10 * G } }],
    ["GrowthFailed", "no room; allow the expansion", { sizeBytes: 15 * G, claim: aClaim(15, 10, "no room") }],
    ["GrowthFailed", "back to 10Gi", { sizeBytes: 15 * G, claim: aClaim(15, 10, "no room") }],
    ["Healthy", "unknown", { claim: aClaim(15, 10, "no room"), disk: undefined }],
    ["Unbound", "not bound", { claim: undefined }],
    ["Unbound", "not bound", { claim: { ...aClaim(10, 0), isBound: false, ageMs: UNBINDABLE_MS - 1 } }],
    [
      "Unbindable",
      "kubectl describe pvc a-data",
      { claim: { ...aClaim(10, 0), isBound: false, name: "a-data", ageMs: UNBINDABLE_MS } },
    ],
    [
      "Lost",
      "lost its PersistentVolume pv-1",
      { claim: { ...aClaim(10, 10), volume: "pv-1", isLost: true } },
    ],
    [
      "Terminating",
      "kubectl patch pv pv-1",
      { claim: { ...aClaim(10, 10), volume: "pv-1", isTerminating: true } },
    ],
    [
      "TooSmall",
      "40Mi is below 256Mi",
      { sizeBytes: 1, autoGrow: undefined, claim: aClaim(40 / 1_024, 40 / 1_024), disk: undefined },
    ],
    ["Full", "disk-low", { isLow: true, autoGrow: undefined }],
  ])("is %s: %s", (expected, words, more) => {
    const { reason, message } = planVolume(aVolume(more), NOW).verdict;
    expect(reason).toBe(expected);
    expect(message).toContain(words);
  });
});

test("of several volumes the worst is told", () => {
  const full = planVolume(aVolume({ disk: { usedBytes: 10 * G, capacityBytes: 10 * G } }), NOW).verdict;
  const well = planVolume(aVolume({ disk: undefined }), NOW).verdict;
  const volumes = [
    { name: "a", verdict: well },
    { name: "b", verdict: full },
  ];
  expect(worstVolume(volumes)).toMatchObject({ reason: "Full", message: expect.stringContaining("b: 100") });
  expect(worstVolume([])).toBeUndefined();
});

test("whatever is used, a volume never shrinks, never passes its limit and settles", () => {
  for (let seed = 1; seed <= 100; seed++) {
    const random = seededRandom(seed);
    let view = aVolume();
    let used = 5 * G;
    for (let round = 0, now = NOW; round < 100; round++, now += 120_000) {
      const before = view.claim?.requestedBytes ?? 0;
      const { bytes, grows } = planVolume(view, now);
      if (bytes < before || bytes > 18 * G) throw new Error(`${seed}: ${before} to ${bytes}`);
      used = Math.min(bytes, used + random() * G);
      const capacity = random() < 0.5 ? bytes : (view.claim?.capacityBytes ?? 0);
      view = {
        ...view,
        ...(grows ? { grownAt: now, grownBytes: bytes } : {}),
        claim: { isBound: true, requestedBytes: bytes, capacityBytes: capacity, trouble: undefined },
        disk: { usedBytes: used, capacityBytes: capacity },
      };
    }
    expect(view.claim?.requestedBytes).toBe(18 * G);
  }
});
