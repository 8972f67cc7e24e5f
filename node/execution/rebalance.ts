/**
 * Treasury rebalancing (KIP-103, KIP-160): at one block the balances of old funds are destroyed and new ones made, as
 * a contract says that their owners agreed. What the contract does not confirm is not done; the block goes on.
 */
import { mapKey } from "../bytes/hex.ts";
import { AbiTuple, type Argument, encodeCall } from "../governance/abi.ts";
import { GovernanceError } from "../governance/error.ts";
import type { World } from "../state/world/world.ts";

/** A rebalancing: what its contract's questions are called, and how it is asked. */
export interface Rebalancing {
  readonly questions: RebalanceQuestions;
  /** Asks the contract; undefined when the call fails, no bytes where a failure counts as an answer. */
  readonly ask: (input: Uint8Array) => Uint8Array | undefined;
  /** The block that is being made. */
  readonly number: number;
}

/** Names of one version of the contract. */
export interface RebalanceQuestions {
  readonly zeroedCount: string;
  readonly zeroed: string;
  readonly allocatedCount: string;
  readonly allocated: string;
  readonly approval: string;
  /** New balances may not be more than what is destroyed. */
  readonly onlyShrinks: boolean;
}

/** The contract of KIP-103. */
export const KIP103_QUESTIONS: RebalanceQuestions = {
  zeroedCount: "getRetiredCount()",
  zeroed: "retirees(uint256)",
  allocatedCount: "getNewbieCount()",
  allocated: "newbies(uint256)",
  approval: "checkRetiredsApproved()",
  onlyShrinks: true,
};

/** The contract of KIP-160. */
export const KIP160_QUESTIONS: RebalanceQuestions = {
  zeroedCount: "getZeroedCount()",
  zeroed: "zeroeds(uint256)",
  allocatedCount: "getAllocatedCount()",
  allocated: "allocateds(uint256)",
  approval: "checkZeroedsApproved()",
  onlyShrinks: false,
};

/** What came of it; nothing is changed by one that was refused. */
export type RebalanceOutcome =
  | { readonly done: true; readonly burnt: bigint }
  | { readonly done: false; readonly why: string };

interface Fund {
  readonly address: Uint8Array;
  readonly amount: bigint;
}

const APPROVED = 2n;
/** A contract that names more funds than this is not believed. */
const MAX_FUNDS = 10_000n;

/** Rebalances if the contract confirms it; reads the balances that the block's transactions and reward left. */
export function rebalanceTreasury(world: World, rebalancing: Rebalancing): RebalanceOutcome {
  try {
    return rebalance(world, rebalancing);
  } catch (error) {
    if (error instanceof GovernanceError) return { done: false, why: error.message };
    throw error;
  }
}

function rebalance(world: World, rebalancing: Rebalancing): RebalanceOutcome {
  const { questions, number } = rebalancing;
  const zeroed = zeroedFunds(world, rebalancing);
  const allocated = allocatedFunds(rebalancing);
  if (answer(rebalancing, "rebalanceBlockNumber()").integer(0) !== BigInt(number)) {
    throw refusal("cannot find a proper target block number");
  }
  if (answer(rebalancing, "status()").integer(0) !== APPROVED) {
    throw refusal("rebalance contract is not in proper status");
  }
  if (rebalancing.ask(encodeCall(questions.approval)) === undefined) {
    throw refusal("the owners of zeroed funds have not approved");
  }
  const before = sumOf(zeroed);
  const after = sumOf(allocated);
  if (questions.onlyShrinks && before < after) {
    throw refusal("the sum of zeroed balances are less than the sum of allocated balances");
  }
  for (const { address } of zeroed) setBalance(world, address, 0n);
  let burnt = before - after;
  for (const { address, amount } of allocated) {
    burnt += world.balance(address);
    setBalance(world, address, amount);
  }
  return { done: true, burnt };
}

/** Funds to be emptied, each once, with what they have now. */
function zeroedFunds(world: World, rebalancing: Rebalancing): readonly Fund[] {
  const { zeroedCount, zeroed } = rebalancing.questions;
  const funds = new Map<string, Fund>();
  const count = countOf(answer(rebalancing, zeroedCount));
  for (let i = 0n; i < count; i++) {
    const address = answer(rebalancing, zeroed, i).address(0);
    funds.set(mapKey(address), { address, amount: world.balance(address) });
  }
  return [...funds.values()];
}

/** Funds to be filled, each once with its last amount. Without an answer to how many there are, none. */
function allocatedFunds(rebalancing: Rebalancing): readonly Fund[] {
  const { allocatedCount, allocated } = rebalancing.questions;
  const funds = new Map<string, Fund>();
  const counted = rebalancing.ask(encodeCall(allocatedCount));
  if (counted === undefined || counted.length === 0) return [];
  const count = countOf(new AbiTuple(counted));
  for (let i = 0n; i < count; i++) {
    const fund = answer(rebalancing, allocated, i);
    const address = fund.address(0);
    funds.set(mapKey(address), { address, amount: fund.integer(1) });
  }
  return [...funds.values()];
}

function countOf(tuple: AbiTuple): bigint {
  const count = tuple.integer(0);
  if (count > MAX_FUNDS) throw refusal(`the rebalance contract names ${count} funds`);
  return count;
}

function answer({ ask }: Rebalancing, signature: string, ...values: readonly Argument[]): AbiTuple {
  const output = ask(encodeCall(signature, ...values));
  if (output === undefined || output.length === 0) throw refusal(`no answer to ${signature}`);
  return new AbiTuple(output);
}

function sumOf(funds: readonly Fund[]): bigint {
  return funds.reduce((sum, { amount }) => sum + amount, 0n);
}

function setBalance(world: World, address: Uint8Array, amount: bigint): void {
  world.subtractBalance(address, world.balance(address));
  world.addBalance(address, amount);
}

function refusal(why: string): GovernanceError {
  return new GovernanceError("bad-answer", why);
}
