/** Conditions: what holds, and since when. */
import { expect, test } from "@jest/globals";
import { nextConditions } from "../../../operator/plan/conditions.ts";

const NOW = Date.parse("2026-01-01T00:00:00Z");

const at = (now: number) => ({ generation: 1, now });

test("a condition keeps the time of its last change of status", () => {
  const verdict = { type: "Ready", status: "False", reason: "A", message: "a" } as const;
  const first = nextConditions(undefined, [verdict], at(NOW));
  const second = nextConditions(first, [{ ...verdict, reason: "B" }], at(NOW + 60_000));
  expect(second).toEqual([
    { ...verdict, reason: "B", observedGeneration: 1, lastTransitionTime: "2026-01-01T00:00:00Z" },
  ]);
  const third = nextConditions(second, [{ ...verdict, status: "True" }], at(NOW + 60_000));
  expect(third[0]?.lastTransitionTime).toBe("2026-01-01T00:01:00Z");
});
