/** Pushed blocks that wait. */
import { expect, test } from "@jest/globals";
import type { ChainPeer } from "../../../node/protocol/chain-peer.ts";
import { PushedBlocks, type QueuedBlock } from "../../../node/protocol/pushed-blocks.ts";
import { aGenesisBlock, aHeader, aValidator } from "../../support/headers.ts";

const validators = [aValidator(1)];
const header = aHeader(aGenesisBlock(validators), validators);
const somePeers = (count: number) =>
  Array.from({ length: count }, (_, i) => ({ name: `peer ${i}` }) as ChainPeer); // only compared

/** The unverified block `number` that a peer pushes as its `nth`. */
function aBlock(peer: ChainPeer, number: number, { nth = 0, bytes = 500 } = {}): QueuedBlock {
  const hash = new Uint8Array(32);
  hash.set(Buffer.from(`${peer.name} ${nth}`));
  return { header: { ...header, number }, body: new Uint8Array(0), td: 1n, peer, hash, bytes, since: 0 };
}

const MIB = 2 ** 20;

test.each([
  ["many blocks", 8, 500],
  ["large blocks", 3, 8 * MIB],
])("%s of a few peers do not keep the next block of another one out", (_, count, bytes) => {
  const blocks = new PushedBlocks();
  const [honest, ...greedy] = somePeers(9) as [ChainPeer, ...ChainPeer[]];
  for (const peer of greedy)
    for (let nth = 0; nth < count; nth++) blocks.offer(aBlock(peer, 64 - nth, { nth, bytes }), 0);
  expect(blocks.offer(aBlock(honest, 1), 0)).toBe("queued");
  expect(blocks.take(0)?.peer).toBe(honest);
});

test("peers with equal shares keep their places", () => {
  const blocks = new PushedBlocks();
  const peers = somePeers(64);
  for (const peer of peers) expect(blocks.offer(aBlock(peer, 2), 0)).toBe("queued");
  expect(blocks.offer(aBlock({ name: "another" } as ChainPeer, 1), 0)).toBe("no-room");
});
