/** Header fields that later forks brought, and what their absence before means. */
import type { BlobLimits } from "../config/blob-schedule.ts";
import type { Rules } from "../config/rules.ts";
import { excessBlobGas, GAS_PER_BLOB } from "../execution/blob-gas.ts";
import type { Header } from "../model/header.ts";
import { ConsensusError } from "./error.ts";
import { checkRandomFields, type RandomContext } from "./randomness.ts";

/** What the fields are judged against. */
export interface ForkFieldContext {
  readonly parent: Header;
  readonly rules: Rules;
  readonly blobs: BlobLimits;
  /** Of the block, where its rules have randomness. */
  readonly randomness: RandomContext | undefined;
}

/** Random fields first, then blob gas. Throws `ConsensusError` `fork-fields`. */
export function checkForkFields(header: Header, author: Uint8Array, context: ForkFieldContext): void {
  if (context.rules.randao) {
    if (context.randomness === undefined) throw bad("invalid randao fields");
    checkRandomFields(header, author, context.randomness);
  } else if (header.randomReveal !== undefined || header.mixHash !== undefined) {
    throw bad("unexpected randao fields");
  }
  checkBlobGas(header, context);
}

function checkBlobGas(header: Header, { parent, rules, blobs }: ForkFieldContext): void {
  const { excessBlobGas: excess, blobGasUsed: used } = header;
  if (!rules.blobGas) {
    if (excess !== undefined) throw bad("unexpected excessBlobGas before osaka");
    if (used !== undefined) throw bad("unexpected blobGasUsed before osaka");
    return;
  }
  if (excess === undefined) throw bad("header is missing excessBlobGas");
  if (used === undefined) throw bad("header is missing blobGasUsed");
  const most = BigInt(blobs.max) * GAS_PER_BLOB;
  if (used > most) throw bad(`blob gas used ${used} exceeds maximum allowance ${most}`);
  if (used % GAS_PER_BLOB !== 0n) {
    throw bad(`blob gas used ${used} not a multiple of blob gas per blob ${GAS_PER_BLOB}`);
  }
  const want = excessBlobGas(parent, blobs);
  if (excess !== want) throw bad(`invalid excessBlobGas: have ${excess}, want ${want}`);
}

function bad(message: string): ConsensusError {
  return new ConsensusError("fork-fields", message);
}
