/** `eth`: the fork configuration (EIP-7910) and blob sidecars. */
import { crc32 } from "node:zlib";
import { toHex } from "../bytes/hex.ts";
import { toQuantity } from "../bytes/integer.ts";
import { blockNumber } from "../calls/arguments/block-number.ts";
import { blockAt } from "../calls/lookup.ts";
import type { Chain, TransactionPlace } from "../chain/chain.ts";
import { blobLimits } from "../config/blob-schedule.ts";
import { mainnet } from "../config/presets/networks.ts";
import { type EvmRevision, isRevisionSince } from "../config/rule-facts.ts";
import { ADDRESS_BOOK, REGISTRY } from "../governance/system-contracts.ts";
import { optional } from "../jsonrpc/codec.ts";
import { hash } from "../jsonrpc/codecs/hex.ts";
import { boolean, plain } from "../jsonrpc/codecs/plain.ts";
import { failure } from "../jsonrpc/errors.ts";
import { sortKeys } from "../jsonrpc/json-text.ts";
import { type Method, method } from "../jsonrpc/method.ts";
import {
  arraySchema,
  mapSchema,
  namedSchema,
  nullableSchema,
  plainSchemas,
  recordSchema,
  schemaRefs,
} from "../jsonrpc/schemas.ts";
import type { Transaction } from "../model/transaction.ts";
import type { BlobSidecar } from "../model/transaction-type.ts";
import type { Sidecars } from "../txpool/sidecars.ts";

/** Dependencies of the methods about forks and blobs. */
export interface EthConfigDeps {
  readonly chain: Chain;
  readonly sidecars: Pick<Sidecars, "sidecarAt">;
}

const { integer } = plainSchemas;
const { address, data, quantity, hash: hashSchema } = schemaRefs;

const forkConfigSchema = namedSchema("forkConfig", () => {
  const addresses = mapSchema("address by name", address);
  return recordSchema({
    blobSchedule: nullableSchema(
      recordSchema({ target: integer, max: integer, baseFeeUpdateFraction: integer }),
    ),
    chainId: quantity,
    forkId: data,
    precompiles: addresses,
    systemContracts: addresses,
  });
});
const forkConfigsSchema = recordSchema({
  current: forkConfigSchema,
  next: nullableSchema(forkConfigSchema),
  last: nullableSchema(forkConfigSchema),
});

const sidecarSchema = namedSchema("blobSidecar", () => {
  const list = arraySchema(data);
  return recordSchema({
    blobSidecar: recordSchema<BlobSidecar>({
      blobs: list,
      commitments: list,
      proofs: list,
      version: integer,
    }),
    blockHash: hashSchema,
    blockNumber: quantity,
    txHash: hashSchema,
    txIndex: quantity,
  });
});

/** The methods of `eth` about forks and blobs. */
export function ethConfigMethods(deps: EthConfigDeps): Method[] {
  return [
    method({
      name: "eth_config",
      summary:
        "Returns the current, next and last fork configuration: fork id, precompiled and system contracts (EIP-7910).",
      params: {},
      result: plain<object>("fork configurations", forkConfigsSchema),
      handle: () => forksJson(deps.chain),
    }),
    ...sidecarMethods(deps),
  ];
}

function forksJson(chain: Chain): object {
  const head = chain.head().header.number;
  const later = startsOf(chain).filter((start) => start > head);
  const [next] = later;
  const last = later.at(-1);
  return {
    current: forkJson(chain, head),
    next: next === undefined ? null : forkJson(chain, next),
    last: last === undefined ? null : forkJson(chain, last),
  };
}

/** Returns the blocks above 0 at which forks activate. */
function startsOf({ config }: Chain): readonly number[] {
  return [...new Set(config.forks.values())].filter((start) => start > 0).sort((a, b) => a - b);
}

function forkJson(chain: Chain, number: number): object {
  const { evm, blobGas, parentHashCall, randao } = chain.rules(number);
  const { target, max, baseFeeUpdateFraction } = blobLimits(chain.config);
  return {
    blobSchedule: blobGas ? { target, max, baseFeeUpdateFraction: Number(baseFeeUpdateFraction) } : null,
    chainId: toQuantity(chain.config.chainId),
    forkId: forkId(chain, number),
    precompiles: sortKeys(
      Object.fromEntries(
        precompiles.flatMap((row) => (isThere(row, evm) ? [[row[0], addressAt(row[1])]] : [])),
      ),
    ),
    systemContracts: sortKeys({
      ADDRESS_BOOK: toHex(ADDRESS_BOOK),
      ...(parentHashCall ? { HISTORY_STORAGE_ADDRESS: "0x0000f90827f1c53a10cb7a02335b175320002935" } : {}),
      ...(randao ? { REGISTRY: toHex(REGISTRY) } : {}),
      ...rebalancing(chain, number),
      ...(toHex(chain.genesisHash) === mainnet.genesisHash && !blobGas
        ? { MAINNET_CREDIT: addressAt(0) }
        : {}),
    }),
  };
}

/** Returns the treasury rebalancing contracts that are active at a block. */
function rebalancing({ config }: Chain, number: number): Readonly<Record<string, string>> {
  const { forks, kip103ContractAddress, kip160ContractAddress } = config;
  const hasBegun = (key: string): boolean => (forks.get(key) ?? Infinity) <= number;
  return {
    ...(hasBegun("kip103CompatibleBlock") ? { KIP103: toHex(kip103ContractAddress) } : {}),
    ...(hasBegun("kip160CompatibleBlock") ? { KIP160: toHex(kip160ContractAddress) } : {}),
  };
}

/** Computes the fork id of a block: the checksum of the genesis hash and the fork blocks (EIP-2124). */
function forkId(chain: Chain, number: number): string {
  let sum = crc32(chain.genesisHash);
  for (const start of startsOf(chain)) {
    if (start > number) break;
    const bytes = Buffer.alloc(8);
    bytes.writeBigUInt64BE(BigInt(start));
    sum = crc32(bytes, sum);
  }
  return `0x${sum.toString(16).padStart(8, "0")}`;
}

type Row = readonly [name: string, address: number, since: EvmRevision, until?: EvmRevision];

/** Precompiled contracts by their names in EIP-7910, with addresses and activation. */
const precompiles: readonly Row[] = [
  ["ECREC", 1, "base"],
  ["SHA256", 2, "base"],
  ["RIPEMD160", 3, "base"],
  ["ID", 4, "base"],
  ["MODEXP", 5, "base"],
  ["BN254_ADD", 6, "base"],
  ["BN254_MUL", 7, "base"],
  ["BN254_PAIRING", 8, "base"],
  ["VMLOG", 0x9, "base", "istanbul"],
  ["FEE_PAYER", 0xa, "base", "istanbul"],
  ["VALIDATE_SENDER", 0xb, "base", "istanbul"],
  ["BLAKE2F", 9, "istanbul"],
  ["VMLOG", 0x3fd, "istanbul"],
  ["FEE_PAYER", 0x3fe, "istanbul"],
  ["VALIDATE_SENDER", 0x3ff, "istanbul"],
  ["KZG_POINT_EVALUATION", 0xa, "cancun"],
  ["BLS12_G1ADD", 0xb, "prague"],
  ["BLS12_G1MSM", 0xc, "prague"],
  ["BLS12_G2ADD", 0xd, "prague"],
  ["BLS12_G2MSM", 0xe, "prague"],
  ["BLS12_PAIRING_CHECK", 0xf, "prague"],
  ["BLS12_MAP_FP_TO_G1", 0x10, "prague"],
  ["BLS12_MAP_FP2_TO_G2", 0x11, "prague"],
  ["P256VERIFY", 0x100, "osaka"],
];

function isThere([, , since, until]: Row, revision: EvmRevision): boolean {
  return isRevisionSince(revision, since) && (until === undefined || !isRevisionSince(revision, until));
}

function addressAt(number: number): string {
  return `0x${number.toString(16).padStart(40, "0")}`;
}

/** The methods about blob sidecars, which stay for 21 days after their block. */
function sidecarMethods({ chain, sidecars }: EthConfigDeps): Method[] {
  const answer = (place: TransactionPlace, transaction: Transaction, full: boolean): object => {
    const sidecar = sidecars.sidecarAt(place);
    if (sidecar === undefined) throw failure("blob file not found");
    return {
      blobSidecar: sidecarJson(sidecar, full),
      blockHash: toHex(place.block.hash),
      blockNumber: toQuantity(place.block.header.number),
      txHash: toHex(transaction.hash),
      txIndex: toQuantity(place.index),
    };
  };
  return [
    method({
      name: "eth_getBlobSidecars",
      summary: "Returns the blob sidecars of a block's transactions; an error when one of them is not kept.",
      params: { number: optional(blockNumber, "latest" as const), full: boolean },
      result: plain<readonly object[]>("sidecars", arraySchema(sidecarSchema)),
      handle: ({ number, full }) => {
        if (number === "pending") throw failure("pending block not supported");
        const block = blockAt(chain, number);
        return block.transactions.flatMap((transaction, index) =>
          hasBlobs(transaction) ? [answer({ block, index }, transaction, full)] : [],
        );
      },
    }),
    method({
      name: "eth_getBlobSidecarByTxHash",
      summary: "Returns the blob sidecar of a mined transaction; an error when it is not kept.",
      params: { hash, full: boolean },
      result: plain<object>("sidecar", sidecarSchema),
      handle: (args) => {
        const place = chain.findTransaction(args.hash);
        const transaction = place?.block.transactions[place.index];
        if (place === undefined || transaction === undefined) {
          throw failure(`transaction not found: ${toHex(args.hash)}`);
        }
        if (!hasBlobs(transaction)) {
          throw failure(`transaction is not a blob transaction: ${toHex(args.hash)}`);
        }
        return answer(place, transaction, args.full);
      },
    }),
  ];
}

function hasBlobs({ fields }: Transaction): boolean {
  return fields.blobVersionedHashes !== undefined;
}

function sidecarJson({ blobs, commitments, proofs, version }: BlobSidecar, full: boolean): object {
  return {
    blobs: blobs.map((blob) => toHex(full ? blob : blob.subarray(0, BLOB_START))),
    commitments: commitments.map(toHex),
    proofs: proofs.map(toHex),
    version,
  };
}

/** Number of bytes that the abbreviated form of a blob has. */
const BLOB_START = 32;
