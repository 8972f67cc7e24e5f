/** Tests of Merkle proofs of accounts and slots. */
import { join } from "node:path";
import { verifyMerkleProof } from "@ethereumjs/mpt";
import { expect, test } from "@jest/globals";
import { toHex } from "../../../node/bytes/hex.ts";
import { bytesToBigint } from "../../../node/bytes/integer.ts";
import { encodeRlp } from "../../../node/bytes/rlp.ts";
import { wordBytes } from "../../../node/bytes/word.ts";
import { keccak256 } from "../../../node/crypto/keccak.ts";
import { type Account, encodeAccount } from "../../../node/model/account.ts";
import { EMPTY_TRIE_ROOT } from "../../../node/model/list-root.ts";
import { readGeneration } from "../../../node/state/rows.ts";
import type { AccountProof } from "../../../node/state/state.ts";
import { stateReader } from "../../../node/state/state-reader.ts";
import { openTrieReader } from "../../../node/state/trie/generations.ts";
import { proveAt } from "../../../node/state/trie/proof.ts";
import { openLevelReader } from "../../../node/store/level-store.ts";
import {
  anAddress,
  aTemporaryDirectory,
  keptTries,
  makeBlock,
  type Opened,
  type OpenedWithTries,
  openInMemory,
  openOnDisk,
  trimZeros,
} from "./fixture.ts";
import { aRandom } from "./random.ts";
import { contractAddress, contractsOf, randomBlock } from "./random-contracts.ts";

const ROUNDS = Number(process.env["KNIT_WORLD_ROUNDS"] ?? 1);
const KEYS = Array.from({ length: 26 }, (_, i) => wordBytes(BigInt(i)));

async function proven(
  root: Uint8Array,
  key: Uint8Array,
  proof: readonly Uint8Array[],
): Promise<string | undefined> {
  const value = await verifyMerkleProof(key, [...proof], { useKeyHashing: false, root });
  return value === null ? undefined : toHex(value);
}

function withReaders(directory: string, node: Opened): OpenedWithTries {
  return { ...node, openTrie: (generation) => openTrieReader(join(directory, "trie"), generation) };
}

/** A proof out of memory where that is possible, else from snapshots. */
async function prove(
  { chain, state, openTrie }: OpenedWithTries,
  number: number,
  address: Uint8Array,
  keys: readonly Uint8Array[],
): Promise<AccountProof> {
  const early = state.proveNewest(number, address, keys);
  if (early !== undefined) return early;
  await using tries = await openTrie(readGeneration(chain));
  using trie = tries.snapshot();
  using rows = chain.snapshot();
  return await proveAt({ chain: rows, trie, number }, { address, keys });
}

/** Opens a state in memory whose tries can be read beside it. */
async function openReadable(settings: Parameters<typeof openInMemory>[0] = {}): Promise<OpenedWithTries> {
  const trie = keptTries();
  return { ...(await openInMemory({ trie, ...settings })), openTrie: (generation) => trie.open(generation) };
}

/** Checks a proof with an independent library against the root and what the view says. */
async function expectProven(
  node: OpenedWithTries,
  {
    number,
    root,
    address,
  }: { readonly number: number; readonly root: Uint8Array; readonly address: Uint8Array },
): Promise<AccountProof> {
  const view = node.state.view(number);
  const answer = await prove(node, number, address, KEYS);
  const account: Account | undefined = view.account(address);
  expect(answer.account).toEqual(account);
  const leaf = account && toHex(encodeAccount(account));
  expect(await proven(root, keccak256(address), answer.accountProof)).toBe(leaf);
  const storageRoot = account?.storageRoot ?? EMPTY_TRIE_ROOT;
  for (const { key, value, proof } of answer.storage) {
    expect(value).toEqual(view.slot(address, key));
    if (toHex(storageRoot) === toHex(EMPTY_TRIE_ROOT)) {
      expect(proof).toEqual([]);
      continue;
    }
    const slotLeaf = bytesToBigint(value) === 0n ? undefined : toHex(encodeRlp(trimZeros(value)));
    expect(await proven(storageRoot, keccak256(key), proof)).toBe(slotLeaf);
  }
  return answer;
}

test("proofs of accounts and slots hold at the newest and at every recent block, before and after the stored trie", async () => {
  await using node = await openReadable({ retention: 12, flushInterval: 7 });
  const roots: Uint8Array[] = [];
  const random = aRandom(Number(process.env["KNIT_SEED"] ?? 9));
  let withStorage = 0;
  for (let n = 0; n < 30 * ROUNDS; n++) {
    roots.push(await makeBlock(node, randomBlock(n)));
    const number = Math.max(0, n - random.below(13));
    const root = roots[number] ?? EMPTY_TRIE_ROOT;
    for (const at of [n, number]) {
      const address = contractAddress(random.below(10));
      const { storage } = await expectProven(node, {
        number: at,
        root: at === n ? node.state.root : root,
        address,
      });
      withStorage += storage.filter(({ proof }) => proof.length > 0).length;
    }
    await expectProven(node, { number, root, address: anAddress(random.below(3)) });
  }
  expect(withStorage).toBeGreaterThan(100);
}, 1_800_000);

test("the newest block is proven while its trie is being written, from disk", async () => {
  using place = aTemporaryDirectory();
  await using node = withReaders(place.path, await openOnDisk(place.path, { flushInterval: 1000 }));
  for (let n = 0; n < 12; n++) await makeBlock(node, randomBlock(n));
  const flushed = node.state.flush();
  for (let i = 0; i < 10; i++) {
    await expectProven(node, { number: 11, root: node.state.root, address: contractAddress(i) });
  }
  await flushed;
});

test("handles of another thread read, list and prove what the state does, while that goes on", async () => {
  using place = aTemporaryDirectory();
  await using node = withReaders(place.path, await openOnDisk(place.path, { flushInterval: 5 }));
  for (let n = 0; n < 13; n++) await makeBlock(node, randomBlock(n));
  const number = 9;
  const address = contractAddress(3);
  const wanted = await prove(node, number, address, KEYS);
  await using chain = await openLevelReader(join(place.path, "chain"));
  await using trie = await openLevelReader(join(place.path, "trie", "0"), { checksums: false });
  using nodes = trie.snapshot();
  using rows = chain.snapshot();
  for (let n = 13; n < 22; n++) await makeBlock(node, randomBlock(n));
  expect(await proveAt({ chain: rows, trie: nodes, number }, { address, keys: KEYS })).toEqual(wanted);
  expect(contractsOf(stateReader(rows).view(number))).toEqual(contractsOf(node.state.view(number)));
  for await (const { hash, account } of stateReader(rows).accounts(number)) {
    if (toHex(hash) === toHex(keccak256(address))) expect(account).toEqual(wanted.account);
  }
  using later = trie.snapshot();
  await expect(proveAt({ chain: rows, trie: later, number }, { address, keys: [] })).rejects.toMatchObject({
    code: "state-missing",
  });
});

test("an empty state proves that an account is not there with no nodes", async () => {
  await using node = await openReadable();
  await makeBlock(node, () => undefined);
  expect(await prove(node, 0, anAddress(1), [])).toEqual({
    account: undefined,
    accountProof: [],
    storage: [],
  });
});

test("blocks that are not kept, not made, or only in an archive's index have no proofs", async () => {
  await using node = await openReadable({ retention: 3, window: 3, archive: true, flushInterval: 1 });
  for (let n = 0; n < 6; n++) await makeBlock(node, (world) => world.addBalance(anAddress(1), 1n));
  expect((await prove(node, 2, anAddress(1), [])).account?.balance).toBe(3n);
  for (const number of [-1, 1, 6]) {
    await expect(prove(node, number, anAddress(1), [])).rejects.toMatchObject({ code: "state-missing" });
  }
});
