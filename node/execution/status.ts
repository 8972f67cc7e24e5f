/** What a failure inside the EVM is in a receipt. */
import type { EvmFailure, EvmFailureCode } from "../evm/failure.ts";
import { STATUS_SUCCESS } from "../model/receipt-status.ts";

/** Any failure that has no status of its own. */
const VM_ERROR = 0x02;
const STATUSES: ReadonlyMap<EvmFailureCode, number> = new Map([
  ["depth", 0x03],
  ["address-collision", 0x04],
  ["code-store-out-of-gas", 0x05],
  ["code-size", 0x06],
  ["out-of-gas", 0x07],
  ["write-protection", 0x08],
  ["reverted", 0x09],
  ["computation-limit", 0x0a],
]);

/** Status and text of what the EVM says; texts and numbers are the Go node's (encoding.md 6.4). */
export function statusOf(failure: EvmFailure | undefined): {
  readonly status: number;
  readonly failure: string | undefined;
} {
  if (failure === undefined) return { status: STATUS_SUCCESS, failure: undefined };
  return { status: STATUSES.get(failure.code) ?? VM_ERROR, failure: failure.message };
}
