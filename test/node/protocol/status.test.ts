/** Admission of peers by their status. */
import { expect, test } from "@jest/globals";
import { addressOfKey } from "../../../node/crypto/secp256k1.ts";
import type { Status } from "../../../node/protocol/codecs.ts";
import { messages } from "../../../node/protocol/messages.ts";
import { checkStatus } from "../../../node/protocol/status.ts";
import { aNode, makeBlocks, type TestNode } from "../../support/protocol-node.ts";
import { aLink, connect } from "../../support/protocol-peer.ts";
import { until } from "../../support/until.ts";

const OWN: Status = {
  version: 65,
  networkId: 1337n,
  td: 5n,
  headHash: new Uint8Array(32).fill(1),
  genesisHash: new Uint8Array(32).fill(2),
  chainId: 1337n,
};

test.each([
  ["genesis block", { genesisHash: new Uint8Array(32) }],
  ["network id", { networkId: 1n }],
  ["chain id", { chainId: 1n }],
  ["protocol version", { version: 64 }],
])("a status with another %s is refused by name", (what, change) => {
  expect(() => checkStatus(OWN, { ...OWN, ...change })).toThrow(`another ${what}`);
});

test("a different head does not end the session", () => {
  expect(() => checkStatus(OWN, { ...OWN, td: 9n, headHash: new Uint8Array(32) })).not.toThrow();
});

test("nodes of different chains or networks disconnect", async () => {
  await using node = await aNode({ number: 1 });
  await using other = await aNode({ number: 2, time: 1_000_000 });
  await using foreign = await aNode({ number: 3, networkId: 5 });
  for (const { end } of [other, foreign]) {
    const session = connect(node.end, end);
    expect(await session.first).toMatchObject({ code: "wrong-chain" });
    await session.close();
  }
});

function meet(node: TestNode, type: "cn" | "pn" | "en" | "bn"): Promise<string> {
  const link = aLink(node.end, { type, number: 9 });
  void link.second.next().then((status) => status && link.second.send(status.code, status.payload));
  void until(() => node.protocol.peerCount() === 1).then(() => link.close());
  return node.end.protocol.run(link.first).then(
    () => "met",
    (error: { code: string }) => error.code,
  );
}

test("boot nodes are refused, endpoint nodes are admitted", async () => {
  await using node = await aNode({ number: 1 });
  expect(await meet(node, "bn")).toBe("unwanted");
  expect(await meet(node, "en")).toBe("met");
});

test("a consensus node admits another only when it may take part in consensus", async () => {
  const known = new Uint8Array(64).fill(9).subarray(0, 20);
  const isValidator = (address: Uint8Array): boolean => Buffer.compare(address, known) === 0;
  await using node = await aNode({ number: 1, type: "cn", isValidator });
  await using strict = await aNode({ number: 1, type: "cn", isValidator: () => false });
  await using proxy = await aNode({ number: 1, type: "pn", isValidator: () => false });
  expect(await meet(node, "cn")).toBe("met");
  expect(await meet(strict, "cn")).toBe("unwanted");
  expect(await meet(strict, "pn")).toBe("met");
  expect(await meet(proxy, "cn")).toBe("met");
  expect(addressOfKey(new Uint8Array(32).fill(7))).not.toEqual(known);
});

test("a silent peer is disconnected with the reason of a timeout", async () => {
  await using node = await aNode({ number: 1, timings: { statusMs: 20 } });
  const link = aLink(node.end, { type: "en", number: 9 });
  await expect(node.end.protocol.run(link.first)).rejects.toMatchObject({ reason: "read-timeout" });
  link.close();
});

test("another message before the status ends the session", async () => {
  await using node = await aNode({ number: 1 });
  const link = aLink(node.end, { type: "en", number: 9 });
  link.second.send(messages.bodiesRequest.code, messages.bodiesRequest.encode([]));
  await expect(node.end.protocol.run(link.first)).rejects.toMatchObject({ code: "bad-message" });
  link.close();
});

test("a peer's claim is described: version, block score and head", async () => {
  await using node = await aNode({ number: 1, type: "cn" });
  await using other = await aNode({ number: 2 });
  await makeBlocks(node, 3);
  const session = connect(other.end, node.end);
  expect(other.end.protocol.describe?.(session.link.first)).toBeUndefined();
  await until(() => other.protocol.peerCount() === 1);
  expect(other.end.protocol.describe?.(session.link.first)).toEqual({
    version: 65,
    blockscore: 4,
    head: `0x${Buffer.from(node.open.chain.head().hash).toString("hex")}`,
  });
  await session.close();
});
