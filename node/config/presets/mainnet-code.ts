/**
 * Contract codes of the main network from `mainnet-code.br`, which holds them one after the other, packed by Brotli.
 * The credit contract is three megabytes of pictures in base64.
 */
import { readFileSync } from "node:fs";
import { brotliDecompressSync } from "node:zlib";

/** Codes of the main network. */
export interface MainnetCode {
  /** Address book of block 0. */
  readonly addressBook: Uint8Array;
  /** Credit contract of block 0. */
  readonly credit: Uint8Array;
  /** Credit contract from the block before Kaia to the block before Osaka (`contracts/contracts/system_contracts/misc/CypressCreditV2.sol@v2.2.2`, solc 0.4.24). */
  readonly creditV2: Uint8Array;
}

const ADDRESS_BOOK_BYTES = 23_621;
const CREDIT_BYTES = 729_555;

/** Unpacks the codes. Nothing is kept: they take four megabytes and are needed once or never. */
export function mainnetCode(): MainnetCode {
  const codes = brotliDecompressSync(readFileSync(new URL("./mainnet-code.br", import.meta.url)));
  const end = ADDRESS_BOOK_BYTES + CREDIT_BYTES;
  return {
    addressBook: codes.subarray(0, ADDRESS_BOOK_BYTES),
    credit: codes.subarray(ADDRESS_BOOK_BYTES, end),
    creditV2: codes.subarray(end),
  };
}
