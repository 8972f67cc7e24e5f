/** The rules of a block: the facts before any fork, overridden by those of every active fork. */
import type { Address } from "../bytes/brands.ts";
import { type ForkSchedule, forks } from "./forks.ts";
import { BASE_FACTS, type RuleFacts } from "./rule-facts.ts";

/** The facts from block `since` until the next fork. */
export interface Rules extends RuleFacts {
  readonly since: number;
  /**
   * Addresses that ECRECOVER returns for signatures (r, s and v as hex), whatever they sign. A development chain alone
   * sets any.
   */
  readonly signers: ReadonlyMap<string, Address>;
}

/** The rules of a chain that schedules no fork. */
export const BASE_RULES: Rules = { ...BASE_FACTS, since: 0, signers: new Map() };

const stepsOf = new WeakMap<ForkSchedule, readonly Rules[]>();

/** Returns the rules of block `number`. They are computed once per configuration. */
export function rulesAt(config: ForkSchedule, number: number): Rules {
  let steps = stepsOf.get(config);
  if (steps === undefined) {
    steps = createSteps(config);
    stepsOf.set(config, steps);
  }
  for (let i = steps.length - 1; i >= 0; i--) {
    const step = steps[i] as Rules; // in range: loop bound
    if (step.since <= number) return step;
  }
  return BASE_RULES;
}

/** Returns the rules of each fork block, ascending. */
function createSteps(config: ForkSchedule): readonly Rules[] {
  const numbers = [...new Set(config.forks.values())].sort((a, b) => a - b);
  return numbers.map((since) => foldRules(config, since));
}

function foldRules(config: ForkSchedule, number: number): Rules {
  let facts: RuleFacts = BASE_FACTS;
  for (const fork of forks) {
    const start = config.forks.get(fork.configKey);
    if (start === undefined || start > number) continue;
    const acceptedTypes = new Set([...facts.acceptedTypes, ...(fork.changes.acceptedTypes ?? [])]);
    facts = { ...facts, ...fork.changes, acceptedTypes };
  }
  return { ...facts, since: number, signers: signersOf(config) };
}

const signersByConfig = new WeakMap<ForkSchedule, Map<string, Address>>();

/** Returns the signers in the rules of a configuration, to be changed in a development chain alone. */
export function signersOf(config: ForkSchedule): Map<string, Address> {
  const signers = signersByConfig.get(config) ?? new Map<string, Address>();
  signersByConfig.set(config, signers);
  return signers;
}
