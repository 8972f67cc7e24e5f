/** The recorded slice of the state transition oracle: cases of this project with the Go node's results, a line each. */
import { opcodes } from "../../../node/evm/opcodes.ts";
import type { TransitionCase, TransitionResult } from "./case.ts";
import { type Topic, topicOf, transitionCase } from "./cases.ts";
import { readRecordedLines, writeRecordedLines } from "./recorded-lines.ts";

const FILE = "transitions.jsonl.gz";

/** A case and the Go node's result. */
export interface RecordedCase {
  readonly one: TransitionCase;
  readonly result: TransitionResult;
}

const SEED = 1;
/** Numbers of cases that are looked through, and the size in characters of a case that is worth recording. */
const NUMBERS = 18_000;
const MAX_CASE = 1600;
const DEFINED = new Set(opcodes.map(({ number }) => number));

/** Returns cases to record: every opcode and precompiled contract at every fork, and some of the other kinds. */
export function casesToRecord(): TransitionCase[] {
  const counts = new Map<string, number>();
  const chosen: TransitionCase[] = [];
  for (let number = 0; number < NUMBERS; number++) {
    const { name, most } = quotaOf(topicOf(number));
    const count = counts.get(name) ?? 0;
    if (count >= most) continue;
    const one = transitionCase(SEED, number);
    if (JSON.stringify(one).length > MAX_CASE) continue;
    counts.set(name, count + 1);
    chosen.push(one);
  }
  return chosen;
}

function quotaOf({ kind, fork, number }: Topic): { readonly name: string; readonly most: number } {
  if (kind === "transaction" || kind === "program")
    return { name: kind, most: kind === "program" ? 100 : 400 };
  const isUndefined = kind === "opcode" && !DEFINED.has(number);
  return isUndefined
    ? { name: `undefined ${number}`, most: 1 }
    : { name: `${kind} ${fork} ${number}`, most: kind === "opcode" ? 1 : 2 };
}

/** Reads the recorded cases. */
export function readRecorded(): RecordedCase[] {
  return readRecordedLines(FILE);
}

/** Writes the recorded cases. */
export function writeRecorded(cases: readonly RecordedCase[]): void {
  writeRecordedLines(FILE, cases);
}
