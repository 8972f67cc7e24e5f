/** The gas that Ethereum's kinds of transaction owe before they run (yellow paper 6.2, with the chain's own prices). */
import type { InputGas } from "../config/rule-facts.ts";
import type { Rules } from "../config/rules.ts";
import type { TransactionContent } from "./transaction-type.ts";

const CALL_GAS = 21_000n;
const CREATE_GAS = 53_000n;
const ACCESS_ADDRESS_GAS = 2_400n;
const ACCESS_KEY_GAS = 1_900n;
/** Tokens in a byte that is not zero (EIP-7623). */
const NON_ZERO_TOKENS = 4n;

/** Base, input, code to be run (EIP-3860) and access list (EIP-2930). */
export function intrinsicGasOf(content: TransactionContent, input: InputGas, rules: Rules): bigint {
  const { zeros, others } = countBytes(content.input);
  const gas = input.zero * zeros + input.nonZero * others + accessListGas(content);
  if (content.to !== undefined) return CALL_GAS + gas;
  return CREATE_GAS + gas + rules.initcodeWordGas * BigInt(Math.ceil(content.input.length / 32));
}

/** The floor of EIP-7623; 0 where the rules have none. */
export function floorGasOf(content: TransactionContent, rules: Rules): bigint {
  if (rules.floorTokenGas === 0n) return 0n;
  const { zeros, others } = countBytes(content.input);
  return CALL_GAS + rules.floorTokenGas * (zeros + NON_ZERO_TOKENS * others);
}

function accessListGas({ fields }: TransactionContent): bigint {
  let gas = 0n;
  for (const { storageKeys } of fields.accessList ?? []) {
    gas += ACCESS_ADDRESS_GAS + ACCESS_KEY_GAS * BigInt(storageKeys.length);
  }
  return gas;
}

function countBytes(input: Uint8Array): { zeros: bigint; others: bigint } {
  let zeros = 0;
  for (const byte of input) if (byte === 0) zeros++;
  return { zeros: BigInt(zeros), others: BigInt(input.length - zeros) };
}
