/** The gas that a transaction owes before it runs (yellow paper 6.2, with the chain's own prices). */
import type { InputGas } from "../config/rule-facts.ts";
import type { Rules } from "../config/rules.ts";
import type { TransactionContent } from "./transaction-type.ts";

/** Of a transaction that calls, and of one that makes a contract. */
export const CALL_GAS = 21_000n;
export const CREATE_GAS = 53_000n;

const ACCESS_ADDRESS_GAS = 2_400n;
const ACCESS_KEY_GAS = 1_900n;
/** Of an authorization (EIP-7702), before what an account that exists already gets back. */
export const AUTHORIZATION_GAS = 25_000n;
/** Tokens in a byte that is not zero (EIP-7623). */
const NON_ZERO_TOKENS = 4n;

/** What Ethereum's kinds owe: base, input, code to be run, access list (EIP-2930), authorizations (EIP-7702). */
export function intrinsicGasOf(content: TransactionContent, price: InputGas, rules: Rules): bigint {
  const gas = inputGas(content.input, price) + listGas(content);
  if (content.to !== undefined) return CALL_GAS + gas;
  return CREATE_GAS + gas + initcodeGas(content.input, rules);
}

/** The floor of EIP-7623 for Ethereum's kinds; 0 where the rules have none. */
export function floorGasOf(content: TransactionContent, rules: Rules): bigint {
  return floorGasAbove(CALL_GAS, content.input, rules);
}

/** What input costs by its bytes. */
export function inputGas(input: Uint8Array, price: InputGas): bigint {
  const { zeros, others } = countBytes(input);
  return price.zero * zeros + price.nonZero * others;
}

/** What code to be run costs by its words (EIP-3860). */
export function initcodeGas(code: Uint8Array, rules: Rules): bigint {
  return rules.initcodeWordGas * BigInt(Math.ceil(code.length / 32));
}

/** The floor of EIP-7623 over what the kind costs without input; 0 where the rules have none. */
export function floorGasAbove(base: bigint, input: Uint8Array, rules: Rules): bigint {
  if (rules.floorTokenGas === 0n) return 0n;
  const { zeros, others } = countBytes(input);
  return base + rules.floorTokenGas * (zeros + NON_ZERO_TOKENS * others);
}

function listGas({ fields }: TransactionContent): bigint {
  let gas = AUTHORIZATION_GAS * BigInt(fields.authorizationList?.length ?? 0);
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
