import type { ChainConfig } from "./chain-config.ts";

/** How many blobs a chain allows (EIP-4844): as many as the target in the long run, `max` in a block or transaction. */
export interface BlobLimits {
  readonly target: number;
  readonly max: number;
  readonly baseFeeUpdateFraction: bigint;
}

/** What holds where a chain's configuration does not say. */
const DEFAULT: BlobLimits = { target: 1, max: 1, baseFeeUpdateFraction: 5_007_716n };

/** The limits of `blobSchedule.osaka` (encoding.md 7.1). */
export function blobLimits({ kept }: Pick<ChainConfig, "kept">): BlobLimits {
  const { osaka } = (kept.blobSchedule ?? {}) as { osaka?: Readonly<Record<string, unknown>> };
  return {
    target: count(osaka?.["target"]) ?? DEFAULT.target,
    max: count(osaka?.["max"]) ?? DEFAULT.max,
    baseFeeUpdateFraction: BigInt(count(osaka?.["baseFeeUpdateFraction"]) ?? DEFAULT.baseFeeUpdateFraction),
  };
}

/** A number of a document that was parsed as it came; undefined for what is none. */
function count(value: unknown): number | undefined {
  const number = typeof value === "bigint" ? Number(value) : value;
  return typeof number === "number" && Number.isSafeInteger(number) && number >= 0 ? number : undefined;
}
