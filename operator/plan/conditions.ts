/** Conditions of a resource with their transition times. */

import type { Condition } from "../api/condition.ts";
import { type ConditionType } from "../api/names.ts";
import { formatInstant } from "../observe/clock.ts";

/** A current condition without its transition time. */
export interface Verdict<T extends string = ConditionType> {
  readonly type: T;
  readonly status: Condition["status"];
  readonly reason: string;
  readonly message: string;
}

const MAX_CHARACTERS = 1_000;

/** Returns the conditions after `verdicts`. The transition time changes with the status only. */
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
      lastTransitionTime: same ? known.lastTransitionTime : formatInstant(now),
    };
  });
}
