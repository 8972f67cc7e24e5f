/** A chain that a Go node wrote, kept whole: what its states list, against the roots of its headers. */
import { beforeAll, expect, test } from "@jest/globals";
import { toHex } from "../../../node/bytes/hex.ts";
import { encodeAccount } from "../../../node/model/account.ts";
import { decodeBlock } from "../../../node/model/block.ts";
import { stateReader } from "../../../node/state/state-reader.ts";
import { NodeSource } from "../../../node/state/trie/node-source.ts";
import { Trie } from "../../../node/state/trie/trie.ts";
import { aChain, recordedBlocks, recordedGenesis } from "../../support/chain.ts";

let blocks: Uint8Array[];

beforeAll(async () => {
  blocks = await recordedBlocks();
});

test("an archive of a recorded chain lists its states with their headers' roots", async () => {
  await using open = await aChain(await recordedGenesis(), { archive: true, window: 3, flushInterval: 5 });
  for (const raw of blocks.slice(1)) await open.writer.insert(decodeBlock(raw));
  await open.writer.settle();
  using snapshot = open.store.snapshot();
  const reader = stateReader(snapshot);
  for (let number = 0; number < blocks.length; number += 4) {
    const trie = new Trie(new NodeSource(open.store, new Uint8Array(0), undefined));
    for await (const { hash, account } of reader.accounts(number)) trie.put(hash, encodeAccount(account));
    expect(toHex(trie.hash())).toBe(toHex(open.chain.block(number)?.header.stateRoot ?? new Uint8Array(0)));
  }
});
