/** Tests of the memory budget that peers share. */
import { expect, test } from "@jest/globals";
import { MESSAGE_OVERHEAD, type MemoryShare, PeerMemory } from "../../../node/p2p/peer-memory.ts";

const LIMIT = 10_000;

/** An account whose drop releases what it sends, as a session does. */
function open(
  memory: PeerMemory,
  dropped: string[],
  name: string,
  owner?: string,
): MemoryShare & { send(payload: Uint8Array): void } {
  const sent: Uint8Array[] = [];
  const share = memory.open(() => {
    dropped.push(name);
    for (const payload of sent.splice(0)) share.release(payload);
  }, owner);
  return {
    ...share,
    send(payload) {
      sent.push(payload);
      share.hold(payload);
    },
  };
}

test("all peers share one budget, and the one that holds most is disconnected", () => {
  const dropped: string[] = [];
  const memory = new PeerMemory(LIMIT, () => 0);
  const [a, b, c] = [open(memory, dropped, "a"), open(memory, dropped, "b"), open(memory, dropped, "c")];
  a.add(3000);
  b.add(5000);
  expect([memory.used, memory.isTight]).toEqual([8000, true]);
  c.add(2500);
  expect(dropped).toEqual(["b"]);
  expect([memory.used, memory.isTight]).toEqual([5500, true]);
  b.add(1000); // it is gone
  a.close();
  expect([memory.used, memory.isTight]).toEqual([2500, false]);
});

test("a peer that accepts nothing is disconnected before one with a larger answer under way", () => {
  const dropped: string[] = [];
  let nowMs = 0;
  const memory = new PeerMemory(LIMIT, () => nowMs);
  const deaf = open(memory, dropped, "deaf");
  const good = open(memory, dropped, "good");
  deaf.send(new Uint8Array(4000));
  nowMs = 5000;
  good.send(new Uint8Array(6000));
  expect(dropped).toEqual(["deaf"]);
  expect(memory.used).toBe(6000 + MESSAGE_OVERHEAD);
});

test("a block queued for many peers counts once, its queue entries for each peer", () => {
  const dropped: string[] = [];
  const memory = new PeerMemory(LIMIT, () => 0);
  const block = new Uint8Array(4000);
  const shares = ["a", "b", "c"].map((name) => open(memory, dropped, name));
  for (const share of shares) share.send(block);
  expect([memory.used, dropped]).toEqual([4000 + 3 * MESSAGE_OVERHEAD, []]);
  for (const share of shares) share.release(block);
  expect(memory.used).toBe(0);
});

test("small messages are counted with their overhead", () => {
  const dropped: string[] = [];
  const memory = new PeerMemory(LIMIT, () => 0);
  const share = open(memory, dropped, "a");
  for (let i = 0; i < LIMIT / MESSAGE_OVERHEAD; i++) share.send(new Uint8Array(1));
  expect(dropped).toEqual(["a"]);
  expect(memory.used).toBe(0);
});

test("many peers of one address lose theirs before a peer that alone holds more than each of them", () => {
  const dropped: string[] = [];
  const memory = new PeerMemory(LIMIT, () => 0);
  const crowd = Array.from({ length: 4 }, (_, i) => open(memory, dropped, `crowd ${i}`, "crowd"));
  const good = open(memory, dropped, "good");
  for (const [i, share] of crowd.entries()) share.add(1500 + i);
  good.add(3000);
  open(memory, dropped, "other").add(2000);
  expect(dropped).toEqual(["crowd 3"]);
});
