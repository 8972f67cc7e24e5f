/** Tests of the WebSocket listener: recorded requests, notifications, origins, large answers. */
import { connect } from "node:net";
import { expect, test } from "@jest/globals";
import { WebSocket } from "ws";
import { text as textCodec } from "../../../node/jsonrpc/codecs/plain.ts";
import { method } from "../../../node/jsonrpc/method.ts";
import { createSubscriptionLimit } from "../../../node/jsonrpc/subscriptions.ts";
import type { Listener } from "../../../node/transport/listener.ts";
import { openWs, type WsListenerOptions } from "../../../node/transport/ws.ts";
import { aCall, anEndpoint, aPeer, gate, recorded, ticker } from "../rpc/fixture.ts";

function listen(more: Partial<WsListenerOptions> = {}): Promise<Listener> {
  return openWs({
    host: "127.0.0.1",
    port: 0,
    endpoint: anEndpoint(),
    subscriptionLimit: createSubscriptionLimit(3000),
    ...more,
  });
}

interface Client extends AsyncDisposable {
  readonly socket: WebSocket;
  send(text: string): void;
  /** The next message. */
  next(): Promise<string>;
  /** The code the connection was closed with. */
  closed(): Promise<number>;
}

async function aClient(url: string, headers: Record<string, string> = {}): Promise<Client> {
  const socket = new WebSocket(url, { headers });
  const messages: string[] = [];
  let wake: (() => void) | undefined;
  const closed = new Promise<number>((resolve) => socket.once("close", resolve));
  socket.on("message", (message: Buffer, isBinary) => {
    messages.push(isBinary ? "binary" : message.toString("utf8"));
    wake?.();
  });
  await new Promise((resolve, reject) => {
    socket.once("open", resolve);
    socket.once("error", reject);
  });
  socket.on("error", () => undefined);
  return {
    socket,
    send: (text) => socket.send(text),
    next: async () => {
      while (messages.length === 0) {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
      return messages.shift() ?? "";
    },
    closed: () => closed,
    [Symbol.asyncDispose]: async () => {
      socket.terminate();
      await closed;
    },
  };
}

/** Subscription ids are random, without leading zeros: all look alike. */
function withoutIds(text: string): string {
  return text.replace(/"0x[0-9a-f]{20,32}"/g, '"<id>"');
}

test("the recorded requests are answered as the Go node answers them", async () => {
  const endpoint = anEndpoint({ subscriptions: ticker().rows });
  await using listener = await listen({ endpoint });
  await using client = await aClient(listener.url);
  let compared = 0;
  for (const [direction, text] of recorded.ws) {
    if (/"id":(3|4|5|7|17|18|20|21),/.test(text)) continue; // they need logs, or ids of the recording
    if (direction === "send") {
      client.send(text);
      continue;
    }
    expect(withoutIds(await client.next())).toBe(withoutIds(text));
    compared++;
    if (text.includes("invalid character")) expect(await client.closed()).toBe(1005);
  }
  expect(compared).toBeGreaterThan(15);
});

test("messages of every framing are answered in their order", async () => {
  await using listener = await listen();
  await using client = await aClient(listener.url);
  const ponged = new Promise((resolve) => client.socket.once("pong", resolve));
  client.send(aCall("net_version", [], 1));
  client.send(aCall("net_version", [], "ü"));
  client.socket.ping();
  client.send(aCall("net_version", [], 2));
  const call = aCall("net_version", [], 3);
  client.socket.send(call.slice(0, 9), { fin: false });
  client.socket.send(call.slice(9), { fin: true });
  client.send(aCall("net_version", [], 4));
  client.socket.send(Buffer.from(aCall("net_version", [], 5)));
  client.send(aCall("net_version", ["x".repeat(70_000)], 6));
  for (const id of [1, '"ü"', 2, 3, 4, 5, 6]) expect(await client.next()).toContain(`"id":${id},`);
  await ponged;
});

test("text that is not UTF-8 closes the connection with code 1007", async () => {
  await using listener = await listen();
  await using client = await aClient(listener.url);
  client.socket.send(Buffer.of(0x22, 0xff, 0x22), { binary: false });
  expect(await client.closed()).toBe(1007);
});

test("a message above the limit closes the connection with code 1009", async () => {
  await using listener = await listen({ maxMessage: 1000 });
  await using client = await aClient(listener.url);
  client.send("x".repeat(1001));
  expect(await client.closed()).toBe(1009);
});

test("notifications follow the answer that names their subscription, and end with it", async () => {
  const source = ticker();
  const slow = gate("net_slow");
  await using listener = await listen({
    endpoint: anEndpoint({ subscriptions: source.rows, methods: [slow.method] }),
  });
  await using client = await aClient(listener.url);
  client.send(`[${aCall("klay_subscribe", ["newHeads"], 1)},${aCall("net_slow", [], 2)}]`);
  while (slow.calls === 0) await new Promise((resolve) => setImmediate(resolve));
  source.tick('{"number":"0x1"}');
  slow.open();
  const [{ result: id }] = JSON.parse(await client.next()) as [{ result: string }];
  expect(id).toMatch(/^0x[1-9a-f][0-9a-f]{0,31}$/);
  const notification = (number: string) =>
    `{"jsonrpc":"2.0","method":"klay_subscription","params":{"subscription":"${id}","result":{"number":"${number}"}}}\n`;
  expect(await client.next()).toBe(notification("0x1"));
  source.tick('{"number":"0x2"}');
  expect(await client.next()).toBe(notification("0x2"));
  client.send(aCall("eth_unsubscribe", [id]));
  expect(await client.next()).toBe('{"jsonrpc":"2.0","id":1,"result":true}\n');
  expect(source.listeners).toBe(0);
  client.send(aCall("eth_unsubscribe", [1]));
  expect(await client.next()).toContain("json: cannot unmarshal number into Go value of type rpc.ID");
});

test("a slow call holds up neither other calls nor other subscriptions", async () => {
  const source = ticker();
  const slow = gate("net_slow");
  await using listener = await listen({
    endpoint: anEndpoint({ subscriptions: source.rows, methods: [slow.method] }),
  });
  await using client = await aClient(listener.url);
  client.send(aCall("eth_subscribe", ["newHeads"], 1));
  await client.next();
  client.send(aCall("net_slow", [], 2));
  client.send(aCall("net_version", [], 3));
  expect(await client.next()).toContain('"id":3');
  source.tick("1");
  expect(await client.next()).toContain('"method":"eth_subscription"');
  slow.open();
  expect(await client.next()).toContain('"id":2');
});

const GO_LIMIT =
  "websocket connection. The limit can be updated with 'admin_setMaxSubscriptionPerWSConn' API";

test.each([
  ["service", "WebSocket connection"],
  ["klaytn", GO_LIMIT],
  ["kaia", GO_LIMIT],
] as const)(
  "a connection gets so many subscriptions and no more, others are not affected: %s",
  async (profile, reported) => {
    const source = ticker();
    const endpoint = anEndpoint({ subscriptions: source.rows, profile });
    await using listener = await listen({ endpoint, subscriptionLimit: createSubscriptionLimit(2) });
    await using client = await aClient(listener.url);
    for (let id = 1; id <= 3; id++) client.send(aCall("chain_subscribe", ["newHeads"], id));
    await client.next();
    await client.next();
    expect(await client.next()).toBe(
      `{"jsonrpc":"2.0","id":3,"error":{"code":-32000,"message":"Maximum 2 subscriptions are allowed for a ${reported}"}}\n`,
    );
    await using other = await aClient(listener.url);
    other.send(aCall("chain_subscribe", ["newHeads"]));
    expect(await other.next()).toContain('"result":"0x');
  },
);

test("a closed connection takes its subscriptions with it", async () => {
  const source = ticker();
  await using listener = await listen({ endpoint: anEndpoint({ subscriptions: source.rows }) });
  {
    await using client = await aClient(listener.url);
    client.send(aCall("eth_subscribe", ["newHeads"]));
    await client.next();
    expect(source.listeners).toBe(1);
  }
  while (source.listeners > 0) await new Promise((resolve) => setImmediate(resolve));
});

test("a peer that lets notifications pile up is closed", async () => {
  const source = ticker();
  await using listener = await listen({
    endpoint: anEndpoint({ subscriptions: source.rows }),
    limits: { maxNotified: 200_000 },
  });
  await using client = await aClient(listener.url);
  client.send(aCall("eth_subscribe", ["newHeads"]));
  await client.next();
  client.socket.pause();
  const payload = `"${"x".repeat(50_000)}"`;
  while (source.listeners > 0) {
    source.tick(payload);
    await new Promise((resolve) => setImmediate(resolve));
  }
  client.socket.resume();
  expect(await client.closed()).toBe(1006);
});

test("the first request that is no upgrade ends its connection, whatever follows it", async () => {
  await using listener = await listen();
  await using peer = await aPeer(listener.address);
  peer.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n".repeat(100));
  const answers = (await peer.closed()).split("HTTP/1.1 400 ").slice(1);
  expect(answers).toEqual([expect.stringMatching(/connection: close\r\n/i)]);
});

test("origins that are not listed are refused, requests without one are not", async () => {
  await using strict = await listen({ origins: ["http://A.example"] });
  await expect(aClient(strict.url, { origin: "http://b.example" })).rejects.toThrow("403");
  await using allowed = await aClient(strict.url, { origin: "http://a.EXAMPLE" });
  await using without = await aClient(strict.url);
  expect([allowed.socket.readyState, without.socket.readyState]).toEqual([1, 1]);
  await using standard = await listen();
  await expect(aClient(standard.url, { origin: "http://b.example" })).rejects.toThrow("403");
  await using local = await aClient(standard.url, { origin: "http://localhost" });
  await using open = await listen({ origins: ["*"] });
  await using foreign = await aClient(open.url, { origin: "http://b.example" });
  expect([local.socket.readyState, foreign.socket.readyState]).toEqual([1, 1]);
});

/** Sends the head of an upgrade with other lines in place of its own and returns the head of the answer. */
async function upgradeWith(listener: Listener, first: string, more: Record<string, string>): Promise<string> {
  const lines = {
    Host: "x",
    Connection: "Upgrade",
    Upgrade: "websocket",
    "Sec-WebSocket-Version": "13",
    "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==",
    ...more,
  };
  await using peer = await aPeer(listener.address);
  const head = Object.entries(lines).map(([name, value]) => `${name}: ${value}\r\n`);
  peer.send(`${first} / HTTP/1.1\r\n${head.join("")}\r\n`);
  return await peer.until((all) => all.includes("\r\n\r\n"));
}

test.each([
  ["GET", { Upgrade: "h2c" }, "400 Bad Request"],
  ["GET", { "Sec-WebSocket-Version": "8" }, "400 Bad Request"],
  ["GET", { "Sec-WebSocket-Key": "abc" }, "400 Bad Request"],
  ["GET", { Connection: "close" }, "400 Bad Request"],
  ["POST", { "Content-Length": "0" }, "405 Method Not Allowed"],
  ["GET", { Origin: "http://b.example" }, "403 Forbidden"],
])("an upgrade by %s with %j is refused with the version that is spoken", async (first, more, status) => {
  await using listener = await listen();
  const refusal = await upgradeWith(listener, first, more);
  expect(refusal.startsWith(`HTTP/1.1 ${status}\r\n`)).toBe(true);
  expect(refusal).toContain("Sec-Websocket-Version: 13\r\n");
  expect(refusal).toContain(`Content-Length: ${status.length - 3}\r\n`);
});

test("no subprotocol is chosen", async () => {
  await using listener = await listen();
  const answer = await upgradeWith(listener, "GET", { "Sec-WebSocket-Protocol": "chat, json" });
  expect(answer).toMatch(/^HTTP\/1\.1 101 /);
  expect(answer).not.toContain("Protocol:");
});

test("connections above the limit get nothing", async () => {
  await using listener = await listen({ maxConnections: 1 });
  await using first = await aClient(listener.url);
  await expect(aClient(listener.url)).rejects.toThrow("200");
  first.send(aCall("net_version"));
  expect(await first.next()).toContain("13408");
});

test("a peer that stays after its upgrade was refused is cut off", async () => {
  await using listener = await listen({ origins: ["http://a.example"] });
  const { hostname, port } = new URL(listener.url);
  const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true });
  const head =
    "GET / HTTP/1.1\r\nHost: x\r\nOrigin: http://b.example\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n";
  socket.write(`${head}Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n`);
  socket.write("x".repeat(100_000));
  socket.on("error", () => undefined); // the cut
  const received = await new Promise<string>((resolve) =>
    socket.once("data", (bytes) => resolve(bytes.toString("latin1"))),
  );
  expect(received).toMatch(/^HTTP\/1\.1 403 /);
  const sending = setInterval(() => socket.write("x"), 50); // this side does not end
  await new Promise((resolve) => socket.once("close", resolve));
  clearInterval(sending);
});

test("a read deadline ends a connection however busy it is", async () => {
  await using listener = await listen({ readDeadlineMs: 50 });
  await using client = await aClient(listener.url);
  const asking = setInterval(() => client.send(aCall("net_version")), 5);
  expect(await client.closed()).toBe(1006);
  clearInterval(asking);
});

test("a stopped listener says goodbye", async () => {
  const listener = await listen();
  await using client = await aClient(listener.url);
  await Promise.all([listener[Symbol.asyncDispose](), client.closed()]);
  expect(await client.closed()).toBe(1001);
});

test.each([100, 125, 126, 60_000, 65_535, 65_536, 200_000])(
  "an answer of %d characters comes whole",
  async (size) => {
    const wide = method({
      name: "net_wide",
      summary: "",
      params: { filler: textCodec },
      result: textCodec,
      handle: ({ filler }) => filler,
    });
    await using listener = await listen({ endpoint: anEndpoint({ methods: [wide] }) });
    await using client = await aClient(listener.url);
    const frame = '{"jsonrpc":"2.0","id":1,"result":""}\n'.length;
    for (const filler of ["x".repeat(size - frame), "\u00e9".repeat(size - frame)]) {
      client.send(aCall("net_wide", [filler]));
      expect(await client.next()).toBe(`{"jsonrpc":"2.0","id":1,"result":"${filler}"}\n`);
    }
  },
);
