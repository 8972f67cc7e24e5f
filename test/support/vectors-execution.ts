/**
 * Published suites that run contracts: state tests and single frames. In: a packed suite, or a file of one.
 * Out: counts, where a state test that differs may be excluded by a rule of `suite-exclusions.ts`.
 */
import { basename } from "node:path";
import { readSuite, type Suite } from "./core-vectors.ts";
import type { DifferenceRule } from "./difference-rules.ts";
import { type CaseFacts, caseObserver, exclusionFor } from "./suite-exclusions.ts";
import { chainRunners, ethereumRunner } from "./suite-runners.ts";
import { type Expected, messageOf, runState, type StateCase, type StateRunner } from "./suite-state.ts";
import { suiteBytes, suiteInteger } from "./suite-values.ts";
import { runVm, type VmCase } from "./suite-vm.ts";
import { accountIn, ethereumEncoding, isDelegation } from "./suite-world.ts";
import { attempt, type Comparison, reason, Tally } from "./tally.ts";

/** Chooses files of a suite by their names and places in it. */
export type FileChoice = (file: string, place: number) => boolean;

/** Every message of a packed suite of state tests leaves the root and logs that it names, or is refused as it says. */
export function stateSuite(path: string, only: FileChoice = () => true): Comparison {
  const tally = new Tally();
  const files = Object.entries(readSuite<StateCase>(path)).filter(([name], place) => only(name, place));
  for (const [file, tests] of files) judgeTests(tally, file, tests);
  return tally.comparison;
}

/** As `stateSuite`, for the parsed JSON of one file of a suite. */
export function stateFile(path: string, tests: Readonly<Record<string, StateCase>>): Comparison {
  const tally = new Tally();
  judgeTests(tally, basename(path), tests);
  return tally.comparison;
}

function judgeTests(tally: Tally, file: string, tests: Readonly<Record<string, StateCase>>): void {
  for (const [name, one] of Object.entries(tests)) {
    tally.guarded(`${file} ${name}`, (what) => {
      for (const [fork, list] of Object.entries(one.post)) {
        for (const [index, expected] of list.entries()) {
          judgeMessage(tally, `${what} ${fork} ${index}`, { test: name, one, fork, expected });
        }
      }
    });
  }
}

interface Message {
  readonly test: string;
  readonly one: StateCase;
  readonly fork: string;
  readonly expected: Expected;
}

function judgeMessage(tally: Tally, what: string, message: Message): void {
  const { fork } = message;
  const runner = runnerOf(message);
  const found = runner === undefined ? "a fork without a runner" : judge(message, runner);
  if (found === undefined) {
    tally.pass();
    return;
  }
  const excluded = exclusionFor({
    ...factsOf(message, isEthereums(message) ? ethereumRunner(fork) : runner),
    difference: found,
  });
  if (excluded === undefined) tally.fail(`${what}: ${found}`);
  else tally.exclude(excluded.name);
}

/** This chain's suite and Ethereum's name some forks alike. */
function runnerOf({ one, fork }: Message): StateRunner | undefined {
  const isNew = "config" in one || "sender" in one.transaction;
  return (isNew ? undefined : chainRunners[fork]) ?? ethereumRunner(fork);
}

/** True for a case with members that those of this chain's suite do not have, as they are packed. */
function isEthereums({ one }: Message): boolean {
  return "config" in one || "sender" in one.transaction || "_info" in one;
}

function factsOf(
  { test, one, expected }: Message,
  runner: StateRunner | undefined,
): Omit<CaseFacts, "difference"> {
  const { env } = one;
  const baseFee = suiteInteger(env["currentBaseFee"]);
  const { from, gas, value, priceCap, tipCap, blobHashes } = messageOf(one, expected, baseFee);
  const sender = accountIn(one.pre, from);
  const code = suiteBytes(sender?.code);
  const transaction = {
    gas,
    value,
    priceCap,
    tipCap,
    hasBlobs: blobHashes !== undefined,
    balance: suiteInteger(sender?.balance),
    isSentByCode: code.length > 0 && !isDelegation(code),
    isSentByContract: false, // messages are not signed
  };
  return {
    test,
    rules: runner?.rules,
    transactions: [transaction],
    baseFee,
    gasLimit: suiteInteger(env["currentGasLimit"]),
    exception: expected.expectException ?? "",
    blockBytes: 0,
    hasWithdrawals: false,
    hasUncles: false,
    hasSideChains: false,
    hasEthereumRoot: () => {
      if (runner === undefined || runner.encoding === ethereumEncoding) return false;
      const found = attempt(() => runState(one, expected, { ...runner, encoding: ethereumEncoding }));
      return typeof found !== "string" && found.hash === withPrefix(expected.hash);
    },
    seen: () => {
      const { tracer, seen } = caseObserver();
      if (runner !== undefined) attempt(() => runState(one, expected, runner, tracer));
      return seen;
    },
  };
}

/** Returns the difference, or undefined. */
function judge({ one, expected }: Message, runner: StateRunner): string | undefined {
  try {
    return compareState(one, expected, runner);
  } catch (error) {
    return `error: ${reason(error)}`;
  }
}

function compareState(one: StateCase, expected: Expected, runner: StateRunner): string | undefined {
  const { hash, logs, end } = runState(one, expected, runner);
  if (expected.expectException !== undefined) {
    return end.startsWith("refused: ") ? undefined : `expected ${expected.expectException}, found ${end}`;
  }
  if (hash !== withPrefix(expected.hash)) return `expected root ${expected.hash}, found ${hash} (${end})`;
  return logs === expected.logs ? undefined : `expected logs ${expected.logs}, found ${logs} (${end})`;
}

/** One of the suites' roots is written without it. */
function withPrefix(hex: string): string {
  return hex.startsWith("0x") ? hex : `0x${hex}`;
}

/** Rule of frames that differ by their gas alone. */
export const FRONTIER_GAS: DifferenceRule = {
  name: "frontier-gas",
  reason: "opcodes cost as since EIP-150 and EIP-160 from block 0 on",
  source: "params/protocol_params.go",
};

/** Every frame leaves the output, gas, storage and logs that its test names. */
export function vmSuite(path: string, only: FileChoice = () => true): Comparison {
  const tally = new Tally();
  const suite: Suite<VmCase> = readSuite<VmCase>(path);
  for (const [file, tests] of Object.entries(suite).filter(([name], place) => only(name, place))) {
    judgeFrames(tally, file, tests);
  }
  return tally.comparison;
}

/** As `vmSuite`, for the parsed JSON of one file of a suite. */
export function vmFile(path: string, tests: Readonly<Record<string, VmCase>>): Comparison {
  const tally = new Tally();
  judgeFrames(tally, basename(path), tests);
  return tally.comparison;
}

function judgeFrames(tally: Tally, file: string, tests: Readonly<Record<string, VmCase>>): void {
  for (const [name, one] of Object.entries(tests)) {
    tally.guarded(`${file} ${name}`, (what) => {
      const differences = runVm(one);
      const isGas = differences.length === 1 && differences[0]?.startsWith("gas left: ");
      if (isGas) tally.exclude(FRONTIER_GAS.name);
      else tally.same(what, differences, []);
    });
  }
}
