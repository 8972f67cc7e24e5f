/** Options of the Go node's runner for each suite of state tests (the suites' README has them in words). */
import { wordBytes } from "../../node/bytes/word.ts";
import type { ForkSchedule } from "../../node/config/forks.ts";
import { BASE_RULES, type Rules, rulesAt } from "../../node/config/rules.ts";
import {
  checkTypeAccepted,
  decodeTransaction,
  senderOf,
  type Transaction,
} from "../../node/model/transaction.ts";
import { initcodeGas, inputGas, intrinsicGasOf } from "../../node/model/transaction-gas.ts";
import type { TransactionContent } from "../../node/model/transaction-type.ts";
import type { SuiteMessage } from "./suite-message.ts";
import type { StateRunner } from "./suite-state.ts";
import { suiteBytes, suiteInteger } from "./suite-values.ts";
import {
  type AccountKinds,
  chainEncoding,
  contractsOfVersion,
  ethereumEncoding,
  isDelegation,
} from "./suite-world.ts";

/** Forks in their order, by the stem of their key in the configuration. */
export const FORKS: readonly string[] = [
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
  kinds: contractsOfVersion(0),
  encoding: chainEncoding,
  intrinsicGas: chainIntrinsic,
  gasLimit: () => 0n,
  blobBaseFee: () => 0n,
  maxBlobs: 0,
  collected: ({ price }: SuiteMessage) => price,
};

/** That of a block 0 with a base fee and no lower bound of its own. */
const FIRST_BASE_FEE = 25_000_000_000n;

const NOBODY = new Uint8Array(20);

/** Runners of the suite with this chain's roots, by the name of the fork in `post`. */
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

/** Forks whose Ethereum suites the Go node runs, with the last fork of this chain that each stands for. */
const ETHEREUM_FORKS = { Cancun: "kaia", Prague: "prague", Osaka: "osaka" } as const;

/** Blob limits of Ethereum's Osaka before its first change of parameters. */
export const SUITE_BLOBS = { target: 6, max: 9, baseFeeUpdateFraction: 5_007_716n };

/** Gas of input in Ethereum (EIP-2028), which this chain has since Prague. */
const ETHEREUM_INPUT_GAS = { zero: 4n, nonZero: 16n };

/** Maximum number of blobs of one of Ethereum's transactions. */
export const SUITE_MAX_BLOBS = 6;

/**
 * Rules of Ethereum's suites: this chain's, with Ethereum's gas of input and EXTCODEHASH, and no reserved address
 * that is no precompiled contract (`tests/init.go`, `tests/state_test_util.go`, `blockchain/vm/eips.go` at v2.2.2).
 */
export function ethereumRules(fork: string): Rules | undefined {
  const last = ETHEREUM_FORKS[fork as keyof typeof ETHEREUM_FORKS];
  if (last === undefined) return undefined;
  return {
    ...rulesUpTo(last),
    plainCodeHash: false,
    reservedAddresses: "precompiles",
    legacyInputGas: ETHEREUM_INPUT_GAS,
    inputGas: ETHEREUM_INPUT_GAS,
  };
}

/** Intrinsic gas of the types of Ethereum. */
function ethereumIntrinsic({ to, input, accessList, authorizationList }: SuiteMessage, rules: Rules): bigint {
  const fields = {
    accessList: accessList.map(([address, keys]) => ({ address, storageKeys: keys.map(wordBytes) })),
    authorizationList,
  };
  const content = { to, input, fields } as unknown as TransactionContent; // of which it reads no more
  return intrinsicGasOf(content, rules.inputGas, rules);
}

/** Accounts before a message as the Go node's runner makes them (`tests/state_test_util.go@v2.2.2`). */
export function ethereumKinds({ delegations, vmVersion }: Rules): AccountKinds {
  return ({ code, hasStorage }) => {
    const isOfKey = code.length === 0 ? delegations || !hasStorage : delegations && isDelegation(code);
    return isOfKey ? undefined : vmVersion << 4;
  };
}

/** Ethereum's price of blob gas (EIP-4844). */
export function ethereumBlobFee(excess: bigint, fraction: bigint): bigint {
  let sum = 0n;
  let term = fraction;
  for (let i = 1n; term > 0n; i++) {
    sum += term;
    term = (term * excess) / fraction / i;
  }
  return sum / fraction;
}

/** Decodes one of Ethereum's transactions, whose types have an envelope of their own on this chain. */
export function ethereumTransaction(bytes: Uint8Array): Transaction {
  const isEnveloped = (bytes[0] ?? 0) <= 4;
  return decodeTransaction(isEnveloped ? Buffer.concat([Uint8Array.of(0x78), bytes]) : bytes);
}

/** One of Ethereum's forks as the Go node's runner makes it of this chain's; undefined for others. */
export function ethereumRunner(fork: string): StateRunner | undefined {
  const rules = ethereumRules(fork);
  if (rules === undefined) return undefined;
  return {
    rules,
    kinds: ethereumKinds(rules),
    encoding: ethereumEncoding,
    intrinsicGas: ethereumIntrinsic,
    gasLimit: (env) => suiteInteger(env["currentGasLimit"]),
    blobBaseFee: (env) => {
      const excess = suiteInteger(env["currentExcessBlobGas"]);
      return rules.blobGas ? ethereumBlobFee(excess, SUITE_BLOBS.baseFeeUpdateFraction) : 1n;
    },
    maxBlobs: rules.blobGas ? SUITE_MAX_BLOBS : Number.POSITIVE_INFINITY,
    collector: (env) => suiteBytes(env["currentCoinbase"]),
    collected: ({ price }, baseFee) => price - baseFee,
    readTransaction: (bytes) => {
      const tx = ethereumTransaction(bytes);
      checkTypeAccepted(tx, rules);
      senderOf(tx, 1n);
    },
  };
}
