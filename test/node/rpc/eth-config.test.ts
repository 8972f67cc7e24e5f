/** `eth_config` (EIP-7910) of a chain with future forks. Expected results were recorded from a Go node 2.2.1. */
import { expect, test } from "@jest/globals";
import { fromHex, toHex } from "../../../node/bytes/hex.ts";
import type { Chain } from "../../../node/chain/chain.ts";
import { parseGenesis } from "../../../node/config/genesis.ts";
import { bareTransaction } from "../../../node/model/bare-transaction.ts";
import { decodeTransaction } from "../../../node/model/transaction.ts";
import { ethConfigMethods } from "../../../node/rpc/eth-config.ts";
import { askRow } from "../../support/ask-row.ts";
import { aChain } from "../../support/chain.ts";
import { makerGenesis } from "../../support/transfer-chain.ts";
import { transactionSamples } from "../model/samples.ts";

const at = (digits: string): string => `0x${digits.padStart(40, "0")}`;
const EARLY = ["istanbul", "london", "ethTxType", "magma", "kore", "shanghai", "cancun"];

const nothing = () => undefined;
const noPool = { get: nothing, minedBlobs: nothing, wire: () => new Uint8Array(0) };

test("future forks have their fork id, blob schedule and contracts", async () => {
  const config = {
    ...Object.fromEntries(EARLY.map((name) => [`${name}CompatibleBlock`, 0])),
    kip103CompatibleBlock: 3,
    kip103ContractAddress: at("5007"),
    randaoCompatibleBlock: 5,
    kip160CompatibleBlock: 7,
    kip160ContractAddress: at("5008"),
    kaiaCompatibleBlock: 7,
    pragueCompatibleBlock: 7,
    osakaCompatibleBlock: 9,
    blobSchedule: { osaka: { target: 2, max: 4, baseFeeUpdateFraction: 99 } },
    randaoRegistry: { records: { KIP113: at("5006") }, owner: at("1") },
  };
  await using open = await aChain(parseGenesis(makerGenesis({}, config)));
  const rows = ethConfigMethods({ chain: open.chain, pool: noPool });
  expect(await askRow(rows, "eth_config")).toMatchObject({
    current: {
      blobSchedule: null,
      chainId: "0x2329",
      forkId: "0x6102f05a",
      systemContracts: { ADDRESS_BOOK: at("400") },
    },
    next: {
      blobSchedule: null,
      forkId: "0xb529a4f2",
      systemContracts: { ADDRESS_BOOK: at("400"), KIP103: at("5007") },
    },
    last: {
      blobSchedule: { target: 2, max: 4, baseFeeUpdateFraction: 99 },
      forkId: "0x3554d38c",
      systemContracts: {
        ADDRESS_BOOK: at("400"),
        HISTORY_STORAGE_ADDRESS: "0x0000f90827f1c53a10cb7a02335b175320002935",
        KIP103: at("5007"),
        KIP160: at("5008"),
        REGISTRY: at("401"),
      },
    },
  });
});

const sample = transactionSamples().find(({ name }) => name === "sidecar/blob/one");
const sent = decodeTransaction(fromHex(sample?.raw ?? "0x"));
const bare = bareTransaction(sent);

/** Requests the blobs of a sample that is pending, in a block, or both. */
function blobsOf(
  where: { waits?: boolean; mined?: boolean; kept?: boolean },
  full: boolean,
): Promise<unknown> {
  const place = where.mined === true ? { block: { transactions: [bare] }, index: 0 } : undefined;
  const chain = { findTransaction: () => place } as unknown as Chain; // what is asked of it
  const pool = {
    get: () => (where.waits === true ? bare : undefined),
    wire: () => sent.raw,
    minedBlobs: () => (where.kept === true ? sent.fields.sidecar : undefined),
  };
  return askRow(ethConfigMethods({ chain, pool }), "eth_getBlobSidecarByTxHash", toHex(bare.hash), full);
}

test("blobs of a pending or recently mined transaction are returned, whole or abbreviated", async () => {
  const { sidecar } = sent.fields;
  const [blob = new Uint8Array(0)] = sidecar?.blobs ?? [];
  const reported = {
    txHash: toHex(bare.hash),
    blobSidecar: {
      version: sidecar?.version,
      blobs: [toHex(blob)],
      commitments: sidecar?.commitments.map(toHex),
      proofs: sidecar?.proofs.map(toHex),
    },
  };
  expect(await blobsOf({ waits: true }, true)).toEqual(reported);
  expect(await blobsOf({ mined: true, kept: true }, true)).toEqual(reported);
  const short = {
    ...reported,
    blobSidecar: { ...reported.blobSidecar, blobs: [toHex(blob.subarray(0, 32))] },
  };
  expect(await blobsOf({ waits: true }, false)).toEqual(short);
  await expect(blobsOf({}, true)).rejects.toMatchObject({
    message: `transaction not found: ${toHex(bare.hash)}`,
  });
  await expect(blobsOf({ mined: true }, true)).rejects.toMatchObject({
    message: "blob sidecars are not kept after their transaction is in a block",
  });
});
