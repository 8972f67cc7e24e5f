/** Conditions: what holds of a node, and since when. */
import { type ConditionType } from "../api/names.ts";
import type { Condition } from "../api/node-status.ts";
import { instant } from "../observe/clock.ts";

/** What was judged just now. */
export interface Verdict {
  readonly type: ConditionType;
  readonly status: Condition["status"];
  readonly reason: string;
  readonly message: string;
}

const MOST_CHARACTERS = 1_000;

/** The conditions after `verdicts`; the time of a condition is that of its last change of status. */
export function nextConditions(
  before: readonly Condition[] | undefined,
  verdicts: readonly Verdict[],
  { generation, now }: { readonly generation: number; readonly now: number },
): readonly Condition[] {
  return verdicts.map((verdict) => {
    const known = before?.find(({ type }) => type === verdict.type);
    const same = known?.status === verdict.status;
    return {
      ...verdict,
      message: verdict.message.slice(0, MOST_CHARACTERS),
      observedGeneration: generation,
      lastTransitionTime: same ? known.lastTransitionTime : instant(now),
    };
  });
}
