/** Blob limits of a chain (EIP-4844) from `blobSchedule` of its configuration. */
import type { ChainConfig } from "./chain-config.ts";

/** Maximum number of blobs of a transaction under any schedule (`params/protocol_params.go@v2.2.2`). */
export const MAX_TRANSACTION_BLOBS = 1;

/** Blob limits: `target` blobs a block on average, at most `max` in a block. */
export interface BlobLimits {
  readonly target: number;
  readonly max: number;
  readonly baseFeeUpdateFraction: bigint;
}

/** Limits of a chain whose configuration has none. */
const DEFAULT: BlobLimits = { target: 1, max: 1, baseFeeUpdateFraction: 5_007_716n };

/** Returns the limits of `blobSchedule.osaka`, whose absent members are 0 (`params/config.go@v2.2.2`). */
export function blobLimits({ verbatim }: Pick<ChainConfig, "verbatim">): BlobLimits {
  const { osaka } = (verbatim.blobSchedule ?? {}) as { osaka?: Readonly<Record<string, unknown>> | null };
  if (osaka === undefined || osaka === null) return DEFAULT;
  return {
    target: count(osaka["target"]),
    max: count(osaka["max"]),
    baseFeeUpdateFraction: BigInt(count(osaka["baseFeeUpdateFraction"])),
  };
}

/** Returns an unsigned integer of parsed JSON, or 0 for any other value. */
function count(value: unknown): number {
  const number = typeof value === "bigint" ? Number(value) : value;
  return typeof number === "number" && Number.isSafeInteger(number) && number >= 0 ? number : 0;
}
