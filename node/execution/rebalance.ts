/**
 * Treasury rebalancing (KIP-103, KIP-160, `blockchain/system/rebalance.go@v2.2.2`): at one block the balances
 * of old funds are removed and new ones set, as a contract records that the owners approved. A rebalancing
 * that the contract does not confirm is skipped; the block remains valid.
 */
import type { Address } from "../bytes/brands.ts";
import { mapKey } from "../bytes/hex.ts";
import { type AbiArgument, AbiTuple, encodeCall } from "../governance/abi.ts";
import { GovernanceError } from "../governance/error.ts";
import type { World } from "../state/world/world.ts";

/** Dependencies of a rebalancing. */
export interface RebalanceDeps {
  readonly methods: RebalanceMethods;
  /** True when the new balances must not exceed the removed ones: at the block of KIP-103, whatever the contract. */
  readonly onlyShrinks: boolean;
  /** Calls the contract; undefined when the call fails, empty where a failure counts as a result. */
  readonly call: (input: Uint8Array) => Uint8Array | undefined;
  /** Number of the block. */
  readonly number: number;
}

/** Method signatures of a version of the contract. */
export interface RebalanceMethods {
  readonly zeroedCount: string;
  readonly zeroed: string;
  readonly allocatedCount: string;
  readonly allocated: string;
  readonly approval: string;
}

/** Methods of the KIP-103 contract. */
export const KIP103_METHODS: RebalanceMethods = {
  zeroedCount: "getRetiredCount()",
  zeroed: "retirees(uint256)",
  allocatedCount: "getNewbieCount()",
  allocated: "newbies(uint256)",
  approval: "checkRetiredsApproved()",
};

/** Methods of the KIP-160 contract. */
export const KIP160_METHODS: RebalanceMethods = {
  zeroedCount: "getZeroedCount()",
  zeroed: "zeroeds(uint256)",
  allocatedCount: "getAllocatedCount()",
  allocated: "allocateds(uint256)",
  approval: "checkZeroedsApproved()",
};

/** Result of a rebalancing; a refused one changes nothing. */
export type RebalanceOutcome =
  | { readonly done: true; readonly burnt: bigint }
  | { readonly done: false; readonly reason: string };

interface Fund {
  readonly address: Address;
  readonly amount: bigint;
}

const APPROVED = 2n;
/** Bound of the funds of a contract. */
const MAX_FUNDS = 10_000n;

/**
 * Rebalances the treasury if the contract confirms it. Reads the balances after the block's transactions and
 * reward.
 */
export function rebalanceTreasury(world: World, rebalancing: RebalanceDeps): RebalanceOutcome {
  try {
    return rebalance(world, rebalancing);
  } catch (error) {
    if (error instanceof GovernanceError) return { done: false, reason: error.message };
    throw error;
  }
}

function rebalance(world: World, rebalancing: RebalanceDeps): RebalanceOutcome {
  const { methods, onlyShrinks, number } = rebalancing;
  const zeroed = zeroedFunds(world, rebalancing);
  const allocated = allocatedFunds(rebalancing);
  if (answer(rebalancing, "rebalanceBlockNumber()").integer(0) !== BigInt(number)) {
    throw refusal("cannot find a proper target block number");
  }
  if (answer(rebalancing, "status()").integer(0) !== APPROVED) {
    throw refusal("rebalance contract is not in proper status");
  }
  if (rebalancing.call(encodeCall(methods.approval)) === undefined) {
    throw refusal("the owners of zeroed funds have not approved");
  }
  const before = sumOf(zeroed);
  const after = sumOf(allocated);
  if (onlyShrinks && before < after) {
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

/** Returns the funds to empty, each once, with their balances. */
function zeroedFunds(world: World, rebalancing: RebalanceDeps): readonly Fund[] {
  const { zeroedCount, zeroed } = rebalancing.methods;
  const funds = new Map<string, Fund>();
  const count = countOf(answer(rebalancing, zeroedCount));
  for (let i = 0n; i < count; i++) {
    const address = answer(rebalancing, zeroed, i).address(0);
    funds.set(mapKey(address), { address, amount: world.balance(address) });
  }
  return [...funds.values()];
}

/**
 * Returns the funds to set, each once with its last amount; none when the contract does not return their
 * number.
 */
function allocatedFunds(rebalancing: RebalanceDeps): readonly Fund[] {
  const { allocatedCount, allocated } = rebalancing.methods;
  const funds = new Map<string, Fund>();
  const counted = rebalancing.call(encodeCall(allocatedCount));
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

function answer({ call }: RebalanceDeps, signature: string, ...values: readonly AbiArgument[]): AbiTuple {
  const output = call(encodeCall(signature, ...values));
  if (output === undefined || output.length === 0) throw refusal(`no answer to ${signature}`);
  return new AbiTuple(output);
}

function sumOf(funds: readonly Fund[]): bigint {
  return funds.reduce((sum, { amount }) => sum + amount, 0n);
}

function setBalance(world: World, address: Address, amount: bigint): void {
  world.subtractBalance(address, world.balance(address));
  world.addBalance(address, amount);
}

function refusal(reason: string): GovernanceError {
  return new GovernanceError("bad-answer", reason);
}
