/** Tests of the HTTP listener: recorded requests, framing, limits, CORS. */
import { expect, test } from "@jest/globals";
import { text } from "../../../node/jsonrpc/codecs/plain.ts";
import { method } from "../../../node/jsonrpc/method.ts";
import { type HttpListenerOptions, openHttp } from "../../../node/transport/http.ts";
import type { Listener } from "../../../node/transport/listener.ts";
import { aCall, anEndpoint, aPeer, gate, recorded } from "../rpc/fixture.ts";

function listen(more: Partial<HttpListenerOptions> = {}): Promise<Listener> {
  return openHttp({ host: "127.0.0.1", port: 0, endpoint: anEndpoint(), virtualHosts: ["*"], ...more });
}

function post(body: string, headers = ""): string {
  const length = Buffer.byteLength(body);
  return `POST / HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n${headers}Content-Length: ${length}\r\n\r\n${body}`;
}

const version = aCall("net_version");
const answered = '{"jsonrpc":"2.0","id":1,"result":"13408"}\n';

/** Bodies of the answers in what a socket received. */
function bodies(received: string): string[] {
  return received.split(/HTTP\/1\.1 [^\r]*\r\n(?:[^\r]+\r\n)*\r\n/).slice(1);
}

function count(received: string, part: string): number {
  return received.split(part).length - 1;
}

test("the recorded requests are answered as the Go node answers them", async () => {
  await using listener = await listen();
  let compared = 0;
  for (const entry of recorded.http) {
    const { host, port } = new URL(listener.url);
    const headers = Object.entries({ Host: host, ...entry.headers }).map(
      ([name, value]) => `${name}: ${value}\r\n`,
    );
    await using peer = await aPeer(`127.0.0.1:${port}`);
    const length = `Content-Length: ${Buffer.byteLength(entry.request)}\r\n`;
    const head = `${entry.method} ${entry.path} HTTP/1.1\r\n${headers.join("")}${length}Connection: close\r\n\r\n`;
    peer.send(head + entry.request);
    const received = await peer.closed();
    const [, status] = /^HTTP\/1\.1 (\d+)/.exec(received) ?? [];
    const type = /\r\ncontent-type: ([^\r]*)/i.exec(received)?.[1] ?? undefined;
    const name = `${entry.method} ${entry.path} ${entry.request}`;
    expect([name, status, bodies(received)[0]]).toEqual([name, String(entry.status), entry.response]);
    if (entry.response !== "") expect([name, type]).toEqual([name, entry.answerHeaders["Content-Type"]]);
    compared++;
  }
  expect(compared).toBe(recorded.http.length);
});

test("the same posts are answered alike on the fast path, over one kept connection", async () => {
  await using listener = await listen();
  await using peer = await aPeer(listener.address);
  const posts = recorded.http.filter(({ method: verb, headers, status }) => {
    return verb === "POST" && status === 200 && headers["Content-Type"] === "application/json";
  });
  for (const { request, response } of posts) {
    const before = peer.received.length;
    peer.send(post(request));
    const received = await peer.until((all) => bodies(all.slice(before))[0]?.length === response.length);
    expect([request, bodies(received.slice(before))[0]]).toEqual([request, response]);
  }
  expect(posts.length).toBeGreaterThan(60);
});

test("pipelined requests are answered in order, late ones among them", async () => {
  const slow = gate("net_slow");
  await using listener = await listen({ endpoint: anEndpoint({ methods: [slow.method] }) });
  await using peer = await aPeer(listener.address);
  peer.send(
    post(aCall("net_version", [], 1)) + post(aCall("net_slow", [], 2)) + post(aCall("net_version", [], 3)),
  );
  await peer.until((all) => all.includes('"id":1'));
  expect(peer.received).not.toContain('"id":3');
  slow.open();
  const received = await peer.until((all) => all.includes('"id":3'));
  expect(bodies(received).map((body) => (JSON.parse(body) as { id: number }).id)).toEqual([1, 2, 3]);
});

test("a request may come byte by byte and still is one request", async () => {
  await using listener = await listen();
  await using peer = await aPeer(listener.address);
  for (const byte of post(aCall("net_version", [], "\u00e9\u20ac\u{1f600}"))) {
    peer.send(byte);
    await new Promise((resolve) => setImmediate(resolve));
  }
  const received = await peer.until((all) => all.endsWith("}\n"));
  expect(bodies(received)).toEqual(['{"jsonrpc":"2.0","id":"\u00e9\u20ac\u{1f600}","result":"13408"}\n']);
});

test("a chunked request, and the ones after it on its connection, are served", async () => {
  await using listener = await listen();
  await using peer = await aPeer(listener.address);
  const head =
    "POST / HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n";
  peer.send(`${post(version)}${head}5\r\n${version.slice(0, 5)}\r\n`);
  await peer.until((all) => count(all, answered) === 1);
  peer.send(`${(version.length - 5).toString(16)}\r\n${version.slice(5)}\r\n0\r\n\r\n${post(version)}`);
  const received = await peer.until((all) => count(all, answered) === 3);
  expect(bodies(received)).toEqual([answered, answered, answered]);
});

test("two lengths, or a length and chunks, never make one request two", async () => {
  await using listener = await listen();
  for (const headers of [
    "Content-Length: 5\r\n",
    "Transfer-Encoding: chunked\r\n",
    "Content-Length : 3\r\n",
  ]) {
    await using peer = await aPeer(listener.address);
    peer.send(post(version, headers));
    expect(await peer.closed()).toMatch(/^HTTP\/1\.1 400 /);
  }
});

test.each([
  [
    "a head without end",
    `POST / HTTP/1.1\r\nHost: x\r\n${"X-A: aaaaaaaaaaaaaaaaaaaa\r\n".repeat(1200)}`,
    431,
  ],
  ["a head too long", `POST / HTTP/1.1\r\nHost: x\r\nX-A: ${"a".repeat(20_000)}\r\n\r\n`, 431],
  ["no HTTP", "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n", 400],
  ["another protocol's first line", "GET x y z\r\n\r\n", 400],
])("%s is refused and its connection closed", async (_name, bytes, status) => {
  await using listener = await listen();
  await using peer = await aPeer(listener.address);
  peer.send(bytes);
  const reason = status === 431 ? "431 Request Header Fields Too Large" : "400 Bad Request";
  const headers = "Content-Type: text/plain; charset=utf-8\r\nConnection: close\r\n";
  expect(await peer.closed()).toBe(`HTTP/1.1 ${reason}\r\n${headers}\r\n${reason}`);
});

test("a request without a host is refused; a health check has any path", async () => {
  await using listener = await listen();
  await using peer = await aPeer(listener.address);
  peer.send("GET /any/path HTTP/1.1\r\nHost: x\r\n\r\nPOST / HTTP/1.1\r\nContent-Length: 2\r\n\r\n{}");
  expect(await peer.closed()).toMatch(/^HTTP\/1\.1 200 OK\r\n[^]*\r\n\r\nHTTP\/1\.1 400 /);
});

test("a body above the limit is refused without being read", async () => {
  await using listener = await listen({ limits: { maxBody: 100 } });
  await using peer = await aPeer(listener.address);
  peer.send("POST / HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 101\r\n\r\n");
  expect(await peer.closed()).toMatch(/^HTTP\/1\.1 413 [^]*\r\n\r\ncontent length too large \(101>100\)\n$/);
});

test("a body without a length is cut at the limit", async () => {
  await using listener = await listen({ limits: { maxBody: 100 } });
  await using peer = await aPeer(listener.address);
  const body = `{"id":1,"method":"net_version","params":["${"x".repeat(200)}"]}`;
  const head =
    "POST / HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n";
  peer.send(`${head}${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`);
  expect(await peer.until((all) => all.endsWith("}\n"))).toContain('"message":"parse error"');
});

test("a half request is dropped when its time is up, on both paths", async () => {
  await using listener = await listen({ limits: { readMs: 30, idleMs: 60_000 } });
  for (const half of [
    post(version).slice(0, -3),
    "GET / HT",
    `${post(version)}PUT / HTTP/1.1\r\nHost: x\r\n`,
  ]) {
    await using peer = await aPeer(listener.address);
    peer.send(half);
    await peer.closed();
  }
});

test("an idle connection is closed when its time is up", async () => {
  await using listener = await listen({ limits: { idleMs: 300 } });
  await using peer = await aPeer(listener.address);
  peer.send(post(version));
  expect(bodies(await peer.closed())).toEqual([answered]);
});

test("a call that takes too long is answered with 503, on both paths", async () => {
  const slow = gate("net_slow");
  const endpoint = anEndpoint({ methods: [slow.method] });
  await using listener = await listen({ endpoint, limits: { executionMs: 20 } });
  for (const headers of ["", "Expect: 100-continue\r\n"]) {
    await using peer = await aPeer(listener.address);
    peer.send(post(aCall("net_slow"), headers));
    expect(await peer.closed()).toMatch(/HTTP\/1\.1 503 Service Unavailable\r\n[\s\S]*\r\n\r\ntimeout$/);
  }
  slow.open();
});

test("a reader that takes nothing does not make the node hold its answers", async () => {
  const wide = method({
    name: "net_wide",
    summary: "",
    params: {},
    result: text,
    handle: () => "x".repeat(400_000),
  });
  let calls = 0;
  const endpoint = anEndpoint({ methods: [wide] });
  const counting = {
    ...endpoint,
    view: endpoint.view,
    answerInParts: (...args: Parameters<typeof endpoint.answer>) => {
      calls++;
      return endpoint.answerInParts(...args);
    },
  };
  await using listener = await listen({ endpoint: counting, limits: { writeMs: 50 } });
  await using peer = await aPeer(listener.address);
  peer.socket.pause();
  peer.send(post(aCall("net_wide")).repeat(500));
  while (!peer.socket.destroyed && peer.socket.errored === null) {
    peer.send(" "); // a paused socket learns of the reset only by writing
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  expect(calls).toBeLessThan(100);
});

test("half requests of all connections together have a budget", async () => {
  await using listener = await listen({ limits: { maxBuffered: 5000 } });
  const part = post("x".repeat(4000)).slice(0, 3000);
  const chunked =
    "POST / HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n";
  await using first = await aPeer(listener.address);
  first.send(part);
  await using second = await aPeer(listener.address);
  second.send(part);
  const refused = await Promise.race([first.closed(), second.closed()]);
  expect(refused).toMatch(/^HTTP\/1\.1 429 /);
  await using third = await aPeer(listener.address);
  third.send(`${chunked}fa0\r\n${"x".repeat(4000)}`);
  await third.closed();
});

test("hosts that are not listed are refused before anything else, addresses are served", async () => {
  await using listener = await listen({ virtualHosts: ["Localhost"] });
  const send = async (host: string, line = "GET / HTTP/1.1") => {
    await using peer = await aPeer(listener.address);
    peer.send(`${line}\r\nHost: ${host}\r\nConnection: close\r\n\r\n`);
    return (await peer.closed()).slice(9, 12);
  };
  expect(await send("evil.example")).toBe("403");
  expect(await send("localhost:8551")).toBe("200");
  expect(await send("[::1]:8551")).toBe("200");
  expect(await send("127.0.0.1")).toBe("200");
  expect(await send("localhost", "GET http://evil.example/ HTTP/1.1")).toBe("403");
  expect(await send("evil.example", "GET http://localhost:8551/ HTTP/1.1")).toBe("200");
  await using peer = await aPeer(listener.address);
  peer.send(post(version));
  expect(await peer.until((all) => all.endsWith("\n"))).toContain("invalid host specified");
});

/** Answers of Kaia v2.2.2 to the same bytes. */
const HOSTS: readonly (readonly [host: string, status: number])[] = [
  ["localhost:x", 200],
  ["[localhost]:1", 200],
  ["", 200],
  ["::1", 200],
  ["[localhost]", 403],
  ["[::1]", 403],
  ["[::1", 403],
  ["[::1]x", 403],
  ["[::1]:5:6", 403],
  ["[fe80::1%25lo]:5", 403],
  ["[fe80::1%lo]", 403],
  ["[]:1", 403],
  [":80", 403],
  ["LOCALHOST", 403],
  ["local host", 400],
  ["localhost/", 400],
  ["user@localhost", 400],
  ['"localhost"', 400],
];

test.each(HOSTS)(
  "a host %j is answered as by the Go node, on both paths of the server",
  async (host, status) => {
    await using listener = await listen({ virtualHosts: ["localhost"] });
    for (const more of ["", "Connection: close\r\n"]) {
      await using peer = await aPeer(listener.address);
      peer.send(post(version, more).replace("Host: x", `Host: ${host}`));
      expect(await peer.until((all) => all.includes("\r\n\r\n"))).toContain(`HTTP/1.1 ${status} `);
    }
  },
);

test.each([
  ["two hosts", "POST / HTTP/1.1\r\nHost: x\r\nHost: x", "400 Bad Request"],
  ["no host", "POST / HTTP/1.1\r\nX-A: b", "400 Bad Request: missing required Host header"],
  [
    "another version",
    "POST / HTTP/2.0\r\nHost: x",
    "505 HTTP Version Not Supported: unsupported protocol version",
  ],
  ["half an escape", "POST /%zz HTTP/1.1\r\nHost: x", "400 Bad Request"],
  ["odd brackets in the target", "POST http://[::1 HTTP/1.1\r\nHost: x", "400 Bad Request"],
])("%s: refused with the Go node's text, and the connection ends", async (_what, line, reason) => {
  await using listener = await listen();
  await using peer = await aPeer(listener.address);
  peer.send(post(version).replace("POST / HTTP/1.1\r\nHost: x", line));
  const answer = await peer.closed();
  expect(answer).toContain(`HTTP/1.1 ${reason.slice(0, 3)} `);
  expect(answer.split("\r\n\r\n")[1]).toBe(reason);
});

test("a request with an Upgrade is answered, and the connection ends with what is behind it", async () => {
  await using listener = await listen();
  await using peer = await aPeer(listener.address);
  peer.send(post(version, "Connection: Upgrade\r\nUpgrade: websocket\r\n") + post(version));
  const answer = await peer.closed();
  expect(bodies(answer)).toEqual([answered]);
  expect(answer).toContain("Connection: close");
});

test("CORS headers are there for allowed origins alone, and preflights are answered", async () => {
  await using listener = await listen({ cors: ["http://a.example"] });
  const ask = (origin: string, { url } = listener) =>
    fetch(url, { method: "POST", body: version, headers: { origin, "content-type": "application/json" } });
  expect((await ask("http://a.example")).headers.get("access-control-allow-origin")).toBe("http://a.example");
  const foreign = await ask("http://b.example");
  expect(foreign.headers.get("access-control-allow-origin")).toBeNull();
  expect(await foreign.text()).toBe(answered);
  await using open = await listen({ cors: ["*"] });
  const any = await ask("http://b.example", open);
  expect([any.headers.get("access-control-allow-origin"), await any.text()]).toEqual(["*", answered]);
  const preflight = await fetch(listener.url, {
    method: "OPTIONS",
    headers: {
      origin: "http://a.example",
      "access-control-request-method": "POST",
      "access-control-request-headers": "content-type",
    },
  });
  expect(Object.fromEntries(preflight.headers)).toMatchObject({
    "access-control-allow-origin": "http://a.example",
    "access-control-allow-methods": "POST",
    "access-control-allow-headers": "content-type",
    "access-control-max-age": "600",
  });
});

test("closing a listener lets the answer in the making out and closes the rest", async () => {
  const slow = gate("net_slow");
  const listener = await listen({ endpoint: anEndpoint({ methods: [slow.method] }) });
  await using waiting = await aPeer(listener.address);
  await using idle = await aPeer(listener.address);
  waiting.send(post(aCall("net_slow")));
  idle.send(post(version));
  await idle.until((all) => all.endsWith("\n"));
  while (slow.calls === 0) await new Promise((resolve) => setImmediate(resolve));
  const closed = listener[Symbol.asyncDispose]();
  await idle.closed();
  slow.open();
  expect(await waiting.closed()).toContain('"result":"late"');
  await closed;
});

test("a taken port rejects", async () => {
  await using listener = await listen();
  const port = Number(listener.address.split(":")[1]);
  await expect(listen({ port })).rejects.toMatchObject({ code: "EADDRINUSE" });
});
