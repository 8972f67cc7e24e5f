/** Conditions: what holds of a resource, and since when. */

import type { Condition } from "../api/condition.ts";
import { type ConditionType } from "../api/names.ts";
import { instant } from "../observe/clock.ts";

/** What was judged just now. */
export interface Verdict<T extends string = ConditionType> {
  readonly type: T;
  readonly status: Condition["status"];
  readonly reason: string;
  readonly message: string;
}

const MAX_CHARACTERS = 1_000;

/** The conditions after `verdicts`; the time of a condition is that of its last change of status. */
export function nextConditions<T extends string>(
  before: readonly Condition<T>[] | undefined,
  verdicts: readonly Verdict<T>[],
  { generation, now }: { readonly generation: number; readonly now: number },
): readonly Condition<T>[] {
  return verdicts.map((verdict) => {
    const known = before?.find(({ type }) => type === verdict.type);
    const same = known?.status === verdict.status;
    return {
      ...verdict,
      message: verdict.message.slice(0, MAX_CHARACTERS),
      observedGeneration: generation,
      lastTransitionTime: same ? known.lastTransitionTime : instant(now),
    };
  });
}
