/** Peers that take what they can get: they are dropped, memory stays bounded, and others are served as ever. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { connect } from "node:net";
import { expect, test } from "@jest/globals";
import { WebSocket } from "ws";
import { text } from "../../../node/jsonrpc/codecs/plain.ts";
import { type RpcEndpoint } from "../../../node/jsonrpc/dispatch.ts";
import { createBudget } from "../../../node/jsonrpc/dispatch-budget.ts";
import { MemoryBudget } from "../../../node/jsonrpc/memory-budget.ts";
import { type Method, method } from "../../../node/jsonrpc/method.ts";
import {
  BYTES_A_CHARACTER,
  createSubscriptionLimit,
  SUBSCRIPTION_BYTES,
} from "../../../node/jsonrpc/subscriptions.ts";
import { FairTime } from "../../../node/runtime/fair-time.ts";
import { openHttp } from "../../../node/transport/http.ts";
import { openWs, type WsListenerOptions } from "../../../node/transport/ws.ts";
import { until } from "../../support/until.ts";
import { aCall, anEndpoint, aPeer, gate, type Peer, ticker } from "../rpc/fixture.ts";

/** Connections of a flood; the whole of it is for the deeper tests. */
const CONNECTIONS = Number(process.env["KNIT_CONNECTIONS"] ?? 500);
const MEGABYTE = 1024 * 1024;
const local = { host: "127.0.0.1", port: 0 };

const wide = method({
  name: "net_wide",
  summary: "",
  params: {},
  result: text,
  handle: () => "x".repeat(8 * MEGABYTE),
});

/** Answers of 8 MB, and 20 MB that may wait for all peers. */
function anEndpointWithLittle(): RpcEndpoint {
  const budget = createBudget({ unsent: new MemoryBudget(20 * MEGABYTE) });
  return anEndpoint({ methods: [wide], subscriptions: ticker().rows, options: { budget } });
}

function post(body: string): string {
  return `POST / HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
}

async function isServed(address: string): Promise<void> {
  await using honest = await aPeer(address);
  honest.send(post(aCall("net_version")));
  expect(await honest.until((all) => all.endsWith("}\n"))).toContain('"13408"');
}

/** A paused socket learns of a reset only by writing. */
async function untilDropped(peers: readonly Peer[]): Promise<void> {
  while (peers.every(({ socket }) => socket.errored === null && !socket.destroyed)) {
    for (const { socket } of peers) socket.write(" ");
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

test.each([
  ["plain", ""],
  ["chunked", "on the full server"],
])("HTTP peers that take no answers are dropped when too much waits: %s requests", async (_name, full) => {
  const endpoint = anEndpointWithLittle();
  await using listener = await openHttp({ ...local, endpoint });
  const body = aCall("net_wide");
  const head =
    "POST / HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n";
  const request = full === "" ? post(body) : `${head}${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`;
  await using stack = new AsyncDisposableStack();
  const greedy: Peer[] = [];
  for (let i = 0; i < 4; i++) {
    const peer = stack.use(await aPeer(listener.address));
    peer.socket.pause();
    peer.send(request);
    greedy.push(peer);
  }
  await untilDropped(greedy);
  expect(endpoint.unsent.used).toBeLessThanOrEqual(20 * MEGABYTE);
  await isServed(listener.address);
});

function listenWs(endpoint: RpcEndpoint, more: Partial<WsListenerOptions> = {}): ReturnType<typeof openWs> {
  return openWs({ ...local, endpoint, subscriptionLimit: createSubscriptionLimit(), ...more });
}

async function aSocket(url: string): Promise<WebSocket> {
  const socket = new WebSocket(url);
  socket.on("error", () => undefined);
  await once(socket, "open");
  return socket;
}

async function ask(socket: WebSocket, call: string): Promise<string> {
  socket.send(call);
  const [bytes] = (await once(socket, "message")) as [Buffer];
  return bytes.toString("utf8");
}

test("WebSocket peers that take no answers are dropped when too much waits", async () => {
  const endpoint = anEndpointWithLittle();
  await using listener = await listenWs(endpoint);
  const greedy = await Promise.all(Array.from({ length: 4 }, () => aSocket(listener.url)));
  const closed = Promise.race(greedy.map((socket) => once(socket, "close")));
  for (const socket of greedy) {
    socket.pause();
    socket.send(aCall("net_wide"));
  }
  while (endpoint.unsent.used === 0) await new Promise((resolve) => setImmediate(resolve));
  const honest = await aSocket(listener.url);
  expect(await ask(honest, aCall("net_version"))).toContain('"13408"');
  expect(endpoint.unsent.used).toBeLessThanOrEqual(20 * MEGABYTE);
  for (const socket of greedy) socket.resume();
  await closed;
  for (const socket of [...greedy, honest]) socket.terminate();
});

test("half WebSocket messages have a budget: the largest is dropped, small ones go on", async () => {
  const endpoint = anEndpoint();
  await using listener = await listenWs(endpoint, { maxBuffered: 300_000 });
  const honest = await aSocket(listener.url);
  const greedy = await Promise.all([aSocket(listener.url), aSocket(listener.url)]);
  const closed = Promise.race(greedy.map((socket) => once(socket, "close")));
  for (const socket of greedy) socket.send("x".repeat(200_000), { fin: false });
  await closed;
  expect(await ask(honest, aCall("net_version"))).toContain('"13408"');
  for (const socket of [...greedy, honest]) socket.terminate();
});

test("many whole messages in a row are no half message", async () => {
  await using listener = await listenWs(anEndpoint(), { maxBuffered: 50_000 });
  const socket = await aSocket(listener.url);
  for (let round = 0; round < 30; round++) {
    expect(await ask(socket, aCall("net_version", ["x".repeat(20_000)], round))).toContain(`"id":${round},`);
  }
  socket.terminate();
});

/** Counted for each of them. */
const HEADS_BYTES = SUBSCRIPTION_BYTES + BYTES_A_CHARACTER * '["newHeads"]'.length;

async function subscribe(socket: WebSocket, count: number): Promise<void> {
  for (let id = 0; id < count; id++) {
    expect(await ask(socket, aCall("eth_subscribe", ["newHeads"], id))).toContain('"result":"0x');
  }
}

test("subscriptions of all connections together are bounded by bytes; those that end make room", async () => {
  const subscriptionLimit = createSubscriptionLimit(3000, 12 * HEADS_BYTES);
  await using listener = await listenWs(anEndpoint({ subscriptions: ticker().rows }), { subscriptionLimit });
  const [one, other] = [await aSocket(listener.url), await aSocket(listener.url)];
  await subscribe(one, 5);
  await subscribe(other, 4);
  const refused = '"error":{"code":-32000,"message":"too many subscriptions on all connections together"}';
  expect(await ask(other, aCall("eth_subscribe", ["newHeads"]))).toContain(refused);
  one.close();
  while (subscriptionLimit.used > 4) await new Promise((resolve) => setImmediate(resolve));
  await subscribe(other, 2);
  other.terminate();
});

test("the connection with the most subscriptions is dropped first when others with fewer find no room", async () => {
  const subscriptionLimit = createSubscriptionLimit(3000, 14 * HEADS_BYTES);
  await using listener = await listenWs(anEndpoint({ subscriptions: ticker().rows }), { subscriptionLimit });
  const [flood, ...small] = await Promise.all(Array.from({ length: 6 }, () => aSocket(listener.url)));
  if (flood === undefined) throw new Error("no connection");
  await subscribe(flood, 7);
  const closed = once(flood, "close");
  for (const socket of small) await subscribe(socket, 1);
  await closed;
  while (subscriptionLimit.used > 5) await new Promise((resolve) => setImmediate(resolve));
  expect(subscriptionLimit).toMatchObject({ used: 5, shares: { used: 5 * HEADS_BYTES } });
  for (const socket of small) socket.terminate();
});

test("the parameters of all subscriptions together have a limit too: filters are held", async () => {
  const subscriptionLimit = createSubscriptionLimit(3000, 2 * (SUBSCRIPTION_BYTES + 4_000));
  await using listener = await listenWs(anEndpoint({ subscriptions: ticker().rows }), { subscriptionLimit });
  const socket = await aSocket(listener.url);
  const padded = aCall("eth_subscribe", ["newHeads"]).replace(
    '["newHeads"]',
    `["newHeads"${" ".repeat(600)}]`,
  );
  const id = /0x[0-9a-f]+/.exec(await ask(socket, padded))?.[0];
  expect(await ask(socket, padded)).toContain("too many subscriptions");
  expect(await ask(socket, aCall("eth_unsubscribe", [id]))).toContain("true");
  expect(subscriptionLimit.shares.used).toBe(0);
  expect(await ask(socket, padded)).toContain('"result":"0x');
  expect(subscriptionLimit).toMatchObject({ begun: 2, ended: 1, connections: 1 });
  socket.terminate();
  while (subscriptionLimit.connections > 0) await new Promise((resolve) => setImmediate(resolve));
});

test("a peer that reads nothing does not keep an idle connection for ever", async () => {
  const few = method({ ...wideOf(300_000), name: "net_some" });
  await using listener = await openHttp({
    ...local,
    endpoint: anEndpoint({ methods: [few] }),
    limits: { idleMs: 50, writeMs: 50 },
  });
  await using peer = await aPeer(listener.address);
  peer.socket.pause();
  for (let i = 0; i < 20; i++) peer.send(post(aCall("net_some")));
  await untilDropped([peer]);
});

function wideOf(length: number) {
  return { name: "", summary: "", params: {}, result: text, handle: () => "y".repeat(length) };
}

/** Opens connections to a port and says when they are all there; half of them begin a request and never end it. */
const FLOOD = `
  const { connect } = require("node:net");
  const [port, count] = process.argv.slice(1).map(Number);
  let open = 0;
  const next = () => {
    if (open === count) return console.log("open");
    const socket = connect(port, "127.0.0.1", () => {
      if (open++ % 2 === 0) socket.write("POST / HTTP/1.1\\r\\nHost: x\\r\\nContent-Le");
      next();
    });
    socket.on("error", () => undefined);
  };
  next();
`;

test(`${CONNECTIONS} idle and half open connections cost little, and the next client is served`, async () => {
  await using listener = await openHttp({
    ...local,
    endpoint: anEndpoint(),
    limits: { maxConnections: CONNECTIONS + 10 },
  });
  const port = Number(listener.address.split(":")[1]);
  await isServed(listener.address);
  const before = process.memoryUsage().rss;
  const flood = spawn(process.execPath, ["-e", FLOOD, `${port}`, `${CONNECTIONS}`], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  await once(flood.stdout, "data");
  await isServed(listener.address);
  expect((process.memoryUsage().rss - before) / CONNECTIONS).toBeLessThan(60_000);
  flood.kill();
  await once(flood, "exit");
  await isServed(listener.address);
}, 60_000);

test("connections above the limit are closed at once, those below it stay", async () => {
  await using listener = await openHttp({ ...local, endpoint: anEndpoint(), limits: { maxConnections: 2 } });
  await using first = await aPeer(listener.address);
  await using second = await aPeer(listener.address);
  const third = connect({ host: "127.0.0.1", port: Number(listener.address.split(":")[1]) });
  third.on("error", () => undefined);
  await once(third, "close");
  for (const peer of [first, second]) {
    peer.send(post(aCall("net_version")));
    expect(await peer.until((all) => all.endsWith("}\n"))).toContain('"13408"');
  }
});

test("connections that never ask for an upgrade do not crowd out the WebSocket listener without end", async () => {
  await using listener = await listenWs(anEndpoint(), { maxConnections: 1 });
  await using stack = new AsyncDisposableStack();
  const port = Number(listener.address.split(":")[1]);
  const closed = Promise.withResolvers<unknown>();
  for (let i = 0; i < 1_010; i++) {
    const socket = connect({ host: "127.0.0.1", port });
    socket.on("error", () => undefined);
    socket.on("close", closed.resolve);
    stack.defer(() => void socket.destroy());
  }
  await closed.promise;
});

const CHUNKED =
  "POST / HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n";

function inChunks(body: string): string {
  return `${CHUNKED}${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`;
}

async function turns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn++) await new Promise((resolve) => setImmediate(resolve));
}

test("the full server answers one slice of pipelined requests, and reads on when they are answered", async () => {
  const late = gate("net_late");
  await using listener = await openHttp({ ...local, endpoint: anEndpoint({ methods: [late.method] }) });
  await using peer = await aPeer(listener.address);
  const request = inChunks(aCall("net_late"));
  const count = 500;
  peer.send(request.repeat(count));
  await until(() => late.calls > 0);
  await isServed(listener.address);
  await turns(200);
  expect(late.calls).toBeLessThan(1 + 4096 / request.length);
  const answered = (): number => peer.received.split('"result":"late"').length - 1;
  await until(() => {
    late.open();
    return answered() === count;
  });
});

/** An endpoint that has time until the test ends it; its turn goes on when the test says so. */
function aLateEndpoint() {
  const asked: string[] = [];
  const clock = { now: 0, nextTurn: (): void => undefined };
  const time = new FairTime("messages", {
    sliceMs: 1,
    now: () => clock.now,
    onNextTurn: (callback) => {
      clock.nextTurn = callback;
    },
  });
  const inner = anEndpoint();
  const answer: RpcEndpoint["answer"] = (message, session) => {
    asked.push(message);
    return inner.answer(message, session);
  };
  const { view, unsent } = inner;
  const endpoint = { view, unsent, time, answer, answerInParts: answer, retire: () => undefined };
  return { endpoint, asked, clock };
}

test("bodies on the full server are counted until their turn", async () => {
  const { endpoint, asked, clock } = aLateEndpoint();
  await using listener = await openHttp({ ...local, endpoint, limits: { maxBuffered: 600_000 } });
  await using stack = new AsyncDisposableStack();
  const peers: Peer[] = [];
  for (let id = 0; id < 2; id++) {
    const peer = stack.use(await aPeer(listener.address));
    peers.push(peer);
    peer.send(inChunks(aCall("net_version", [], id)));
    await peer.until((all) => all.includes('"13408"'));
  }
  clock.now = 10; // the turn is over
  for (const [id, peer] of peers.entries()) {
    peer.send(inChunks(aCall("net_version", ["x".repeat(250_000)], id)));
    await turns(300);
  }
  const gone = await Promise.race(peers.map((peer) => peer.closed().then(() => peer)));
  clock.now = 20;
  clock.nextTurn();
  const left = peers.filter((peer) => peer !== gone);
  await Promise.all(left.map((peer) => peer.until((all) => all.split('"13408"').length === 3)));
  expect(asked).toHaveLength(peers.length + left.length);
});

test("a request of who has left before its turn is not answered", async () => {
  const { endpoint, asked, clock } = aLateEndpoint();
  await using listener = await openHttp({ ...local, endpoint });
  const [one, other] = [await aPeer(listener.address), await aPeer(listener.address)];
  for (const peer of [one, other]) {
    peer.send(inChunks(aCall("net_version")));
    await peer.until((all) => all.includes('"13408"'));
  }
  clock.now = 10; // the turn is over
  for (const peer of [one, other]) peer.send(inChunks(aCall("net_version")));
  await turns(300);
  one.socket.destroy();
  await turns(300);
  clock.now = 20;
  clock.nextTurn();
  await other.until((all) => all.split('"13408"').length === 3);
  expect(asked).toHaveLength(3);
  other.socket.destroy();
});

/** An endpoint with answers of 300 kB. */
function aBulkyEndpoint(...more: readonly Method[]) {
  const answers = { count: 0 };
  const some = method({
    ...wideOf(300_000),
    name: "net_some",
    handle: () => {
      answers.count++;
      return "y".repeat(300_000);
    },
  });
  return { endpoint: anEndpoint({ methods: [some, ...more] }), answers };
}

/** A peer that has not read all of its answers; the fast path would still answer it. */
async function aFullPeer(
  address: string,
  { endpoint, answers }: ReturnType<typeof aBulkyEndpoint>,
): Promise<Peer> {
  const peer = await aPeer(address);
  peer.socket.setNoDelay().pause();
  for (let sent = 1; endpoint.unsent.used === 0; sent++) {
    peer.send(post(aCall("net_some")));
    await until(() => answers.count === sent);
  }
  return peer;
}

test("a peer that takes no answers is dropped at the deadline of the next call", async () => {
  const late = gate("net_late");
  const bulky = aBulkyEndpoint(late.method);
  const { endpoint } = bulky;
  await using listener = await openHttp({ ...local, endpoint, limits: { executionMs: 50 } });
  await using peer = await aFullPeer(listener.address, bulky);
  peer.send(post(aCall("net_late")));
  await until(() => late.calls > 0);
  await untilDropped([peer]);
});

test("a peer that takes no answers is dropped with the partial request for which there is no room", async () => {
  const bulky = aBulkyEndpoint();
  const { endpoint } = bulky;
  await using listener = await openHttp({ ...local, endpoint, limits: { maxBuffered: 30_000 } });
  await using peer = await aFullPeer(listener.address, bulky);
  peer.send(post("x".repeat(400_000)).slice(0, 40_000));
  await untilDropped([peer]);
});

test("answers that a peer has not read stay counted when its next request is for the full server", async () => {
  const bulky = aBulkyEndpoint();
  const { endpoint } = bulky;
  await using listener = await openHttp({ ...local, endpoint });
  await using peer = await aFullPeer(listener.address, bulky);
  const { used } = endpoint.unsent;
  peer.send(inChunks(aCall("net_version")));
  await turns(100);
  expect(endpoint.unsent.used).toBe(used);
  peer.socket.resume();
  await peer.until((all) => all.includes('"13408"'));
  expect(endpoint.unsent.used).toBe(0);
});
