/** Header fields that later forks brought, and what their absence before means. */
import type { BlobLimits } from "../config/blob-schedule.ts";
import type { Rules } from "../config/rules.ts";
import { excessBlobGas, GAS_PER_BLOB } from "../execution/blob-gas.ts";
import type { Header } from "../model/header.ts";
import { ConsensusError } from "./error.ts";
import { checkRandomFields, type RandomFieldDeps } from "./randomness.ts";

/** What the fields are judged against. */
export interface ForkFieldDeps {
  readonly parent: Header;
  readonly rules: Rules;
  readonly blobs: BlobLimits;
  /** Of the block, where its rules have randomness. */
  readonly randomness: RandomFieldDeps | undefined;
}

/** Random fields first, then blob gas. Throws `ConsensusError` `fork-fields`. */
export function checkForkFields(header: Header, author: Uint8Array, context: ForkFieldDeps): void {
  if (context.rules.randao) {
    if (context.randomness === undefined) throw badForkFields("invalid randao fields");
    checkRandomFields(header, author, context.randomness);
  } else if (header.randomReveal !== undefined || header.mixHash !== undefined) {
    throw badForkFields("unexpected randao fields");
  }
  checkBlobGas(header, context);
}

function checkBlobGas(header: Header, { parent, rules, blobs }: ForkFieldDeps): void {
  const { excessBlobGas: excess, blobGasUsed: used } = header;
  if (!rules.blobGas) {
    if (excess !== undefined) throw badForkFields("unexpected excessBlobGas before osaka");
    if (used !== undefined) throw badForkFields("unexpected blobGasUsed before osaka");
    return;
  }
  if (excess === undefined) throw badForkFields("header is missing excessBlobGas");
  if (used === undefined) throw badForkFields("header is missing blobGasUsed");
  const most = BigInt(blobs.max) * GAS_PER_BLOB;
  if (used > most) throw badForkFields(`blob gas used ${used} exceeds maximum allowance ${most}`);
  if (used % GAS_PER_BLOB !== 0n) {
    throw badForkFields(`blob gas used ${used} not a multiple of blob gas per blob ${GAS_PER_BLOB}`);
  }
  const want = excessBlobGas(parent, blobs);
  if (excess !== want) throw badForkFields(`invalid excessBlobGas: have ${excess}, want ${want}`);
}

function badForkFields(message: string): ConsensusError {
  return new ConsensusError("fork-fields", message);
}
