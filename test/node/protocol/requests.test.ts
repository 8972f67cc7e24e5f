/** Tests of the open requests to one peer. */
import { expect, test } from "@jest/globals";
import { messages } from "../../../node/protocol/messages.ts";
import { bodiesRequest, PeerRequests } from "../../../node/protocol/requests.ts";

test("an answer that comes before its request has left does not lose the answer to the next one", async () => {
  const sent: (() => void)[] = [];
  const send = (): Promise<boolean> => new Promise((resolve) => sent.push(() => resolve(true)));
  const requests = new PeerRequests(send, 60_000, new Map());
  const ask = (): Promise<readonly Uint8Array[]> => requests.request(bodiesRequest, [new Uint8Array(32)]);
  const answer = (): boolean => requests.deliver(messages.bodies.code, messages.bodies.encode([]));
  const [first, second] = [ask(), ask()];
  expect(answer()).toBe(true);
  await new Promise((resolve) => void setImmediate(resolve)); // the second one follows
  sent[0]?.();
  expect(await first).toEqual([]);
  expect(answer()).toBe(true);
  sent[1]?.();
  expect(await second).toEqual([]);
});
