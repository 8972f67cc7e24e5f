/** Blocks of a reading by what callers name. */

import { failure } from "../jsonrpc/errors.ts";
import { noBlock } from "../presenters/not-found.ts";
import { type BlockNumber, numberAt } from "./arguments/block-number.ts";
import type { ChainReading } from "./chain-reading.ts";
import type { TracedBlock } from "./traces/trace-transaction.ts";

/** The number that a caller means; `pending` is made by nobody in advance. Throws `RpcError`. */
export function positionOf({ head }: Pick<ChainReading, "head">, number: BlockNumber): number {
  if (number === "pending") throw failure("pending block is not prepared yet");
  return numberAt(head, number);
}

/** A block by its number. Throws `RpcError`. */
export function blockIn(reading: ChainReading, number: number): TracedBlock {
  const header = number <= reading.head ? reading.header(number) : undefined;
  const transactions = header && reading.transactions(number);
  if (header === undefined || transactions === undefined) throw noBlock(number);
  return { header, transactions };
}

/** A block by its hash. Throws `RpcError`. */
export function blockOfHash(reading: ChainReading, wanted: Uint8Array): TracedBlock {
  const number = reading.numberOf(wanted);
  if (number === undefined) throw noBlock(wanted);
  return blockIn(reading, number);
}
