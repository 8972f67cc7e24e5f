/** Tests of the messages that the attackers of `bench/attack` send. */
import { expect, test } from "@jest/globals";
import { hostileMessages, perhapsMutated } from "../../bench/attack/hostile-messages.ts";
import { messages } from "../../node/protocol/messages.ts";
import { seededRandom } from "../support/random.ts";

const all = hostileMessages(1337, seededRandom(23));

test.each(Object.entries(messages))("%s is sent, well formed and within its limit", (_, { code, ...row }) => {
  const payloads = all.filter(([each]) => each === code).map(([, payload]) => payload);
  const decoded = payloads.map((payload) => {
    try {
      row.decode(payload);
      return true;
    } catch {
      return false;
    }
  });
  expect(decoded).toContain(true);
  for (const { length } of payloads) expect(length).toBeLessThanOrEqual(row.maxPayload);
});

test("a part of them is mutated, by the seed alone", () => {
  const small = all.filter(([, { length }]) => length < 10_000);
  const mutatedBy = (seed: number): string[] => {
    const random = seededRandom(seed);
    const sent = Array.from({ length: 50 }, () => small.map((message) => perhapsMutated(message, random)));
    return sent.flat().map(([, payload]) => Buffer.from(payload).toString("hex"));
  };
  const originals = new Set(small.map(([, payload]) => Buffer.from(payload).toString("hex")));
  const [sent, again, other] = [mutatedBy(1), mutatedBy(1), mutatedBy(2)];
  expect(again).toEqual(sent);
  expect(other).not.toEqual(sent);
  const changed = sent.filter((payload) => !originals.has(payload)).length;
  expect(changed).toBeGreaterThan(sent.length / 20);
  expect(changed).toBeLessThan(sent.length / 2);
});
