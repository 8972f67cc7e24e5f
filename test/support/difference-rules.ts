/** Every rule by which cases of published suites may differ from this chain, for the tables of counts. */
import { API_RULES } from "./suite-api-rules.ts";
import { EXCLUSION_RULES } from "./suite-exclusions.ts";
import { FRONTIER_GAS } from "./vectors-execution.ts";
import { WYCHEPROOF_RULES } from "./vectors-wycheproof.ts";

/** A rule as tables have it. */
export interface DifferenceRule {
  readonly name: string;
  readonly reason: string;
  /** File of Kaia v2.2.2 that makes the difference. */
  readonly source: string;
}

/** The rules, suite by suite. */
export const DIFFERENCE_RULES: readonly DifferenceRule[] = [
  ...EXCLUSION_RULES,
  FRONTIER_GAS,
  ...WYCHEPROOF_RULES,
  ...API_RULES,
];
