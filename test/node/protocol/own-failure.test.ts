/** A database that fails while a message of a peer is handled: the peer is not to blame. */
import { expect, test } from "@jest/globals";
import { messages } from "../../../node/protocol/messages.ts";
import { StoreError } from "../../../node/store/error.ts";
import { aNode, aTransfer } from "../../support/protocol-node.ts";
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
