/** Nodes that are behind, and peers that lie to them. */
import { expect, test } from "@jest/globals";
import { aNode, aTransfer, makeBlock, makeBlocks } from "../../support/protocol-node.ts";
import { connect, until } from "../../support/protocol-peer.ts";

const head = ({ open }: { open: { chain: { head(): { header: { number: number } } } } }): number =>
  open.chain.head().header.number;

test("a node that is behind takes all blocks of its peer, full and empty ones", async () => {
  await using ahead = await aNode({ number: 1, type: "cn" });
  await using behind = await aNode({ number: 2 });
  await makeBlocks(ahead, 500);
  for (let i = 0; i < 40; i++) ahead.pool.add(aTransfer(i), "local");
  await makeBlock(ahead);
  await makeBlocks(ahead, 30);
  const session = connect(ahead.end, behind.end);
  await until(() => head(behind) === 531);
  expect(behind.open.chain.head().hash).toEqual(ahead.open.chain.head().hash);
  expect(behind.open.chain.block(501)?.transactions).toHaveLength(40);
  await behind.protocol.heardHead;
  expect(behind.protocol.syncing()).toBeUndefined();
  await session.close();
});
