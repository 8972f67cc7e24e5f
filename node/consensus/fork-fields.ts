/** Rules of the header fields that forks added: randomness (KIP-114) and blob gas (EIP-4844, KIP-279). */
import type { Address } from "../bytes/brands.ts";
import { equalBytes } from "../bytes/compare.ts";
import type { HeaderOverrides } from "../chain/next-header.ts";
import type { BlobLimits } from "../config/blob-schedule.ts";
import type { Rules } from "../config/rules.ts";
import { excessBlobGas, GAS_PER_BLOB } from "../execution/blob-gas.ts";
import type { Header } from "../model/header.ts";
import { ConsensusError } from "./error.ts";
import { checkRandomFields, type RandomFieldDeps } from "./randomness.ts";

/** Dependencies of the rules. */
export interface ForkFieldDeps {
  readonly parent: Header;
  readonly rules: Rules;
  readonly blobs: BlobLimits;
  /** Randomness of the block; present where the rules have it. */
  readonly randomness: RandomFieldDeps | undefined;
  /** Members that a development chain has set. */
  readonly overrides?: HeaderOverrides;
}

/** Checks the random fields, then the blob gas. Throws `ConsensusError` `fork-fields`. */
export function checkForkFields(header: Header, author: Address, deps: ForkFieldDeps): void {
  if (deps.rules.randao) {
    if (deps.randomness === undefined) throw badForkFields("invalid randao fields");
    checkRandomFields(header, author, deps.randomness);
  } else if (hasRandomFields(header, deps.rules) && !isOverride(header, deps.overrides)) {
    throw badForkFields("unexpected randao fields");
  }
  checkBlobGas(header, deps);
}

/**
 * True for random fields of a block without randomness. Blob gas comes behind them in a header, so on a chain without the
 * Randao fork they are empty there. The Go node makes such headers and accepts its own, whose fields are nil; read from
 * the wire they are empty, and it refuses them: its networks cannot cross Osaka without Randao, this node's can.
 */
function hasRandomFields({ randomReveal, mixHash }: Header, { blobGas }: Rules): boolean {
  return [randomReveal, mixHash].some((field) => field !== undefined && (field.length > 0 || !blobGas));
}

function isOverride({ randomReveal, mixHash }: Header, { mixHash: wanted }: HeaderOverrides = {}): boolean {
  if (wanted === undefined || mixHash === undefined) return false;
  return equalBytes(mixHash, wanted) && randomReveal?.length === 0;
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
