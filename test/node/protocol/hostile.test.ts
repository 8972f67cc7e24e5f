/** Damaged messages in running sessions: the peer may be left, the node goes on. */
import { expect, test } from "@jest/globals";
import { encodeRlpList } from "../../../node/bytes/rlp.ts";
import { encodeHeader } from "../../../node/model/header.ts";
import { ProtocolError } from "../../../node/protocol/error.ts";
import { messages } from "../../../node/protocol/messages.ts";
import { aNode, aTransfer, headOf, makeBlock, makeBlocks } from "../../support/protocol-node.ts";
import { aLink, connect } from "../../support/protocol-peer.ts";
import { randomBytes, seededRandom } from "../../support/random.ts";
import { until } from "../../support/until.ts";

const sessions = Number(process.env["KNIT_MUTATIONS"] ?? 40) * 4;

test("sessions full of damaged messages end with a code or continue, and an honest peer is unaffected", async () => {
  const random = seededRandom(11);
  await using maker = await aNode({ number: 1, type: "cn" });
  await using node = await aNode({ number: 2, timings: { requestMs: 50 } });
  await makeBlocks(maker, 20);
  const block = await makeBlock(maker);
  const whole = encodeRlpList([encodeHeader(block.header), encodeRlpList([])]);
  const samples: [number, Uint8Array][] = [
    [messages.newBlock.code, encodeRlpList([whole, Uint8Array.of(22)])],
    [messages.newBlockHashes.code, messages.newBlockHashes.encode([{ hash: block.hash, number: 21 }])],
    [messages.headers.code, messages.headers.encode([block.header])],
    [messages.bodies.code, messages.bodies.encode([encodeRlpList([aTransfer(0).raw])])],
    [messages.transactions.code, messages.transactions.encode([aTransfer(0).raw, aTransfer(1).raw])],
    [
      messages.headersRequest.code,
      messages.headersRequest.encode({ origin: 0n, amount: 9n, skip: 1n, reverse: false }),
    ],
    [messages.bodiesRequest.code, messages.bodiesRequest.encode([block.hash])],
    [messages.receiptsRequest.code, messages.receiptsRequest.encode([block.hash])],
    [messages.consensus.code, messages.consensus.encode({ previousHash: block.hash, message: block.hash })],
  ];
  const honest = connect(node.end, maker.end);
  const ends: unknown[] = [];
  for (let i = 0; i < sessions; i++) {
    const link = aLink(node.end, { type: "pn", number: 50 + (i % 100) });
    const run = node.end.protocol.run(link.first).then(
      () => undefined,
      (error: unknown) => error,
    );
    const status = await link.second.next();
    if (status === undefined) throw new Error("no status came");
    link.second.send(status.code, status.payload);
    for (let sent = 0; sent < 5; sent++) {
      const [code, payload] = samples[Math.floor(random() * samples.length)] ?? [0, block.hash];
      link.second.send(code, damage(payload, random));
    }
    link.second.send(messages.nodeDataRequest.code, encodeRlpList([]));
    await Promise.race([run, expectAnswer(link.second)]);
    link.close();
    ends.push(await run);
  }
  const errors = ends.filter((end) => end !== undefined);
  expect(errors.every((error) => error instanceof ProtocolError)).toBe(true);
  expect(errors.length).toBeGreaterThan(sessions / 4);
  expect(node.protocol.peerCount()).toBe(1);
  await makeBlock(maker);
  await until(() => headOf(node) === 22);
  expect(node.open.chain.head().hash).toEqual(maker.open.chain.head().hash);
  await honest.close();
}, 60_000);

/** Resolves when the node answered the last question, and so has handled everything before. */
async function expectAnswer({ messages: all }: ReturnType<typeof aLink>["second"]): Promise<void> {
  for await (const { code } of all) if (code === messages.nodeData.code) return;
}

function damage(bytes: Uint8Array, random: () => number): Uint8Array {
  const changed = Uint8Array.from(bytes);
  const at = Math.floor(random() * bytes.length);
  if (random() < 0.3) return changed;
  if (random() < 0.2) return changed.subarray(0, at);
  changed.set(randomBytes(random, Math.min(1 + Math.floor(random() * 3), bytes.length - at)), at);
  return changed;
}
