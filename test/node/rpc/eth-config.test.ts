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
  const rows = ethConfigMethods({ chain: open.chain, sidecars: { sidecarAt: () => undefined } });
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

const plain = decodeTransaction(
  fromHex(transactionSamples().find(({ name }) => name === "00_Legacy")?.raw ?? "0x"),
);
const block = { header: { number: 300 }, hash: new Uint8Array(32).fill(9), transactions: [plain, bare] };

function sidecarRows(kept: boolean) {
  const chain = {
    head: () => block,
    findTransaction: (wanted: Uint8Array) => {
      const index = block.transactions.findIndex((each) => toHex(each.hash) === toHex(wanted));
      return index < 0 ? undefined : { block, index };
    },
  } as unknown as Chain; // what is asked of it
  const sidecars = { sidecarAt: () => (kept ? sent.fields.sidecar : undefined) };
  return ethConfigMethods({ chain, sidecars });
}

test("sidecars of mined transactions are returned, whole or abbreviated, with their place", async () => {
  const { sidecar } = sent.fields;
  const [blob = new Uint8Array(0)] = sidecar?.blobs ?? [];
  const reported = (text: string) => ({
    blobSidecar: {
      blobs: [text],
      commitments: sidecar?.commitments.map(toHex),
      proofs: sidecar?.proofs.map(toHex),
      version: sidecar?.version,
    },
    blockHash: toHex(block.hash),
    blockNumber: "0x12c",
    txHash: toHex(bare.hash),
    txIndex: "0x1",
  });
  const rows = sidecarRows(true);
  const byHash = (full: boolean) => askRow(rows, "eth_getBlobSidecarByTxHash", toHex(bare.hash), full);
  expect(JSON.stringify(await byHash(true))).toBe(JSON.stringify(reported(toHex(blob))));
  expect(await byHash(false)).toEqual(reported(toHex(blob.subarray(0, 32))));
  expect(await askRow(rows, "eth_getBlobSidecars", "latest", true)).toEqual([reported(toHex(blob))]);
});

test.each([
  ["eth_getBlobSidecars", "latest", "blob file not found"],
  ["eth_getBlobSidecars", "pending", "pending block not supported"],
  ["eth_getBlobSidecarByTxHash", toHex(bare.hash), "blob file not found"],
  [
    "eth_getBlobSidecarByTxHash",
    toHex(plain.hash),
    `transaction is not a blob transaction: ${toHex(plain.hash)}`,
  ],
  [
    "eth_getBlobSidecarByTxHash",
    at("1").padEnd(66, "0"),
    `transaction not found: ${at("1").padEnd(66, "0")}`,
  ],
])("%s of %s: %s", async (name, param, message) => {
  await expect(askRow(sidecarRows(false), name, param, true)).rejects.toMatchObject({ message });
});
