/** Failures of frames with the texts of `blockchain/vm/errors.go@v2.2.2`. */
export type EvmFailureCode =
  | "code-store-out-of-gas"
  | "depth"
  | "insufficient-balance"
  | "address-collision"
  | "computation-limit"
  | "write-protection"
  | "return-data-out-of-bounds"
  | "reverted"
  | "code-size"
  | "invalid-jump"
  | "invalid-code"
  | "nonce-overflow"
  | "out-of-gas"
  | "gas-overflow"
  | "invalid-opcode"
  | "stack-underflow"
  | "stack-overflow"
  | "reserved-address"
  | "precompile-failed";

/** A frame's failure: a stable `code`, and the Go node's text as `message`. */
export interface EvmFailure {
  readonly code: EvmFailureCode;
  readonly message: string;
}

const TEXTS = {
  "code-store-out-of-gas": "contract creation code storage out of gas",
  depth: "max call depth exceeded",
  "insufficient-balance": "insufficient balance for transfer",
  "address-collision": "contract address collision",
  "computation-limit": "reached the opcode computation cost limit",
  "write-protection": "evm: write protection",
  "return-data-out-of-bounds": "evm: return data out of bounds",
  reverted: "evm: execution reverted",
  "code-size": "evm: max code size exceeded",
  "invalid-jump": "evm: invalid jump destination",
  "invalid-code": "invalid code: must not begin with 0xef",
  "nonce-overflow": "nonce uint64 overflow",
  "out-of-gas": "out of gas",
  "gas-overflow": "gas uint64 overflow",
  "reserved-address": "the address is reserved for pre-compiled contracts",
} as const satisfies Partial<Record<EvmFailureCode, string>>;

/** Failures with a constant text, one shared object each. */
export const failures: Readonly<Record<keyof typeof TEXTS, EvmFailure>> = Object.fromEntries(
  Object.entries(TEXTS).map(([code, message]) => [code, { code, message }]),
) as Record<keyof typeof TEXTS, EvmFailure>; // one entry for each text, and nothing else

/** Returns the failure of an opcode that the revision in force does not have. */
export function invalidOpcode(op: number): EvmFailure {
  return { code: "invalid-opcode", message: `invalid opcode 0x${op.toString(16)}` };
}

/** Returns the failure of an opcode that needs more words than the stack has. */
export function stackUnderflow(words: number, needed: number): EvmFailure {
  return { code: "stack-underflow", message: `stack underflow (${words} <=> ${needed})` };
}

/** Returns the failure of an opcode that would leave more than 1,024 words. */
export function stackOverflow(words: number, limit: number): EvmFailure {
  return { code: "stack-overflow", message: `stack limit reached ${words} (${limit})` };
}

/** Returns the failure of a precompiled contract. */
export function precompileFailure(message = "precompiled contract failed"): EvmFailure {
  return { code: "precompile-failed", message };
}
