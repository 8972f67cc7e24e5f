/** Tests of the output queue of a connection. */
import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";
import { expect, test } from "@jest/globals";
import { Outbox, ReplyTurn } from "../../../node/transport/fast/outbox.ts";

/** Both ends of a connection, and what the first one wrote. */
interface Pair extends AsyncDisposable {
  readonly near: Socket;
  readonly writes: string[];
  readonly far: Socket;
}

async function aPair(): Promise<Pair> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as { port: number };
  const near = connect({ host: "127.0.0.1", port });
  const [far] = (await once(server, "connection")) as [Socket];
  const writes: string[] = [];
  const { write } = near;
  near.write = ((text: string, encoding: BufferEncoding) => {
    writes.push(text);
    return write.call(near, text, encoding);
  }) as Socket["write"];
  return {
    near,
    far,
    writes,
    [Symbol.asyncDispose]: async () => {
      near.destroy();
      far.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function turnOver(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}

test("what is said in one turn is one write, and counts as unsent until then", async () => {
  await using pair = await aPair();
  const outbox = new Outbox(pair.near, new ReplyTurn());
  for (const word of ["a", "b", "c"]) outbox.write(word, "latin1");
  expect([outbox.unsent, pair.writes]).toEqual([3, []]);
  await turnOver();
  expect(pair.writes).toEqual(["abc"]);
  outbox.write("d", "latin1");
  await turnOver();
  expect(pair.writes).toEqual(["abc", "d"]);
});

test("encodings keep their order and are not mixed", async () => {
  await using pair = await aPair();
  const outbox = new Outbox(pair.near, new ReplyTurn());
  outbox.write("é", "latin1");
  outbox.write("é", "utf8");
  outbox.write("é", "latin1");
  outbox.flush();
  const all: Buffer[] = [];
  while (Buffer.concat(all).length < 4) all.push(...((await once(pair.far, "data")) as Buffer[]));
  expect(Buffer.concat(all)).toEqual(Buffer.of(0xe9, 0xc3, 0xa9, 0xe9));
});

test("long answers do not wait, nor do many connections", async () => {
  await using pair = await aPair();
  const turn = new ReplyTurn();
  const outbox = new Outbox(pair.near, turn);
  outbox.write("a", "latin1");
  outbox.write("x".repeat(100_000), "latin1");
  expect(pair.writes.map(({ length }) => length)).toEqual([100_001]);
  let flushed = 0;
  for (let i = 0; i < 1000; i++) turn.add({ flush: () => flushed++ });
  expect(flushed).toBeGreaterThan(900);
  await turnOver();
  expect(flushed).toBe(1000);
});

test("while answers come they go out before long work goes on at the end of a turn", async () => {
  const turn = new ReplyTurn();
  const order: string[] = [];
  const answer = { flush: () => void order.push("answer") };
  await new Promise<void>((resolve) => {
    const slice = (): void => {
      order.push("work");
      if (order.length > 7) return resolve();
      setImmediate(slice);
      turn.add(answer);
    };
    turn.add(answer);
    setImmediate(slice);
  });
  expect(order.join(" ")).toBe("answer work answer work answer work answer work");
});

test("the loop does not sleep for a moment when the same peer has asked again at once", async () => {
  let nowMs = 0;
  const turn = new ReplyTurn(() => nowMs);
  const [one, other] = [{ flush: () => undefined }, { flush: () => undefined }];
  const answer = async (...peers: (typeof one)[]): Promise<boolean> => {
    for (const peer of peers) turn.add(peer);
    await turnOver();
    return turn.isAwake;
  };
  expect(await answer(one)).toBe(false);
  expect(await answer(one)).toBe(true);
  expect(await answer(other)).toBe(false);
  expect(await answer(other, one)).toBe(true);
  expect(await answer(other)).toBe(false); // it was not alone
  expect(await answer(other)).toBe(true);
  nowMs += 0.2;
  await turnOver();
  expect(turn.isAwake).toBe(false);
  expect(await answer(other)).toBe(false); // too late
});

/** Fills what the system takes for a peer that does not read. */
async function fill(outbox: Outbox, near: Socket): Promise<void> {
  while (near.writableLength === 0) {
    outbox.write("f".repeat(100_000), "latin1");
    await turnOver();
  }
}

test("behind what a peer does not take, texts wait outside the heap, counted with their buffers", async () => {
  await using pair = await aPair();
  pair.far.pause();
  let calls = 0;
  const outbox = new Outbox(pair.near, new ReplyTurn(), () => calls++);
  await fill(outbox, pair.near);
  const stuck = outbox.unsent;
  const writes = pair.writes.length;
  calls = 0;
  const before = process.memoryUsage().arrayBuffers;
  const text = `${"n".repeat(700)}\n`;
  for (let i = 0; i < 10_000; i++) {
    outbox.write(text, "latin1");
    if (i % 10 === 0) outbox.flush();
  }
  outbox.flush();
  const held = outbox.unsent - stuck;
  expect(pair.writes).toHaveLength(writes);
  expect(held).toBeGreaterThanOrEqual(10_000 * text.length);
  expect(held).toBeLessThan(10_000 * text.length + 2 * 256 * 1024);
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(held + 1024 * 1024);
  expect(calls).toBeGreaterThan(0);
});

test("a peer that reads again gets everything in order, also what came when it was about to be closed", async () => {
  await using pair = await aPair();
  pair.far.pause();
  const idle = Promise.withResolvers<void>();
  const outbox: Outbox = new Outbox(pair.near, new ReplyTurn(), () => {
    if (outbox.unsent === 0) idle.resolve();
  });
  await fill(outbox, pair.near);
  for (let i = 0; i < 3_000; i++) {
    outbox.write(`<${i}é>`, i % 2 === 0 ? "latin1" : "utf8");
    if (i % 100 === 0) outbox.flush();
  }
  let received = "";
  pair.far.on("data", (bytes: Buffer) => {
    received += bytes.toString("latin1");
  });
  await idle.promise;
  pair.far.pause();
  await fill(outbox, pair.near);
  outbox.write("last", "latin1");
  outbox.finish();
  pair.near.end();
  pair.far.resume();
  await once(pair.far, "end");
  const numbers = [...received.matchAll(/<(\d+)(?:é|Ã©)>/g)].map(([, number]) => Number(number));
  expect(numbers).toEqual(Array.from({ length: 3_000 }, (_, i) => i));
  expect(received.endsWith("last")).toBe(true);
});
