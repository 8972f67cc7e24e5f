/** Published suites that run contracts: state tests and single frames, with the cases left out by design. */
import { readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { readSuite, type Suite } from "./core-vectors.ts";
import { observer, type Seen } from "./evm-scenario.ts";
import { chainRunners, ethereumRunner } from "./suite-runners.ts";
import { type Expected, runState, type StateCase, type StateRunner } from "./suite-state.ts";
import { runVm, type VmCase } from "./suite-vm.ts";
import { type Comparison, reason, Tally } from "./tally.ts";

/** Reasons by name; then by suite, file and test the cases (`fork index`) and the name of each one's reason. */
interface Exclusions {
  readonly reasons: Readonly<Record<string, string>>;
  readonly cases: Readonly<Record<string, Excluded>>;
}

type Excluded = Readonly<Record<string, Readonly<Record<string, Readonly<Record<string, string>>>>>>;

const EXCLUSIONS = join(import.meta.dirname, "../vectors/core-tests-exclusions.json");

/** Chooses files of a suite by their names and places in it. */
export type FileChoice = (file: string, place: number) => boolean;

/** Every message of a suite of state tests leaves the root and logs that it names, or is refused as it says. */
export function stateSuite(path: string, only: FileChoice = () => true): Comparison {
  const tally = new Tally();
  const excluded = exclusionsOf(path);
  const files = Object.entries(readSuite<StateCase>(path)).filter(([name], place) => only(name, place));
  for (const [file, tests] of files) {
    for (const [name, one] of Object.entries(tests)) {
      tally.guarded(`${file} ${name}`, (what) => {
        for (const { fork, index, expected } of messagesOf(one)) {
          const found = judgeState(one, fork, expected);
          const row = excluded.row(file, name, `${fork} ${index}`);
          const shows = row === undefined || showsReason(row.key, one, { fork, index, expected });
          count(tally, `${what} ${fork} ${index}`, { found, why: row?.why, shows });
        }
      });
    }
  }
  return tally.comparison;
}

interface Message {
  readonly fork: string;
  readonly index: number;
  readonly expected: Expected;
}

function messagesOf({ post }: StateCase): Message[] {
  return Object.entries(post).flatMap(([fork, list]) =>
    list.map((expected, index) => ({ fork, index, expected })),
  );
}

/** What differs, or undefined. */
function judgeState(one: StateCase, fork: string, expected: Expected): string | undefined {
  const runner = runnerOf(fork);
  if (runner === undefined) return `no rules are known for the fork ${fork}`;
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
  if (hash !== prefixed(expected.hash)) return `expected root ${expected.hash}, found ${hash} (${end})`;
  return logs === expected.logs ? undefined : `expected logs ${expected.logs}, found ${logs} (${end})`;
}

/** One of the suites' roots is written without it. */
function prefixed(hex: string): string {
  return hex.startsWith("0x") ? hex : `0x${hex}`;
}

/** Every frame leaves the output, gas, storage and logs that its test names. */
export function vmSuite(path: string, only: FileChoice = () => true): Comparison {
  const tally = new Tally();
  const suite: Suite<VmCase> = readSuite<VmCase>(path);
  for (const [file, tests] of Object.entries(suite).filter(([name], place) => only(name, place))) {
    for (const [name, one] of Object.entries(tests)) {
      tally.guarded(`${file} ${name}`, (what) => tally.same(what, runVm(one), []));
    }
  }
  return tally.comparison;
}

/** How a message shows that a reason holds for it; a reason that is not here needs no more than to be written. */
const SHOWN: Readonly<Record<string, (seen: Seen, one: StateCase) => boolean>> = {
  "blob-transaction": (_seen, { transaction }) => transaction.blobVersionedHashes !== undefined,
  "code-hash": ({ opcodes }) => opcodes.has(EXTCODEHASH),
  "ef-code": ({ failures }) => failures.has("invalid-code"),
  "reserved-address": ({ failures }) => failures.has("reserved-address"),
};
const EXTCODEHASH = 0x3f;

function showsReason(key: string, one: StateCase, { fork, expected }: Message): boolean {
  const runner = runnerOf(fork);
  const isShown = SHOWN[key];
  if (runner === undefined || isShown === undefined) return true;
  const { tracer, seen } = observer();
  runState(one, expected, runner, tracer);
  return isShown(seen, one);
}

function runnerOf(fork: string): StateRunner | undefined {
  return fork === "Cancun" ? ethereumRunner : chainRunners[fork];
}

interface Judged {
  readonly found: string | undefined;
  readonly why: string | undefined;
  readonly shows: boolean;
}

/** An excluded case has to differ, and to show the reason: one that passes needs its row no more. */
function count(tally: Tally, what: string, { found, why, shows }: Judged): void {
  if (why === undefined && found === undefined) tally.pass();
  else if (why === undefined) tally.fail(`${what}: ${found}`);
  else if (found === undefined) tally.fail(`${what}: passes, though it is excluded (${why})`);
  else if (!shows) tally.fail(`${what}: shows nothing of why it is excluded (${why})`);
  else tally.exclude();
}

interface ExclusionRow {
  readonly key: string;
  /** In words. */
  readonly why: string;
}

interface ExclusionList {
  readonly row: (file: string, name: string, index: string) => ExclusionRow | undefined;
}

/** Suites are told apart by their file names. */
function exclusionsOf(path: string): ExclusionList {
  const { reasons, cases } = JSON.parse(readFileSync(EXCLUSIONS, "utf8")) as Exclusions;
  const suite = cases[basename(path).replace(/\.json\.gz$/, "")];
  return {
    row: (file, name, index) => {
      const key = suite?.[file]?.[name]?.[index];
      return key === undefined ? undefined : { key, why: reasons[key] ?? key };
    },
  };
}
