/** Ethereum's published tests of blocks, with those left out that differ by a rule of `suite-exclusions.ts`. */
import { basename } from "node:path";
import { decodeRlp, listItems } from "../../node/bytes/rlp.ts";
import { readSuite } from "./core-vectors.ts";
import { type BlockCase, type BlockRunner, runBlocks, transactionsOf } from "./suite-blocks.ts";
import { type CaseFacts, type CaseTransaction, caseObserver, exclusionFor } from "./suite-exclusions.ts";
import { ethereumKinds, ethereumRules } from "./suite-runners.ts";
import { suiteBytes, suiteInteger } from "./suite-values.ts";
import { accountIn, isDelegation } from "./suite-world.ts";
import { attempt, type Comparison, Tally } from "./tally.ts";
import type { FileChoice } from "./vectors-execution.ts";

/** Every test of a packed suite leaves the accounts that it names. */
export function blockSuite(path: string, only: FileChoice = () => true): Comparison {
  const tally = new Tally();
  const files = Object.entries(readSuite<BlockCase>(path)).filter(([name], place) => only(name, place));
  for (const [file, tests] of files) judgeTests(tally, file, tests);
  return tally.comparison;
}

/** As `blockSuite`, for the parsed JSON of one file of a suite. */
export function blockFile(path: string, tests: Readonly<Record<string, BlockCase>>): Comparison {
  const tally = new Tally();
  judgeTests(tally, basename(path), tests);
  return tally.comparison;
}

function judgeTests(tally: Tally, file: string, tests: Readonly<Record<string, BlockCase>>): void {
  for (const [name, one] of Object.entries(tests)) {
    tally.guarded(`${file} ${name}`, (what) => {
      const runner = runnerOf(one.network);
      const lines = runner === undefined ? ["a fork without a runner"] : runBlocks(one, runner);
      if (lines.length === 0) {
        tally.pass();
        return;
      }
      const difference = lines.slice(0, 3).join("; ");
      const excluded = exclusionFor({ ...factsOf(one, runner), difference });
      if (excluded === undefined) tally.fail(`${what}: ${difference}`);
      else tally.exclude(excluded.name);
    });
  }
}

/** The runner of a fork as the Go node's tests make it of this chain's; undefined for others. */
function runnerOf(network: string): BlockRunner | undefined {
  const rules = ethereumRules(network);
  return rules === undefined ? undefined : { rules, kinds: ethereumKinds(rules) };
}

function factsOf(one: BlockCase, runner: BlockRunner | undefined): Omit<CaseFacts, "difference"> {
  const [first] = one.blocks;
  return {
    test: "",
    rules: runner?.rules,
    transactions: runner === undefined ? [] : caseTransactions(one, runner),
    baseFee: suiteInteger(first?.blockHeader?.["baseFeePerGas"]),
    gasLimit: suiteInteger((first?.blockHeader ?? one.genesisBlockHeader)["gasLimit"]),
    exception: one.blocks.map(({ expectException }) => expectException ?? "").join(""),
    blockBytes: Math.max(...one.blocks.map(({ rlp }) => suiteBytes(rlp).length)),
    hasWithdrawals: one.blocks.some(({ rlp }) => hasListed(rlp, WITHDRAWALS)),
    hasUncles: one.blocks.some(({ rlp }) => hasListed(rlp, UNCLES)),
    hasSideChains: one.blocks.some(({ blockHeader }, index) => {
      const before = index === 0 ? one.genesisBlockHeader : one.blocks[index - 1]?.blockHeader;
      return (
        blockHeader !== undefined && before !== undefined && blockHeader["parentHash"] !== before["hash"]
      );
    }),
    hasEthereumRoot: () => false,
    seen: () => {
      const { tracer, seen } = caseObserver();
      if (runner !== undefined) attempt(() => runBlocks(one, runner, tracer));
      return seen;
    },
  };
}

function caseTransactions(one: BlockCase, { kinds }: BlockRunner): CaseTransaction[] {
  return transactionsOf(one).map(({ tx, sender }) => {
    const account = accountIn(one.pre, sender);
    const code = suiteBytes(account?.code);
    const hasStorage = Object.keys(account?.storage ?? {}).length > 0;
    return {
      gas: tx.gas,
      value: tx.value,
      priceCap: tx.gasFeeCap,
      tipCap: tx.gasTipCap,
      hasBlobs: tx.fields.blobVersionedHashes !== undefined,
      balance: suiteInteger(account?.balance),
      isSentByCode: code.length > 0 && !isDelegation(code),
      isSentByContract: kinds({ code, hasStorage }) !== undefined,
    };
  });
}

/** Places of lists in a block's RLP. */
const UNCLES = 2;
const WITHDRAWALS = 3;

/** True for a block whose list at a place has any member. */
function hasListed(rlp: string, place: number): boolean {
  const count = attempt(() => {
    const list = listItems(decodeRlp(suiteBytes(rlp)))[place];
    return list === undefined ? 0 : listItems(list).length;
  });
  return typeof count === "number" && count > 0;
}
