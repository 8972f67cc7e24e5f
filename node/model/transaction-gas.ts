/**
 * Intrinsic gas of transactions (yellow paper, section 6.2, with Kaia's own prices) and the floor of
 * EIP-7623.
 */
import type { InputGas } from "../config/rule-facts.ts";
import type { Rules } from "../config/rules.ts";
import type { TransactionContent } from "./transaction-type.ts";

/** Base gas of a call. */
export const CALL_GAS = 21_000n;
/** Base gas of a creation. */
export const CREATE_GAS = 53_000n;

const ACCESS_ADDRESS_GAS = 2_400n;
const ACCESS_KEY_GAS = 1_900n;
/** Gas of an authorization (EIP-7702), before the refund for an account that exists. */
export const AUTHORIZATION_GAS = 25_000n;
/** Tokens of a non-zero byte (EIP-7623). */
const NON_ZERO_TOKENS = 4n;

/**
 * Returns the intrinsic gas of Ethereum's types: base, input, init code, access list (EIP-2930),
 * authorizations (EIP-7702).
 */
export function intrinsicGasOf(content: TransactionContent, price: InputGas, rules: Rules): bigint {
  const gas = inputGas(content.input, price) + listGas(content);
  if (content.to !== undefined) return CALL_GAS + gas;
  return CREATE_GAS + gas + initcodeGas(content.input, rules);
}

/** Returns the floor of EIP-7623 for Ethereum's types; 0 before Prague. */
export function floorGasOf(content: TransactionContent, rules: Rules): bigint {
  return floorGasAbove(CALL_GAS, content.input, rules);
}

/** Returns the gas of input by its zero and non-zero bytes. */
export function inputGas(input: Uint8Array, price: InputGas): bigint {
  const { zeros, others } = countBytes(input);
  return price.zero * zeros + price.nonZero * others;
}

/** Returns the gas of init code by its words (EIP-3860). */
export function initcodeGas(code: Uint8Array, rules: Rules): bigint {
  return rules.initcodeWordGas * BigInt(Math.ceil(code.length / 32));
}

/** Returns the floor of EIP-7623 above a type's base gas; 0 before Prague. */
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
