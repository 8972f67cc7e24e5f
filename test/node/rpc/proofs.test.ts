/** `eth_getProof` (EIP-1186): proofs verify against a block's state root with another library. */
import { readFileSync } from "node:fs";
import { verifyMerkleProof } from "@ethereumjs/mpt";
import { RLP } from "@ethereumjs/rlp";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { keccak256 } from "ethereum-cryptography/keccak.js";
import { toHex } from "../../../node/bytes/hex.ts";
import { storeReading } from "../../../node/calls/chain-reading.ts";
import { InlineCalls } from "../../../node/calls/inline-calls.ts";
import { type ProfileName, rpcProfiles } from "../../../node/compat/profiles.ts";
import { parseGenesis } from "../../../node/config/genesis.ts";
import type { Method } from "../../../node/jsonrpc/method.ts";
import { decodeBlock } from "../../../node/model/block.ts";
import { proofMethods } from "../../../node/rpc/proofs.ts";
import { openState } from "../../../node/state/open-state.ts";
import { createMemoryStore } from "../../../node/store/memory-store.ts";
import type { Store } from "../../../node/store/store.ts";
import { askRow } from "../../support/ask-row.ts";
import { aChain, type TestChain } from "../../support/chain.ts";
import { readRecordedChain } from "../../support/recorded-chain.ts";
import { keptTries } from "../state/fixture.ts";

const FOLDER = "test/vectors/chains/prague";
const KIT = "0x037d2d02f9f17ba12b55940044fa065ddb888b5a";
const PLAIN = "0x80c124d8c862cae29db855a829a4f1a69b27a48d";
/** Slots of the test contract: the first is set in block 4, the last never. */
const SLOTS = ["0x0", `0x${"0".repeat(63)}1`, "0x7777"];
const tries = keptTries();
let chain: TestChain;

beforeAll(async () => {
  chain = await aChain(parseGenesis(readFileSync(`${FOLDER}/genesis.json`, "utf8")), { trie: tries });
  for (const item of readRecordedChain(FOLDER).blocks.slice(1)) await chain.writer.insert(decodeBlock(item));
  await chain.writer.settle();
}, 60_000);
afterAll(async () => {
  await chain[Symbol.asyncDispose]();
});

interface Proof {
  readonly address: string;
  readonly accountProof: readonly string[];
  readonly balance: string;
  readonly codeHash: string;
  readonly nonce: string;
  readonly storageHash: string;
  readonly storageProof: readonly {
    readonly key: string;
    readonly value: string;
    readonly proof: string[];
  }[];
}

function proofMethod(
  profile: ProfileName = "service",
  calls = new InlineCalls(Number.POSITIVE_INFINITY),
): Method {
  const [row] = proofMethods({
    ...rpcProfiles[profile].options,
    open: storeReading(chain.store),
    openTrie: (generation) => tries.open(generation),
    inlineProofs: { chain: chain.chain, state: chain.state, calls },
  });
  return row as Method; // there is one
}

/** Asks as a reader thread does. */
async function ask(params: readonly unknown[], profile?: ProfileName): Promise<Proof> {
  return (await askRow([proofMethod(profile)], "chain_getProof", ...params)) as Proof; // or it throws
}

const bytes = (hex: string): Uint8Array => Uint8Array.from(Buffer.from(hex.slice(2), "hex"));
const word = (hex: string): Uint8Array => bytes(`0x${hex.slice(2).padStart(64, "0")}`);

/** The leaf of a key by the other library; undefined for a proven absence. */
async function leaf(
  root: Uint8Array,
  key: Uint8Array,
  proof: readonly string[],
): Promise<Uint8Array | undefined> {
  const value = await verifyMerkleProof(keccak256(key), proof.map(bytes), { useKeyHashing: false, root });
  return value ?? undefined;
}

const rootAt = (number: number): Uint8Array =>
  chain.chain.block(number)?.header.stateRoot ?? new Uint8Array(32);

test.each([4, 12, 33])("an account and its slots are proven against the root of block %d", async (number) => {
  const proof = await ask([KIT, SLOTS, `0x${number.toString(16)}`]);
  const account = await leaf(rootAt(number), bytes(KIT), proof.accountProof);
  // A contract is its kind and then [[nonce, balance, ...], storage root, code hash, ...]:
  // `blockchain/types/account/account_serializer.go@v2.2.2`.
  const [common, storageRoot, codeHash] = RLP.decode(account?.subarray(1) ?? []) as unknown as [
    Uint8Array[],
    Uint8Array,
    Uint8Array,
  ];
  expect(account?.[0]).toBe(2);
  expect(common.slice(0, 2).map((part) => BigInt(`0x0${Buffer.from(part).toString("hex")}`))).toEqual([
    BigInt(proof.nonce),
    BigInt(proof.balance),
  ]);
  expect([storageRoot, codeHash]).toEqual([bytes(proof.storageHash), bytes(proof.codeHash)]);
  expect(proof.storageProof.map(({ key }) => key)).toEqual(SLOTS);
  for (const { key, value, proof: path } of proof.storageProof) {
    const found = await leaf(bytes(proof.storageHash), word(key), path);
    const shown =
      found === undefined ? 0n : BigInt(`0x${Buffer.from(RLP.decode(found) as Uint8Array).toString("hex")}`);
    expect([key, BigInt(value)]).toEqual([key, shown]);
  }
  expect(BigInt(proof.storageProof[0]?.value ?? 0)).toBeGreaterThan(0n);
  expect(proof.storageProof[2]?.value).toBe("0x0");
});

test("a proof does not verify against the root of another block", async () => {
  const { accountProof } = await ask([KIT, [], "0x4"]);
  await expect(leaf(rootAt(5), bytes(KIT), accountProof)).rejects.toThrow();
});

test("a key of 32 bytes is repeated as such, every other one as a quantity", async () => {
  const whole = "11".repeat(32);
  const asked = ["", "0X1", "0x01", "123", whole, `0X${"0".repeat(63)}`];
  const { storageProof } = await ask([KIT, asked, "latest"]);
  const shown = ["0x0", "0x1", "0x1", "0x123", `0x${whole}`, `0x${"0".repeat(64)}`];
  expect(storageProof.map(({ key }) => key)).toEqual(shown);
});

test("an account without code has no storage, and only the newer line proves it", async () => {
  const proof = await ask([PLAIN, ["0x1"], "latest"], "kaia");
  expect(proof).toMatchObject({ address: PLAIN, storageProof: [{ key: "0x1", value: "0x0", proof: null }] });
  expect((await leaf(rootAt(33), bytes(PLAIN), proof.accountProof))?.[0]).toBe(1);
  await expect(ask([PLAIN, [], "latest"], "klaytn")).rejects.toMatchObject({
    message: "given address is not a contract address",
  });
});

test.each([
  [[`0x${"99".repeat(20)}`, [], "latest"], "there is no account corresponding to the given address"],
  [[KIT, ["0xzz"], "latest"], "hex string invalid"],
  [[KIT, ["0xzz"], `0x${"11".repeat(32)}`], "hex string invalid"],
  [[KIT, [`0x${"1".repeat(65)}`], "latest"], "hex string too long, want at most 32 bytes"],
  [[KIT, Array.from({ length: 1025 }, () => "0x0"), "latest"], "too many slots: at most 1024"],
])("%j is refused", async (params, message) => {
  await expect(ask(params)).rejects.toMatchObject({ code: -32000, message });
});

const keys = (count: number): string[] => Array.from({ length: count }, (_, i) => `0x${i}`);

test("a small proof at the newest block is answered inline, every other one in a reader thread", async () => {
  const { runs, inline } = proofMethod();
  for (const block of ["latest", "0x21", { blockHash: toHex(chain.chain.head().hash) }])
    expect(JSON.parse(inline?.([KIT, SLOTS, block]) ?? "")).toEqual(await ask([KIT, SLOTS, block]));
  expect(runs).toBe("reader");
  expect(inline?.([KIT, keys(8), "latest"])).toBeDefined();
  expect(inline?.([KIT, keys(9), "latest"])).toBeUndefined();
  expect(inline?.([KIT, SLOTS, "0x20"])).toBeUndefined();
});

test("proofs of one turn of the event loop have the time of inline calls", () => {
  const { inline } = proofMethod("service", new InlineCalls(0));
  expect(inline?.([KIT, SLOTS, "latest"])).toBeUndefined();
});

test("no reader thread opens a trie database that the node has not opened", async () => {
  await using store = createMemoryStore();
  const never = new Promise<Store>(() => undefined);
  const state = await openState({ chain: store, trie: { ...keptTries(), open: () => never }, patienceMs: 1 });
  const [row] = proofMethods({
    ...rpcProfiles.service.options,
    open: storeReading(store),
    openTrie: () => never,
    inlineProofs: { chain: chain.chain, state, calls: new InlineCalls(Number.POSITIVE_INFINITY) },
  });
  expect(() => row?.inline?.([KIT, [], "0x1"])).toThrow("the trie is being opened");
});
