/** How the Go node runs each suite of state tests (the suites' README has it in words). */
import type { ForkSchedule } from "../../node/config/forks.ts";
import { BASE_RULES, type Rules, rulesAt } from "../../node/config/rules.ts";
import { initcodeGas, inputGas } from "../../node/model/transaction-gas.ts";
import type { SuiteMessage } from "./suite-message.ts";
import type { StateRunner } from "./suite-state.ts";
import { suiteBytes, suiteInteger } from "./suite-values.ts";
import { chainEncoding, ethereumEncoding } from "./suite-world.ts";

const FORKS = [
  "istanbul",
  "london",
  "ethTxType",
  "magma",
  "kore",
  "shanghai",
  "cancun",
  "randao",
  "kaia",
  "prague",
  "osaka",
];

/** The rules with all forks up to one active from block 0. */
export function rulesUpTo(last: string): Rules {
  const names = FORKS.slice(0, FORKS.indexOf(last) + 1);
  const forks = new Map(names.map((name) => [`${name}CompatibleBlock`, 0]));
  const schedule: ForkSchedule = { forks };
  return rulesAt(schedule, 0);
}

function chainIntrinsic({ input, to }: SuiteMessage, rules: Rules): bigint {
  const base = to === undefined ? 53_000n + initcodeGas(input, rules) : 21_000n;
  return base + inputGas(input, rules.legacyInputGas);
}

/** Of accounts without a governance configuration fees go to who made the block, or where its header says. */
const chainRunner = {
  vmVersion: 0 as const,
  encoding: chainEncoding,
  intrinsicGas: chainIntrinsic,
  gasLimit: () => 0n,
  collected: ({ price }: SuiteMessage) => price,
};

/** That of a block 0 with a base fee and no lower bound of its own. */
const FIRST_BASE_FEE = 25_000_000_000n;

const NOBODY = new Uint8Array(20);

/** By the name of the fork in `post`. */
export const chainRunners: Readonly<Record<string, StateRunner>> = {
  Byzantium: {
    ...chainRunner,
    rules: BASE_RULES,
    collector: (env) => suiteBytes(env["currentCoinbase"]),
  },
  Shanghai: {
    ...chainRunner,
    rules: rulesUpTo("shanghai"),
    collector: () => NOBODY,
    price: () => FIRST_BASE_FEE,
  },
};

function ethereumIntrinsic(message: SuiteMessage, rules: Rules): bigint {
  const keys = message.accessList.reduce((sum, [, list]) => sum + list.length, 0);
  const lists = 2400n * BigInt(message.accessList.length) + 1900n * BigInt(keys);
  const base = message.to === undefined ? 53_000n + initcodeGas(message.input, rules) : 21_000n;
  return base + inputGas(message.input, { zero: 4n, nonZero: 16n }) + lists;
}

/** Ethereum's Cancun as the Go node's runner makes it of this chain's forks. */
export const ethereumRunner: StateRunner = {
  rules: rulesUpTo("kaia"),
  vmVersion: 1,
  encoding: ethereumEncoding,
  intrinsicGas: ethereumIntrinsic,
  gasLimit: (env) => suiteInteger(env["currentGasLimit"]),
  collector: (env) => suiteBytes(env["currentCoinbase"]),
  collected: ({ price }, baseFee) => price - baseFee,
  refusal: ({ env, transaction }, { gas, priceCap, from, value }, { world }) => {
    if (world.balance(from) < gas * priceCap + value) return "balance below what may have to be paid";
    if (gas > suiteInteger(env["currentGasLimit"])) return "gas limit of the block";
    if (priceCap < suiteInteger(env["currentBaseFee"])) return "max fee below base fee";
    if (suiteInteger(transaction.maxPriorityFeePerGas) > priceCap) return "tip above max fee";
    return world.code(from).length > 0 ? "sender has code" : undefined;
  },
};
