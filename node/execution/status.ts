/** What a failure inside the EVM is in a receipt. */
import type { EvmFailure } from "../evm/failure.ts";
import { STATUS_SUCCESS, STATUS_TEXTS } from "../model/receipt-status.ts";

/** Any failure that has no status of its own. */
const VM_ERROR = 0x02;
const BY_TEXT = new Map([...STATUS_TEXTS].map(([status, text]) => [text, status]));

/** Status and text of what the EVM says; texts and numbers are the Go node's (encoding.md 6.4). */
export function statusOf(failure: EvmFailure | undefined): {
  readonly status: number;
  readonly failure: string | undefined;
} {
  if (failure === undefined) return { status: STATUS_SUCCESS, failure: undefined };
  return { status: BY_TEXT.get(failure.message) ?? VM_ERROR, failure: failure.message };
}
