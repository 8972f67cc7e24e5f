/** A database that fails while a message of a peer is handled: the peer is not to blame. */
import { expect, test } from "@jest/globals";
import { messages } from "../../../node/protocol/messages.ts";
import { StoreError } from "../../../node/store/error.ts";
import { tables } from "../../../node/store/tables.ts";
import { aNode, aTransfer, makeBlocks } from "../../support/protocol-node.ts";
import { aPuppet } from "../../support/puppet.ts";
import { until } from "../../support/until.ts";

test("a damaged row that a peer's transaction needs does not end the session", async () => {
  await using node = await aNode({ number: 1 });
  let failures = 0;
  Object.assign(node.pool, {
    addAll: () => {
      failures++;
      throw new StoreError("corrupt", "row 61 fails its checksum");
    },
  });
  const puppet = await aPuppet(node, 9);
  const transfer = messages.transactions.encode([aTransfer(0).raw]);
  for (let i = 0; i < 2; i++) puppet.say(messages.transactions.code, transfer);
  await until(() => failures >= 2);
  expect(node.protocol.peerCount()).toBe(1);
  puppet.link.close();
});

test("what a damaged row holds is missing in the answer to a peer", async () => {
  await using node = await aNode({ number: 1 });
  await makeBlocks(node, 2);
  const [damaged, whole] = [1, 2].map((number) => node.open.chain.header(number)?.hash);
  if (damaged === undefined || whole === undefined) throw new Error("two blocks were made");
  const get = node.open.store.get.bind(node.open.store);
  Object.assign(node.open.store, {
    get: (key: Uint8Array) => {
      if (Buffer.compare(key, tables.body.key(1)) === 0)
        throw new StoreError("corrupt", "row 62 fails its checksum");
      return get(key);
    },
  });
  const puppet = await aPuppet(node, 9);
  puppet.say(messages.bodiesRequest.code, messages.bodiesRequest.encode([damaged, whole]));
  const answers = () => puppet.received.filter(({ code }) => code === messages.bodies.code);
  await until(() => answers().length > 0);
  const [answer] = answers();
  expect(messages.bodies.decode(answer?.payload ?? new Uint8Array(0))).toHaveLength(1);
  puppet.link.close();
});
