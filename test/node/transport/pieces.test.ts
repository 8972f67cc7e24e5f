/** Requests in as many pieces as there are bytes: what waits for the rest costs its bytes, not its pieces. */
import { EventEmitter, once } from "node:events";
import { type AddressInfo, connect, type Socket } from "node:net";
import { PassThrough } from "node:stream";
import { expect, test } from "@jest/globals";
import { JsonStream } from "../../../node/jsonrpc/json-stream.ts";
import { MemoryBudget } from "../../../node/jsonrpc/memory-budget.ts";
import { createSubscriptionLimit } from "../../../node/jsonrpc/subscriptions.ts";
import { TurnQueue } from "../../../node/runtime/turn-queue.ts";
import { GrowingBuffer } from "../../../node/transport/fast/growing-buffer.ts";
import { type ConnectionHost, HttpConnection } from "../../../node/transport/fast/http-connection.ts";
import { HeadReader } from "../../../node/transport/fast/http-head.ts";
import { ReplyTurn } from "../../../node/transport/fast/outbox.ts";
import { httpDefaults } from "../../../node/transport/http-limits.ts";
import { http } from "../../../node/transport/node-http.ts";
import { pacedSocket } from "../../../node/transport/paced-socket.ts";
import { readBody } from "../../../node/transport/request-body.ts";
import { openWs } from "../../../node/transport/ws.ts";
import { settledMemory } from "../../support/settled-memory.ts";
import { until } from "../../support/until.ts";
import { aCall, anEndpoint, aPeer, type Peer } from "../rpc/fixture.ts";

const PIECES = 200_000;
/** Before, a piece took a hundred bytes and more. */
const ALLOWED = 3_000_000;
const local = { host: "127.0.0.1", port: 0 };
const CHUNKED =
  "POST / HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n";

test("a chunked body of chunks of one byte costs twice its bytes at most", async () => {
  const halves = new MemoryBudget(64 * 1024 * 1024);
  const limits = { maxBody: 1_000_000 };
  const bodies: Promise<string | undefined>[] = [];
  const server = http.createServer((request) => void bodies.push(readBody(request, { limits, halves })));
  server.listen(local);
  await once(server, "listening");
  const socket = connect((server.address() as AddressInfo).port, local.host);
  const before = settledMemory();
  socket.write(CHUNKED + "1\r\n \r\n".repeat(PIECES));
  while (halves.used < PIECES) await new Promise((resolve) => setImmediate(resolve));
  expect(settledMemory() - before).toBeLessThan(ALLOWED);
  expect(halves.used).toBeLessThan(2 * PIECES + 10_000);
  socket.end("0\r\n\r\n");
  expect((await bodies[0])?.length).toBe(PIECES);
  expect(halves.used).toBe(0);
  server.closeAllConnections();
  server.close();
});

test("what comes behind the longest body is thrown away, whatever its chunks", async () => {
  const halves = new MemoryBudget(1024 * 1024);
  const body = Promise.withResolvers<string | undefined>();
  const rest = Promise.withResolvers<void>();
  let left = PIECES;
  const server = http.createServer((request) => {
    void readBody(request, { limits: { maxBody: 1000 }, halves }).then(body.resolve);
    request.on("data", () => --left === 0 && rest.resolve());
  });
  server.listen(local);
  await once(server, "listening");
  const socket = connect((server.address() as AddressInfo).port, local.host);
  socket.write(CHUNKED + "1\r\n \r\n".repeat(PIECES));
  expect(await body.promise).toBe(" ".repeat(1000));
  await rest.promise;
  socket.destroy();
  server.close();
});

/** A connection of the fast path whose socket the test plays. */
function aConnection(): { readonly socket: EventEmitter; readonly halves: MemoryBudget; written: string } {
  const halves = new MemoryBudget(64 * 1024 * 1024);
  const heads = new HeadReader({ maxBody: 512 * 1024, virtualHosts: [], hasCors: false });
  const connection = { halves, written: "", socket: new EventEmitter() };
  Object.assign(connection.socket, {
    writableLength: 0,
    pause: () => undefined,
    resume: () => undefined,
    write: (text: string) => {
      connection.written += text;
    },
    destroySoon: () => undefined,
  });
  const host: ConnectionHost = {
    endpoint: anEndpoint(),
    heads,
    limits: httpDefaults,
    now: 0,
    halves,
    replyHead: "",
    turn: new ReplyTurn(),
    handOver: () => expect(undefined).toBe("a plain request"),
    forget: () => undefined,
  };
  expect(new HttpConnection(connection.socket as Socket, host)).toBeDefined(); // it listens to events and writes
  return connection;
}

test("a plain request of segments of one byte costs twice its bytes at most, and is answered", async () => {
  const connection = aConnection();
  const { socket, halves } = connection;
  const call = aCall("net_version").padEnd(PIECES);
  const head = `POST / HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: ${PIECES}\r\n\r\n`;
  const request = Buffer.from(head + call);
  const before = settledMemory();
  for (const byte of request.subarray(0, -1)) socket.emit("data", Buffer.alloc(1, byte));
  expect(settledMemory() - before).toBeLessThan(ALLOWED);
  expect(halves.used).toBeGreaterThanOrEqual(PIECES);
  expect(halves.used).toBeLessThan(2 * PIECES + 20_000);
  socket.emit("data", request.subarray(-1));
  await until(() => connection.written.includes('"13408"'));
  expect(halves.used).toBe(0);
});

test("what follows a request that was refused for want of room is not answered", async () => {
  const connection = aConnection();
  const { socket, halves } = connection;
  socket.emit("data", Buffer.from("POST / HTTP/1.1\r\n"));
  halves.dropLargest();
  const call = aCall("net_version");
  const head = "POST / HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n";
  socket.emit("data", Buffer.from(`${head}Content-Length: ${call.length}\r\n\r\n${call}`));
  socket.emit("data", Buffer.from("POST / HTTP/1.1\r\n"));
  await until(() => connection.written.includes("busy"));
  expect(halves.used).toBe(0);
  expect(connection.written.split("HTTP/1.1")).toHaveLength(2);
  socket.emit("close");
});

test("the beginning of a request does not keep the chunk that it came in", () => {
  const call = aCall("net_version");
  const request = `POST / HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: ${call.length}\r\n\r\n${call}`;
  const connections = Array.from({ length: 100 }, aConnection);
  const before = settledMemory();
  for (const { socket } of connections) {
    const chunk = Buffer.alloc(64 * 1024);
    chunk.fill(request, 0, request.length * 100);
    socket.emit("data", chunk.subarray(0, request.length * 100 + 1));
  }
  expect(settledMemory() - before).toBeLessThan(ALLOWED);
  expect(connections.every(({ halves }) => halves.used > 0)).toBe(true);
});

const UPGRADE =
  "GET / HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n" +
  "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n";
/** Masked with zeros: the first fragment of a text, one that continues it, a ping (RFC 6455, section 5.2). */
const FIRST = Buffer.from([0x01, 0x81, 0, 0, 0, 0, 0x20]);
const NEXT = Buffer.from([0x00, 0x81, 0, 0, 0, 0, 0x20]);
const PING = Buffer.from([0x89, 0x80, 0, 0, 0, 0]);
const PONG = "\u008a\u0000".replace("\u008a", "\ufffd");

async function anUpgraded(address: string): Promise<Peer> {
  const peer = await aPeer(address);
  peer.send(UPGRADE);
  await peer.until((all) => all.includes("\r\n\r\n"));
  return peer;
}

test("a WebSocket message of fragments of one byte costs its bytes, and control frames between them are answered", async () => {
  await using listener = await openWs({
    ...local,
    endpoint: anEndpoint(),
    subscriptionLimit: createSubscriptionLimit(),
  });
  await using stack = new AsyncDisposableStack();
  const peers: Peer[] = [];
  for (let i = 0; i < 20; i++) peers.push(stack.use(await anUpgraded(listener.address)));
  const fragments = Buffer.concat([FIRST, Buffer.alloc(NEXT.length * 15_999, NEXT), PING]);
  const before = settledMemory();
  for (const peer of peers) peer.send(fragments);
  await Promise.all(peers.map((peer) => peer.until((all) => all.endsWith(PONG))));
  expect(settledMemory() - before).toBeLessThan(ALLOWED);
});

test("an IPC value of pieces of one character costs little more than its characters", () => {
  const values: string[] = [];
  const stream = new JsonStream(6 * PIECES, (text) => values.push(text) > 0);
  const before = settledMemory();
  stream.push('["');
  for (let i = 0; i < PIECES; i++) stream.push(String(i));
  expect(settledMemory() - before).toBeLessThan(ALLOWED);
  stream.push('"]');
  expect(values).toHaveLength(1);
});

test("a buffer that grows holds what was appended, and says what it takes", () => {
  const buffer = new GrowingBuffer(1000);
  expect(buffer.memory).toBe(0);
  const expected: number[] = [];
  for (let i = 0; i < 3000; i++) {
    const piece = Buffer.alloc(i % 5, i & 0xff);
    buffer.append(piece);
    expected.push(...piece);
    expect(buffer.memory).toBeLessThanOrEqual(2 * buffer.length + 512);
  }
  expect(buffer.length).toBe(expected.length);
  expect(buffer.take()).toEqual(Buffer.from(expected));
  expect([buffer.length, buffer.memory, buffer.take().length]).toEqual([0, 0, 0]);
});

test("what comes for the full server is passed on in slices, one in a turn whoever it is from", async () => {
  const pace = { turns: new TurnQueue(), halves: new MemoryBudget(1_000_000) };
  let turn = 0;
  const count = (): void => {
    turn++;
    counting = setImmediate(count);
  };
  let counting = setImmediate(count);
  const later: number[] = [];
  const passed = await Promise.all(
    [1, 2, 3].map(async (fill) => {
      const socket = new PassThrough();
      const paced = pacedSocket(socket as unknown as Socket, pace); // no timeouts are asked for
      socket.end(Buffer.alloc(60_000, fill));
      const slices: Buffer[] = [];
      paced.on("data", (slice: Buffer) => {
        if (slices.push(slice) > 1) later.push(turn);
      });
      await once(paced, "close");
      return slices;
    }),
  );
  clearImmediate(counting);
  expect(new Set(later).size).toBe(later.length);
  expect(pace.halves.used).toBe(0);
  for (const [i, slices] of passed.entries()) {
    expect(Buffer.concat(slices)).toEqual(Buffer.alloc(60_000, i + 1));
    expect(slices.map(({ length }) => length <= 4096)).not.toContain(false);
  }
});

test("what waits for its turn is counted, and whoever has most of it is closed when it is too much", async () => {
  const pace = { turns: new TurnQueue(), halves: new MemoryBudget(100_000) };
  const passed = new Map<number, number>();
  const closed = [50_000, 40_000, 30_000].map(async (length) => {
    const socket = new PassThrough({ highWaterMark: 100_000 });
    const paced = pacedSocket(socket as unknown as Socket, pace); // no timeouts are asked for
    socket.end(Buffer.alloc(length));
    paced.on("data", (slice: Buffer) => passed.set(length, (passed.get(length) ?? 0) + slice.length));
    await once(paced, "close");
  });
  await Promise.all(closed);
  expect(pace.halves.used).toBe(0);
  expect(passed.get(50_000)).toBeLessThan(50_000);
  expect([passed.get(40_000), passed.get(30_000)]).toEqual([40_000, 30_000]);
});
