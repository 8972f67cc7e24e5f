/**
 * The cases of the state transition oracle by seed and number: opcodes and precompiled contracts at every fork in turn,
 * transactions of every type, random programs. The same seed and number are the same case in every run.
 */

import { toHex } from "../../../node/bytes/hex.ts";
import { decodeTransaction } from "../../../node/model/transaction.ts";
import { BLOCK } from "../evm-scenario.ts";
import { seededRandom } from "../random.ts";
import { rulesUpTo } from "../suite-runners.ts";
import { suiteBytes } from "../suite-values.ts";
import { TRANSACTION_FORKS, type TransactionFork } from "../transaction-differences.ts";
import { rawOf } from "../transaction-runs.ts";
import { randomTransaction } from "../transaction-scenario.ts";
import { runHere, type TransitionCase } from "./case.ts";
import { Draw } from "./draw.ts";
import { opcodeScene } from "./opcode-cases.ts";
import { PRECOMPILE_NUMBERS, precompileScene } from "./precompile-cases.ts";
import { callOf, transactionCase } from "./transaction-cases.ts";

const OPCODES = 256;
const GOLDEN = 0x9e3779b1;
const PLENTY = 5_000_000n;

/** Kinds of cases in the order of their numbers: four of six are about an opcode or a precompiled contract. */
const KINDS = ["opcode", "precompile", "opcode", "transaction", "precompile", "program"] as const;

/** Subject of a case: its kind, and the opcode or address that opcode and precompile cases are about. */
export interface Topic {
  readonly kind: (typeof KINDS)[number];
  readonly fork: TransactionFork;
  readonly number: number;
}

/** Returns the subject of case `number` of any seed; only opcode and precompile cases keep to its fork. */
export function topicOf(number: number): Topic {
  const kind = KINDS[number % KINDS.length] ?? "program";
  // Each of these two kinds comes twice in a round of kinds.
  const turn = Math.floor(number / KINDS.length) * 2 + (number % KINDS.length > 1 ? 1 : 0);
  const fork = TRANSACTION_FORKS[turn % TRANSACTION_FORKS.length] ?? "osaka";
  const row = Math.floor(turn / TRANSACTION_FORKS.length);
  const address = PRECOMPILE_NUMBERS[row % PRECOMPILE_NUMBERS.length] ?? 0;
  return { kind, fork, number: kind === "precompile" ? address : row % OPCODES };
}

/** Returns case `number` of a seed. */
export function transitionCase(seed: number, number: number): TransitionCase {
  const draw = new Draw((seed + Math.imul(number + 1, GOLDEN)) >>> 0);
  const topic = topicOf(number);
  const { kind, fork } = topic;
  if (kind === "opcode") return ending(draw, fork, opcodeScene(draw, fork, topic.number));
  if (kind === "precompile") return ending(draw, fork, precompileScene(draw, fork, topic.number));
  const anyFork = draw.pick(TRANSACTION_FORKS);
  for (;;) {
    const one = kind === "transaction" ? transactionCase(draw, anyFork) : programCase(draw, anyFork);
    if (mayStandInBody(one)) return one;
  }
}

/** False for a price below the base fee, which a block's body is refused for before anything runs. */
function mayStandInBody({ fork, tx }: TransitionCase): boolean {
  const { gasFeeCap } = decodeTransaction(suiteBytes(tx));
  const rules = rulesUpTo(fork);
  return !rules.baseFee || gasFeeCap >= BLOCK.baseFee || (rules.checksPriceCaps && gasFeeCap > 0n);
}

/** The call of a scene, a third of the time with about as much gas as it uses. */
function ending(draw: Draw, fork: TransactionFork, scene: Parameters<typeof callOf>[0]): TransitionCase {
  const seed = draw.below(2 ** 31);
  const withGas = (gas: bigint): TransitionCase => callOf(scene, { fork, gas, draw: new Draw(seed) });
  const whole = withGas(PLENTY);
  if (draw.chance(0.67)) return whole;
  const result = runHere(whole);
  if ("error" in result) return whole;
  const used =
    result.gasUsed - draw.pick([1, 1, 0, 2, draw.below(100), draw.below(3000), draw.below(result.gasUsed)]);
  return withGas(BigInt(Math.max(0, used)));
}

function programCase(draw: Draw, fork: TransactionFork): TransitionCase {
  const scenario = randomTransaction(seededRandom(draw.below(2 ** 31)), fork);
  const pre = { ...scenario.accounts };
  const isOld = rulesUpTo(fork).vmVersion === 1 && draw.chance(0.1);
  if (isOld)
    for (const [name, account] of Object.entries(pre))
      if (account.code.length > 48) pre[name] = { ...account, vmVersion: 0 };
  return { fork, deferred: draw.chance(0.8), pre, tx: toHex(rawOf(scenario)) };
}
