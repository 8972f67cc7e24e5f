/** Messages that serve nobody: a few are forgiven, many end the connection. */
import { expect, test } from "@jest/globals";
import { encodeRlpList } from "../../../node/bytes/rlp.ts";
import { messages } from "../../../node/protocol/messages.ts";
import { createUselessAccount } from "../../../node/protocol/useless.ts";
import { aNode } from "../../support/protocol-node.ts";
import { aLink } from "../../support/protocol-peer.ts";

const EMPTY = encodeRlpList([]);
const unknown = Array.from({ length: 10 }, (_, i) => new Uint8Array(32).fill(i + 1));

/** Sends a message `count` times over a session of its own; the error with which the node ended it. */
async function floodWith(code: number, payload: Uint8Array, count: number): Promise<unknown> {
  await using node = await aNode({ number: 1 });
  const link = aLink(node.end, { type: "pn", number: 9 });
  const run = node.end.protocol.run(link.first).then(
    () => undefined,
    (error: unknown) => error,
  );
  const status = await link.second.next();
  link.second.send(messages.status.code, status?.payload ?? EMPTY);
  for (let i = 0; i < count; i++) link.second.send(code, payload);
  link.second.send(messages.nodeDataRequest.code, EMPTY);
  const answered = (async () => {
    for await (const { code: answer } of link.second.messages)
      if (answer === messages.nodeData.code) return undefined;
    return undefined;
  })();
  const ended = await Promise.race([run, answered]);
  link.close();
  await run;
  return ended;
}

test.each([
  ["answers without a request", messages.headers.code, EMPTY],
  ["announcements of nothing", messages.newBlockHashes.code, EMPTY],
  ["requests for unknown bodies", messages.bodiesRequest.code, messages.bodiesRequest.encode(unknown)],
  ["requests for unknown receipts", messages.receiptsRequest.code, messages.receiptsRequest.encode(unknown)],
])("fifty %s are forgiven, a hundred end the connection", async (_name, code, payload) => {
  expect(await floodWith(code, payload, 50)).toBeUndefined();
  expect(await floodWith(code, payload, 100)).toMatchObject({ code: "useless" });
});

test("large useless messages count by their size, and the account is filled again", () => {
  let nowMs = 0;
  const charge = createUselessAccount({ now: () => nowMs });
  charge("an answer", 12 * 2 ** 20);
  expect(() => charge("an answer", 12 * 2 ** 20)).toThrow("too many useless messages, at last an answer");
  nowMs += 100_000;
  expect(() => charge("an answer", 1000)).not.toThrow();
});

test("messages that this node does not handle are no offence", async () => {
  expect(await floodWith(messages.stakingInfoRequest.code, EMPTY, 100)).toBeUndefined();
});
