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

/** Rules for cases of kaiachain/kaia-rpc-tester, a program of its own that runs against a node. */
const TESTER_RULES: readonly DifferenceRule[] = [
  {
    name: "go-runtime",
    reason:
      "methods about log levels by file, the interpreter's log and the garbage collector of Go say that they change nothing",
    source: "api/debug/api.go",
  },
  {
    name: "new-files",
    reason: "a recording is written into a new file, and never over an earlier one",
    source: "api/debug/api.go",
  },
];

/** The rules, suite by suite. */
export const DIFFERENCE_RULES: readonly DifferenceRule[] = [
  ...EXCLUSION_RULES,
  FRONTIER_GAS,
  ...WYCHEPROOF_RULES,
  ...API_RULES,
  ...TESTER_RULES,
];
