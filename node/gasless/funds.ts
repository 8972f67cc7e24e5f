/** Checks of gasless transactions in place of their sender's balance (`kaiax/gasless/impl/tx_pool.go@v2.2.2`). */
import type { Address } from "../bytes/brands.ts";
import { equalBytes } from "../bytes/compare.ts";
import { checksumAddress } from "../crypto/checksum.ts";
import { EMPTY_HASH } from "../crypto/keccak.ts";
import { AbiTuple, encodeCall } from "../governance/abi.ts";
import type { ContractReader } from "../governance/contract-reader.ts";
import { GovernanceError } from "../governance/error.ts";
import { PoolError } from "../txpool/error.ts";
import { type Approval, addressArgument, type Swap } from "./calls.ts";

/** The contracts at the head, and the level of `--gasless.balance-check-level`. */
export interface FundsFacts {
  readonly reader: ContractReader;
  readonly checkLevel: number;
}

/** The same for a swap: with the head's time, in seconds, and the transaction's nonce. */
export interface SwapSite extends FundsFacts {
  readonly time: number;
  readonly nonce: bigint;
}

const TOKEN_LEVEL = 1;
const AMOUNT_LEVEL = 2;
const CODE_LEVEL = 3;

/** Checks an approval. Throws `PoolError` `insufficient-funds`. */
export function checkApproval({ sender, token }: Approval, facts: FundsFacts): void {
  checkCode(sender, facts);
  if (facts.checkLevel < TOKEN_LEVEL || balanceOf(facts.reader, token, sender) > 0n) return;
  throw refusal(`insufficient sender token balance: token=${checksumAddress(token)}, have=0, want=nonzero`);
}

/** Checks a swap. Throws `PoolError` `insufficient-funds`. */
export function checkSwap(swap: Swap, facts: SwapSite): void {
  const { minAmountOut, amountRepay, deadline } = swap;
  if (minAmountOut < amountRepay) {
    throw refusal(`insufficient minAmountOut: minAmountOut=${minAmountOut}, amountRepay=${amountRepay}`);
  }
  checkCode(swap.sender, facts);
  if (facts.checkLevel >= AMOUNT_LEVEL) checkAmount(swap, facts);
  if (facts.checkLevel >= TOKEN_LEVEL) checkToken(swap, facts);
  if (deadline < BigInt(facts.time)) {
    throw refusal(`insufficient deadline: deadline=${deadline}, want=${facts.time}`);
  }
}

function checkCode(sender: Address, { reader, checkLevel }: FundsFacts): void {
  if (checkLevel < CODE_LEVEL) return;
  const { codeHash = EMPTY_HASH } = reader.account(sender) ?? {};
  if (!equalBytes(codeHash, EMPTY_HASH)) throw refusal("sender with code is not allowed");
}

function checkAmount({ router, token, amountIn, minAmountOut }: Swap, { reader }: FundsFacts): void {
  const input = encodeCall("getAmountIn(address,uint256)", addressArgument(token), minAmountOut);
  const needed = integerFrom(reader, router, input);
  if (amountIn < needed) throw refusal(`insufficient amountIn: have=${amountIn}, want=${needed}`);
}

function checkToken({ sender, router, token, amountIn }: Swap, { reader, nonce }: SwapSite): void {
  if (nonce === (reader.account(sender)?.nonce ?? 0n)) {
    const accounts = [addressArgument(sender), addressArgument(router)];
    const approval = integerFrom(reader, token, encodeCall("allowance(address,address)", ...accounts));
    if (approval < amountIn) throw refusal(`insufficient approval: approval=${approval}, want=${amountIn}`);
  }
  const balance = balanceOf(reader, token, sender);
  if (balance < amountIn) throw refusal(`insufficient balance: balance=${balance}, want=${amountIn}`);
}

function balanceOf(reader: ContractReader, token: Address, owner: Address): bigint {
  return integerFrom(reader, token, encodeCall("balanceOf(address)", addressArgument(owner)));
}

function integerFrom(reader: ContractReader, contract: Address, input: Uint8Array): bigint {
  const output = reader.call(contract, input);
  if (output === undefined) throw refusal("execution reverted");
  try {
    return new AbiTuple(output).integer(0);
  } catch (error) {
    if (error instanceof GovernanceError) throw refusal(error.message);
    throw error;
  }
}

function refusal(message: string): PoolError {
  return new PoolError("insufficient-funds", message);
}
