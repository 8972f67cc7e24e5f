/** Blob transactions of viem and ethers on `knit dev --hardfork osaka`: their sidecars have proofs of blobs alone. */
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { JsonRpcProvider, Wallet } from "ethers";
import { createWalletClient, defineChain, http, publicActions, stringToHex, toBlobs } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import type { KzgBackend } from "../../node/crypto/kzg-backend.ts";
import { loadNativeKzg } from "../../node/crypto/kzg-native.ts";
import { loadWasmKzg } from "../../node/crypto/kzg-wasm.ts";
import { type DevNode, fundedKey, startDevNode } from "../support/dev-node.ts";
import { runKnit } from "../support/knit-process.ts";
import { call } from "../support/rpc-client.ts";

const TO = "0x2222222222222222222222222222222222222222";
const FEE_PER_BLOB_GAS = 400_000_000_000n;

let node: DevNode;
let backend: KzgBackend;

const ask = (method: string, ...params: unknown[]): Promise<unknown> => call(node.http, method, ...params);

beforeAll(async () => {
  node = await startDevNode("--hardfork", "osaka");
  backend = loadNativeKzg() ?? (await loadWasmKzg());
}, 120_000);

afterAll(() => node.knit.stop());

/** The library of KZG as the clients call it. */
function library() {
  return {
    blobToKzgCommitment: (blob: Uint8Array) => backend.commitmentOf(blob),
    computeBlobKzgProof: (blob: Uint8Array, commitment: Uint8Array) => backend.blobProofOf(blob, commitment),
  };
}

function viemClient() {
  const account = privateKeyToAccount(fundedKey(node, 0).key);
  const chain = defineChain({
    id: 1337,
    name: "development",
    nativeCurrency: { name: "KAIA", symbol: "KAIA", decimals: 18 },
    rpcUrls: { default: { http: [node.http] } },
  });
  return createWalletClient({ account, chain, transport: http(node.http), pollingInterval: 50 }).extend(
    publicActions,
  );
}

test("viem sends a blob, which is kept with the proofs of its cells", async () => {
  const client = viemClient();
  const blobs = toBlobs({ data: stringToHex("a blob of viem") });
  const hash = await client.sendTransaction({
    blobs,
    kzg: library(),
    to: TO,
    maxFeePerBlobGas: FEE_PER_BLOB_GAS,
  });
  const receipt = await client.waitForTransactionReceipt({ hash });
  expect(receipt).toMatchObject({ status: "success", type: "eip4844", blobGasUsed: 131_072n });
  expect(await ask("anvil_getBlobsByTransactionHash", hash)).toEqual(blobs);
  expect(
    await ask("anvil_getBlobByHash", (await client.getTransaction({ hash })).blobVersionedHashes?.[0]),
  ).toBe(blobs[0]);
  expect(await client.getTransaction({ hash })).toMatchObject({ type: "eip4844" });
});

test("ethers sends a blob, and its receipt names the gas of blobs", async () => {
  const provider = new JsonRpcProvider(node.http, undefined, { cacheTimeout: -1, pollingInterval: 50 });
  const wallet = new Wallet(fundedKey(node, 1).key, provider);
  const blob = new Uint8Array(131_072).fill(1);
  const sent = await wallet.sendTransaction({
    type: 3,
    to: TO,
    blobs: [blob],
    kzg: library(),
    maxFeePerBlobGas: FEE_PER_BLOB_GAS,
    gasLimit: 21_000n,
  });
  const receipt = await sent.wait();
  provider.destroy();
  expect(receipt).toMatchObject({ status: 1, blobGasUsed: 131_072n });
  const [hash] = sent.blobVersionedHashes ?? [];
  expect(await ask("anvil_getBlobByHash", hash)).toBe(`0x${"01".repeat(131_072)}`);
});

test("more blobs than a block may have are refused, and a blob fee below the price waits for none", async () => {
  const client = viemClient();
  const [blob] = toBlobs({ data: stringToHex("one of two") });
  const two = { blobs: [blob ?? "0x", blob ?? "0x"], kzg: library(), to: TO, gas: 21_000n } as const;
  await expect(client.sendTransaction({ ...two, maxFeePerBlobGas: FEE_PER_BLOB_GAS })).rejects.toThrow(
    /blob/,
  );
  const cheap = { ...two, blobs: [blob ?? "0x"], maxFeePerBlobGas: 1n };
  await expect(client.sendTransaction(cheap)).rejects.toThrow(/blob/);
});

test("the random value of a block is set here, too, and peers are refused", async () => {
  const random = `0x${"ab".repeat(32)}`;
  await ask("hardhat_setPrevRandao", random);
  await ask("evm_mine");
  expect(await ask("eth_getBlockByNumber", "latest", false)).toMatchObject({ mixHash: random });
  const { code, output } = await runKnit("dev", "--hardfork", "osaka", "--port", "0", "--rpcport", "0");
  expect([code, output]).toEqual([1, expect.stringContaining("blobs without the random values")]);
});
