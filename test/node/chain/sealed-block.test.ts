/** Sealed blocks: executed once, never visible before they are committed, discarded by the next one. */
import { expect, test } from "@jest/globals";
import { withAgreement } from "../../../node/consensus/seal.ts";
import { type Block, createBlock, decodeBlock } from "../../../node/model/block.ts";
import { parseExtra } from "../../../node/model/istanbul-extra.ts";
import { aChain, recordedBlocks, recordedGenesis, type TestChain } from "../../support/chain.ts";

/** The recorded chain with its first blocks, and how many worlds were begun. */
async function aRecordedChain(): Promise<{
  open: TestChain;
  blocks: readonly Block[];
  worlds: () => number;
}> {
  const open = await aChain(await recordedGenesis());
  const begin = open.state.begin.bind(open.state);
  let begun = 0;
  Object.assign(open.state, {
    begin: () => {
      begun++;
      return begin();
    },
  });
  const blocks = (await recordedBlocks()).slice(1, 4).map((raw) => decodeBlock(raw));
  return { open, blocks, worlds: () => begun };
}

/** The block as it was proposed: nobody had agreed on it. */
function proposal({ header, transactions }: Block): Block {
  return createBlock(withAgreement(header, 0, []), transactions);
}

function at(blocks: readonly Block[], i: number): Block {
  const block = blocks[i];
  if (block === undefined) throw new Error("no such block");
  return block;
}

test("an executed proposal goes into the chain without being executed again", async () => {
  const { open, blocks, worlds } = await aRecordedChain();
  await using chain = open;
  const { writer, state } = chain;
  for (const block of blocks) {
    await writer.execute(proposal(block));
    expect(writer.tip.header.number).toBe(block.header.number - 1);
    await writer.insert(block, true);
  }
  expect(worlds()).toBe(blocks.length);
  expect(state.root).toEqual(at(blocks, 2).header.stateRoot);
});

test("another block discards it, and so does its owner", async () => {
  const { open, blocks, worlds } = await aRecordedChain();
  await using chain = open;
  const { writer } = chain;
  const other = { ...proposal(at(blocks, 0)), hash: new Uint8Array(32) };
  const superseded = await writer.execute(other);
  await writer.insert(at(blocks, 0));
  expect(worlds()).toBe(2);
  expect(superseded.isOpen).toBe(false);
  await expect(superseded.commit(true)).rejects.toMatchObject({ code: "busy" });
  const sealed = await writer.execute(proposal(at(blocks, 1)));
  sealed.discard();
  expect(sealed.isOpen).toBe(false);
  await writer.insert(at(blocks, 1));
  await writer.settle();
  expect(chain.chain.head().hash).toEqual(at(blocks, 1).hash);
});

test("an executed proposal needs its committed seals all the same", async () => {
  const { open, blocks } = await aRecordedChain();
  await using chain = open;
  const first = at(blocks, 0);
  await chain.writer.execute(proposal(first));
  await expect(chain.writer.insert(proposal(first))).rejects.toThrow("zero committed seals");
  const stranger = parseExtra(first.header.extra).seal; // a seal, of something else
  const sealed = createBlock(withAgreement(first.header, 0, [stranger]), first.transactions);
  await expect(chain.writer.insert(sealed)).rejects.toThrow("invalid committed seals");
  await chain.writer.insert(first);
});

test("a bad proposal leaves nothing behind", async () => {
  const { open, blocks } = await aRecordedChain();
  await using chain = open;
  const first = at(blocks, 0);
  const wrong = { ...first, header: { ...first.header, gasUsed: first.header.gasUsed + 1n } };
  await expect(chain.writer.execute(wrong)).rejects.toThrow();
  await chain.writer.insert(first);
});
