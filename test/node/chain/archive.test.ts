/** Chains that a Go node wrote, kept whole: what their states list, against headers' roots and a recorded dump. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "@jest/globals";
import { bareHex, toHex } from "../../../node/bytes/hex.ts";
import { encodeRlp } from "../../../node/bytes/rlp.ts";
import { parseGenesis } from "../../../node/config/genesis.ts";
import { encodeAccount } from "../../../node/model/account.ts";
import { decodeBlock } from "../../../node/model/block.ts";
import { type ListedAccount, type StateReader, stateReader } from "../../../node/state/state-reader.ts";
import { NodeSource } from "../../../node/state/trie/node-source.ts";
import { Trie } from "../../../node/state/trie/trie.ts";
import { createMemoryStore } from "../../../node/store/memory-store.ts";
import { aChain, type TestChain } from "../../support/chain.ts";
import { readRecordedChain } from "../../support/recorded-chain.ts";

const CHAINS = fileURLToPath(new URL("../../vectors/chains/", import.meta.url));

/** The archive of a recorded chain with all its blocks. */
async function anArchive(name: string): Promise<TestChain> {
  const genesis = parseGenesis(await readFile(join(CHAINS, name, "genesis.json"), "utf8"));
  const open = await aChain(genesis, { archive: true, window: 3, flushInterval: 5 });
  for (const { raw } of readRecordedChain(join(CHAINS, name)).blocks.slice(1)) {
    await open.writer.insert(decodeBlock(raw));
  }
  await open.writer.settle();
  return open;
}

function rootOf(leaves: readonly (readonly [Uint8Array, Uint8Array])[]): string {
  const trie = new Trie(new NodeSource(createMemoryStore(), new Uint8Array(0), undefined));
  for (const [key, value] of leaves) trie.put(key, value);
  return toHex(trie.hash());
}

async function accountsOf(reader: StateReader, number: number): Promise<ListedAccount[]> {
  const listed: ListedAccount[] = [];
  for await (const account of reader.accounts(number)) listed.push(account);
  return listed;
}

test.each([
  ["transfers", 9],
  ["fork-ladder", 15],
])("an archive of the chain %s lists its states with their headers' roots", async (name, step) => {
  await using open = await anArchive(name);
  using snapshot = open.store.snapshot();
  const reader = stateReader(snapshot);
  for (let number = reader.number; number >= 0; number -= step) {
    const listed = await accountsOf(reader, number);
    const root = rootOf(listed.map(({ hash, account }) => [hash, encodeAccount(account)]));
    expect(root).toBe(toHex(open.chain.block(number)?.header.stateRoot ?? new Uint8Array(0)));
    for (const { address = new Uint8Array(20), account } of listed) {
      if (account.kind === "eoa") continue;
      const slots: (readonly [Uint8Array, Uint8Array])[] = [];
      for await (const { hash, value } of reader.slots(number, address)) slots.push([hash, slotLeaf(value)]);
      expect(rootOf(slots)).toBe(toHex(account.storageRoot));
    }
  }
});

test("the newest state lists what the Go node dumped, code and slots by their keys", async () => {
  await using open = await anArchive("fork-ladder");
  using snapshot = open.store.snapshot();
  const reader = stateReader(snapshot);
  const view = reader.view(reader.number);
  const dumped: Record<string, object> = {};
  for (const { address = new Uint8Array(0), account } of await accountsOf(reader, reader.number)) {
    const storage: Record<string, string> = {};
    for await (const { key = new Uint8Array(0), value } of reader.slots(reader.number, address)) {
      storage[bareHex(key)] = bareHex(slotLeaf(value));
    }
    dumped[bareHex(address)] = {
      balance: String(account.balance),
      nonce: Number(account.nonce),
      root: bareHex(account.storageRoot),
      codeHash: bareHex(account.codeHash),
      code: bareHex(view.code(address)),
      storage,
    };
  }
  expect(dumped).toEqual(readRecordedChain(join(CHAINS, "fork-ladder")).head?.dump?.accounts);
});

function slotLeaf(value: Uint8Array): Uint8Array {
  return encodeRlp(value.subarray(value.findIndex((byte) => byte !== 0)));
}
