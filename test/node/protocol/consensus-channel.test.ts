/** Consensus messages between nodes: who is there, who gets them, who is listened to. */
import { expect, test } from "@jest/globals";
import { messages } from "../../../node/protocol/messages.ts";
import { aNode, makeBlock, type TestNode } from "../../support/protocol-node.ts";
import { aLink, connect } from "../../support/protocol-peer.ts";
import { aPuppet, type Puppet } from "../../support/puppet.ts";
import { until } from "../../support/until.ts";

const envelope = { previousHash: new Uint8Array(32).fill(1), message: new Uint8Array(2000).fill(2) };

/** The address by which others see the test's node of this number. */
function addressOf(number: number): Uint8Array {
  return new Uint8Array(20).fill(number);
}

function connectPeer({ protocol }: TestNode): Uint8Array[] {
  return [...protocol.consensus.connectedAddresses()];
}

function codesOf({ received }: Puppet): number[] {
  return received.map(({ code }) => code);
}

test("messages travel between consensus nodes, by address, until one leaves", async () => {
  await using first = await aNode({ number: 1, type: "cn" });
  await using second = await aNode({ number: 2, type: "cn" });
  await using proxy = await aNode({ number: 3, type: "pn" });
  const sessions = [connect(first.end, second.end), connect(first.end, proxy.end)];
  await until(() => first.protocol.peerCount() === 2 && second.protocol.peerCount() === 1);
  expect(connectPeer(first)).toEqual([addressOf(2)]);

  const heard: unknown[] = [];
  const stop = second.protocol.consensus.onMessage((from, message) => void heard.push([from, message]));
  expect(first.protocol.consensus.send(addressOf(2), envelope)).toBe(true);
  expect(first.protocol.consensus.send(addressOf(3), envelope)).toBe(false);
  await until(() => heard.length === 1);
  expect(heard).toEqual([[addressOf(1), envelope]]);
  stop();

  await sessions[0]?.close();
  await until(() => first.protocol.peerCount() === 1);
  expect(connectPeer(first)).toEqual([]);
  expect(first.protocol.consensus.send(addressOf(2), envelope)).toBe(false);
  await sessions[1]?.close();
});

test("a validator that voted for a block gets its hash, the others the block", async () => {
  await using node = await aNode({ number: 1, type: "cn" });
  const voter = await aPuppet(node, 2, "cn");
  const late = await aPuppet(node, 3, "cn");
  await until(() => node.protocol.peerCount() === 2);
  node.open.chain.onHead(({ hash }) => node.protocol.consensus.noteVote(addressOf(2), hash));
  await makeBlock(node);
  await until(() => voter.received.length + late.received.length === 2);
  expect([codesOf(voter), codesOf(late)]).toEqual([[messages.newBlockHashes.code], [messages.newBlock.code]]);
  voter.link.close();
  late.link.close();
});

test("consensus messages of a peer that is no consensus node are dropped, and it stays", async () => {
  await using node = await aNode({ number: 1, type: "cn" });
  const link = aLink(node.end, { type: "pn", number: 2 });
  void node.end.protocol.run(link.first).catch(() => undefined);
  const status = await link.second.next();
  link.second.send(messages.status.code, status?.payload ?? new Uint8Array(0));
  let heard = 0;
  node.protocol.consensus.onMessage(() => void heard++);
  link.second.send(messages.consensus.code, messages.consensus.encode(envelope));
  const asked = { origin: 0n, amount: 1n, skip: 0n, reverse: false };
  link.second.send(messages.headersRequest.code, messages.headersRequest.encode(asked));
  expect((await link.second.next())?.code).toBe(messages.headers.code);
  expect(heard).toBe(0);
  link.close();
});
