/** Tests of turns of the event loop for batches and sessions. */
import { getEventListeners } from "node:events";
import { Socket } from "node:net";
import { expect, test } from "@jest/globals";
import { text } from "../../../node/jsonrpc/codecs/plain.ts";
import { type Method, method } from "../../../node/jsonrpc/method.ts";
import { writeInSlices } from "../../../node/presenters/slices.ts";
import { PossessionVerdicts } from "../../../node/rpc/possession-verdicts.ts";
import { TurnQueue } from "../../../node/runtime/turn-queue.ts";
import { RequestSession } from "../../../node/transport/fast/http-connection.ts";
import { openHttp } from "../../../node/transport/http.ts";
import { aCall, anEndpoint, aPeer, aSession } from "../rpc/fixture.ts";

test("each turn of the event loop has one piece of work, of all clients in turn", async () => {
  const turns = new TurnQueue();
  const order: string[] = [];
  const worker = async (name: string): Promise<void> => {
    const client = {};
    for (let slice = 0; slice < 3; slice++) {
      await turns.next(client);
      order.push(name);
    }
  };
  let loops = 0;
  const counting = (): void => {
    loops++;
    if (order.length < 9) setImmediate(counting);
  };
  setImmediate(counting);
  await Promise.all(["a", "b", "c"].map(worker));
  expect(order.join("")).toBe("abcabcabc");
  expect(loops).toBeGreaterThanOrEqual(9);
  expect(turns.isContended).toBe(false);
});

test("many connections of one client have the share of one", async () => {
  const turns = new TurnQueue();
  const order: string[] = [];
  const worker = async (owner: string): Promise<void> => {
    const client = { owner };
    for (let slice = 0; slice < 3; slice++) {
      await turns.next(client);
      order.push(owner);
    }
  };
  const crowd = Array.from({ length: 20 }, () => worker("crowd"));
  await Promise.all([...crowd, worker("good")]);
  expect(order.lastIndexOf("good")).toBeLessThan(8);
});

/** A method that works for a millisecond, and how often it did. */
function busy(): { readonly row: Method; calls: number } {
  const state = {
    calls: 0,
    row: method({
      name: "net_busy",
      summary: "",
      params: {},
      result: text,
      handle: () => {
        state.calls++;
        for (const until = performance.now() + 1; performance.now() < until; );
        return "done";
      },
    }),
  };
  return state;
}

function batchOf(size: number): string {
  return `[${Array.from({ length: size }, (_, id) => aCall("net_busy", [], id)).join(",")}]`;
}

test("many long batches at once hold up others by one slice, not by one for each", async () => {
  const work = busy();
  const endpoint = anEndpoint({ methods: [work.row] });
  const answers = Array.from({ length: 20 }, async () => endpoint.answer(batchOf(60), aSession));
  let most = 0;
  let seen = work.calls;
  let isOver = false;
  const watching = new Promise<void>((resolve) => {
    const look = (): void => {
      most = Math.max(most, work.calls - seen);
      seen = work.calls;
      if (isOver) resolve();
      else setImmediate(look);
    };
    setImmediate(look);
  });
  await Promise.all(answers);
  isOver = true;
  await watching;
  expect(work.calls).toBe(20 * 60);
  expect(most).toBeLessThan(40); // twenty slices would be 160
});

test("long batches, long results and checks of proofs share one slice of a turn", async () => {
  let turn = 0;
  const step = (): void => {
    turn++;
    counting = setImmediate(step);
  };
  let counting = setImmediate(step);
  const turns = { batch: new Set<number>(), result: new Set<number>(), proof: new Set<number>() };
  const spin = (kind: keyof typeof turns): void => {
    turns[kind].add(turn);
    for (const until = performance.now() + 5; performance.now() < until; );
  };
  const row = method({
    name: "net_busy",
    summary: "",
    params: {},
    result: text,
    handle: () => (spin("batch"), ""),
  });
  const endpoint = anEndpoint({ methods: [row] });
  const verdicts = new PossessionVerdicts(() => Promise.resolve(() => (spin("proof"), true)));
  const origin = { signal: new AbortController().signal };
  await Promise.all([
    Promise.resolve(endpoint.answer(batchOf(200), aSession)),
    writeInSlices(
      20,
      () => (spin("result"), ""),
      () => undefined,
    ),
    ...Array.from({ length: 9 }, (_, i) =>
      verdicts.of({ publicKey: new Uint8Array(48).fill(i), proof: new Uint8Array(96) }, origin),
    ),
  ]);
  clearImmediate(counting);
  const { batch, result, proof } = turns;
  for (const set of [batch, result, proof]) set.delete(0); // each begins at once
  expect(Math.min(batch.size, result.size, proof.size)).toBeGreaterThan(5);
  expect(new Set([...batch, ...result, ...proof]).size).toBe(batch.size + result.size + proof.size);
});

test("a batch stops when its client has gone", async () => {
  const work = busy();
  await using listener = await openHttp({
    host: "127.0.0.1",
    port: 0,
    endpoint: anEndpoint({ methods: [work.row] }),
  });
  const body = batchOf(3_000);
  {
    await using peer = await aPeer(listener.address);
    peer.send(
      `POST / HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
    );
    while (work.calls < 20) await new Promise((resolve) => setImmediate(resolve));
    peer.socket.destroy();
  }
  let seen = -1;
  while (seen !== work.calls) {
    seen = work.calls;
    await new Promise((resolve) => setTimeout(resolve, 30));
  }
  expect(work.calls).toBeLessThan(2_000);
});

test("a session that is over has a signal that says so, whenever it is asked for", () => {
  const early = new RequestSession(new Socket());
  expect(early.signal.aborted).toBe(false);
  early.end();
  expect(early.signal.aborted).toBe(true);
  const late = new RequestSession(new Socket());
  late.end();
  expect(late.signal.aborted).toBe(true);
  expect(getEventListeners(late.signal, "abort")).toEqual([]);
});
