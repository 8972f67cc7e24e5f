/**
 * Compares the Go node's answers about each recorded block: proposer, committee and rewards. All from headers, bodies
 * and receipts' gas: nothing is executed, so contracts that name stakes are not asked.
 */
import { toHex } from "../../node/bytes/hex.ts";
import { rulesAt } from "../../node/config/rules.ts";
import { recoverProposer } from "../../node/consensus/seal.ts";
import { feesOf, reportedReward } from "../../node/execution/reward.ts";
import type { ContractReader } from "../../node/governance/contract-reader.ts";
import type { GovernanceBlock, OpenGovernanceDeps } from "../../node/governance/governance.ts";
import { type Governance, openGovernance } from "../../node/governance/governance.ts";
import { type Block, decodeBlock } from "../../node/model/block.ts";
import { parseExtra, roundOf } from "../../node/model/istanbul-extra.ts";
import { effectivePrice } from "../../node/model/transaction.ts";
import { createMemoryStore } from "../../node/store/memory-store.ts";
import { tables } from "../../node/store/tables.ts";
import type { Answer, RecordedChain } from "./recorded-chain.ts";
import type { Tally } from "./tally.ts";

/** Judges every recorded answer, and the votes and governance data of every header. */
export function compareElections(tally: Tally, chain: RecordedChain): void {
  const blocks = chain.blocks.map((item) => decodeBlock(item));
  const replayed = replayGovernance(chain, blocks);
  for (const block of blocks.slice(1)) {
    const { number } = block.header;
    const answer = chain.consensusAnswers.get(number);
    tally.guarded(`block ${number}`, (what) => {
      const author = authorOf(block);
      if (answer !== undefined) {
        elections(tally, what, { governance: replayed.governance, block, answer });
        rewards(tally, what, { chain, governance: replayed.governance, block, author, answer });
      }
      replayed.governance.checkHeader(block.header, author);
      replayed.accept(block);
      tally.pass();
    });
  }
}

/** The governance of a chain whose blocks are taken in one by one. */
export interface ReplayedGovernance {
  readonly governance: Governance;
  accept(block: Block): void;
  /** The same chain, opened again. */
  reopened(): Governance;
  /** Takes out the row that says which headers count. */
  forget(): void;
}

const NO_CONTRACTS: ContractReader = {
  account: () => undefined,
  code: () => new Uint8Array(0),
  balance: () => 0n,
  call: () => undefined,
};

/** Opens it at block 0. */
export function replayGovernance(
  { config }: Pick<RecordedChain, "config">,
  blocks: readonly Block[],
): ReplayedGovernance {
  const store = createMemoryStore();
  let tip = 0;
  const parts: OpenGovernanceDeps = {
    config,
    rows: store,
    tip: () => tip,
    block: (number): GovernanceBlock | undefined => {
      const block = number > tip ? undefined : blocks[number];
      return block && { header: block.header, hash: block.hash, author: () => authorOf(block) };
    },
    contracts: () => NO_CONTRACTS,
  };
  const governance = openGovernance(parts);
  return {
    governance,
    accept: ({ header }) => {
      const batch = store.createBatch();
      governance.accept(header, batch);
      void store.write(batch, { sync: false });
      tip = header.number;
    },
    reopened: () => openGovernance(parts),
    forget: () => {
      const batch = store.createBatch();
      batch.delete(tables.meta.key("governance"));
      void store.write(batch, { sync: false });
    },
  };
}

function authorOf({ header }: Block): Uint8Array {
  return recoverProposer(header, parseExtra(header.extra)) ?? new Uint8Array(20);
}

interface ElectionSample {
  readonly governance: Governance;
  readonly block: Block;
  readonly answer: Answer;
}

function elections(tally: Tally, what: string, { governance, block, answer }: ElectionSample): void {
  const { header } = block;
  const round = roundOf(header.extra);
  const committee = governance.committee(header.number, round).map(toHex).sort();
  tally.same(`${what}: committee`, committee, [...(answer["committee"] as string[])].sort());
  tally.same(
    `${what}: first proposer`,
    toHex(governance.proposer(header.number, 0)),
    answer["originProposer"],
  );
  tally.same(`${what}: proposer`, toHex(governance.proposer(header.number, round)), answer["proposer"]);
  const named = parseExtra(header.extra).validators.map(toHex);
  tally.same(`${what}: validators`, governance.validators(header.number).qualified.map(toHex), named);
}

interface RewardSample extends ElectionSample {
  readonly chain: RecordedChain;
  readonly author: Uint8Array;
}

function rewards(tally: Tally, what: string, terms: RewardSample): void {
  const { chain, governance, block, author, answer } = terms;
  const { header, transactions } = block;
  const recorded = answer["reward"] as Answer | undefined;
  if (recorded === undefined) return;
  const rules = rulesAt(chain.config, header.number);
  const parameters = governance.parameters(header.number);
  const receipts = chain.receiptAnswers.get(header.number) ?? [];
  const paid = transactions.reduce((sum, tx, i) => {
    const gas = BigInt((receipts[i]?.["gasUsed"] as string | undefined) ?? 0);
    return sum + gas * effectivePrice(tx, header.baseFee, rules);
  }, 0n);
  const { gasUsed, baseFee, rewardbase } = header;
  const totalFee = feesOf({ gasUsed, paid, baseFee }, rules, parameters);
  const staking = governance.staking(header.number);
  const { credits, ...reported } = reportedReward(
    { totalFee, rules, parameters, staking, rewardbase },
    author,
  );
  const { burnt: burntFee, kpf, ...amounts } = reported;
  const own = {
    ...amounts,
    ...("kpf" in recorded || kpf !== 0n ? { kpf } : {}), // version 2.2.1 did not name the third fund
    burntFee,
    rewards: Object.fromEntries(credits.map(({ address, amount }) => [toHex(address), amount])),
  };
  tally.same(`${what}: reward`, roundNumbers(own), roundNumbers(recorded));
}

/** The answers were kept as doubles: amounts above 2^53 lost their last digits. */
function roundNumbers(json: unknown): unknown {
  if (typeof json === "number" || typeof json === "bigint") return Number(json);
  if (typeof json !== "object" || json === null) return json;
  return Object.fromEntries(Object.entries(json).map(([name, value]) => [name, roundNumbers(value)]));
}
