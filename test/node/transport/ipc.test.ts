/** Tests of the IPC listener. */
import { mkdir, mkdtemp, rm, stat, symlink, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { createSubscriptionLimit } from "../../../node/jsonrpc/subscriptions.ts";
import { type IpcListenerOptions, openIpc } from "../../../node/transport/ipc.ts";
import type { Listener } from "../../../node/transport/listener.ts";
import { aCall, anEndpoint, aPeer, gate, recorded, ticker } from "../rpc/fixture.ts";

let directory: string;
let sockets = 0;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "rpc-ipc-"));
});
afterAll(async () => {
  await rm(directory, { recursive: true, force: true });
});

function aPath(): string {
  return join(directory, `${++sockets}`, "node.ipc");
}

function listen(more: Partial<IpcListenerOptions> = {}): Promise<Listener> {
  const subscriptionLimit = createSubscriptionLimit(10);
  return openIpc({ endpoint: anEndpoint(), subscriptionLimit, path: aPath(), ...more });
}

test("the recorded requests are answered as the Go node answers them", async () => {
  await using listener = await listen();
  for (const { request, response, varies } of recorded.ipc) {
    await using peer = await aPeer(listener.address);
    peer.send(request);
    const received = await peer.until((all) => all.length >= response.length);
    const lines = (text: string) => (varies ? text.split("\n").sort() : text);
    expect([request, lines(received)]).toEqual([request, lines(response)]);
  }
});

test("values may come in any pieces, with any white space between them", async () => {
  await using listener = await listen();
  await using peer = await aPeer(listener.address);
  const text = ` \n\t${aCall("net_version", [], "a\u00e9\u{1f600}")}${aCall("net_version", [], 2)}  [${aCall("net_version", [], 3)}]\n`;
  for (const byte of Buffer.from(text)) {
    peer.send(Uint8Array.of(byte));
    await new Promise((resolve) => setImmediate(resolve));
  }
  const received = await peer.until((all) => all.split("\n").length === 4);
  expect(received).toContain('{"jsonrpc":"2.0","id":"a\u00e9\u{1f600}","result":"13408"}\n');
  expect(received).toContain('[{"jsonrpc":"2.0","id":3,"result":"13408"}]\n');
});

test("what is not JSON is named, and ends the connection", async () => {
  await using listener = await listen();
  await using peer = await aPeer(listener.address);
  peer.send(`${aCall("net_version")}\n{"id":1,}${aCall("net_version", [], 2)}`);
  expect(await peer.closed()).toBe(
    '{"jsonrpc":"2.0","id":1,"result":"13408"}\n' +
      '{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"invalid character \'}\' looking for beginning of object key string"}}\n',
  );
});

test("a message above the limit ends the connection", async () => {
  await using listener = await listen({ maxMessage: 1000 });
  await using peer = await aPeer(listener.address);
  peer.send(`{"x":"${"y".repeat(2000)}`);
  expect(await peer.closed()).toContain('"message":"message too large"');
});

test("endless white space is not kept", async () => {
  await using listener = await listen({ maxMessage: 1000 });
  await using peer = await aPeer(listener.address);
  peer.send(" ".repeat(100_000));
  peer.send(aCall("net_version"));
  expect(await peer.until((all) => all.endsWith("\n"))).toContain("13408");
});

test("a peer with too many calls under way is not read from, and none is lost", async () => {
  const slow = gate("net_slow");
  await using listener = await listen({ endpoint: anEndpoint({ methods: [slow.method] }) });
  await using peer = await aPeer(listener.address);
  const filler = " ".repeat(1000);
  for (let id = 0; id < 1000; id++) peer.send(aCall("net_slow", [], id) + filler);
  while (slow.calls < 256) await new Promise((resolve) => setImmediate(resolve));
  for (let turn = 0; turn < 50; turn++) await new Promise((resolve) => setImmediate(resolve));
  expect(slow.calls).toBeLessThan(600);
  const all = peer.until((received) => received.split("\n").length === 1001);
  const opening = setInterval(() => slow.open(), 1);
  expect((await all).length).toBeGreaterThan(0);
  clearInterval(opening);
});

test("a peer that has sent its last call gets the answers under way, then the end", async () => {
  const slow = gate("net_slow");
  await using listener = await listen({ endpoint: anEndpoint({ methods: [slow.method] }) });
  await using peer = await aPeer(listener.address);
  peer.socket.end(aCall("net_slow"));
  while (slow.calls === 0) await new Promise((resolve) => setImmediate(resolve));
  for (let turn = 0; turn < 50; turn++) await new Promise((resolve) => setImmediate(resolve));
  slow.open();
  expect(await peer.closed()).toBe('{"jsonrpc":"2.0","id":1,"result":"late"}\n');
});

test("notifications come over IPC too", async () => {
  const source = ticker();
  await using listener = await listen({ endpoint: anEndpoint({ subscriptions: source.rows }) });
  await using peer = await aPeer(listener.address);
  peer.send(aCall("admin_subscribe", ["peerEvents"]));
  await peer.until((all) => all.endsWith("\n"));
  source.tick('{"type":"add"}');
  expect(await peer.until((all) => all.split("\n").length === 3)).toContain('"method":"admin_subscription"');
});

test("a peer that lets notifications pile up is closed", async () => {
  const source = ticker();
  await using listener = await listen({ endpoint: anEndpoint({ subscriptions: source.rows }) });
  await using peer = await aPeer(listener.address);
  peer.send(aCall("eth_subscribe", ["newHeads"]));
  await peer.until((all) => all.endsWith("\n"));
  peer.socket.pause();
  const payload = `"${"x".repeat(1_000_000)}"`;
  while (source.listeners > 0) {
    source.tick(payload);
    await new Promise((resolve) => setImmediate(resolve));
  }
  peer.socket.resume();
  await peer.closed();
});

test("the socket is for its owner alone, its folder is made", async () => {
  await using listener = await listen();
  expect((await stat(listener.address)).mode & 0o777).toBe(0o600);
});

test("a socket that nobody serves is replaced; a served one and other files are left alone", async () => {
  const path = aPath();
  await mkdir(join(path, ".."), { recursive: true });
  const other = createServer();
  await new Promise<void>((resolve) => other.listen(path, resolve));
  await expect(listen({ path })).rejects.toThrow("another process serves");
  await new Promise((resolve) => other.close(resolve));
  const stale = aPath();
  await mkdir(join(stale, ".."), { recursive: true });
  await leaveSocket(stale);
  await using listener = await listen({ path: stale });
  await using peer = await aPeer(listener.address);
  peer.send(aCall("net_version"));
  await peer.until((all) => all.endsWith("\n"));
  const file = aPath();
  await mkdir(join(file, ".."), { recursive: true });
  await writeFile(file, "precious");
  await expect(listen({ path: file })).rejects.toThrow("is not a socket");
  const link = `${file}.link`;
  await symlink(file, link);
  await expect(listen({ path: link })).rejects.toThrow("is not a socket");
});

/** Leaves the file of a socket whose process has gone. */
async function leaveSocket(path: string): Promise<void> {
  const { spawn } = await import("node:child_process");
  const script = `require("net").createServer().listen(${JSON.stringify(path)}, () => process.kill(process.pid, "SIGKILL"))`;
  const child = spawn(process.execPath, ["-e", script]);
  await new Promise((resolve) => child.once("exit", resolve));
}

test("a stopped listener takes its connections and its socket file with it", async () => {
  const listener = await listen();
  await using peer = await aPeer(listener.address);
  await listener[Symbol.asyncDispose]();
  expect(await peer.closed()).toBe("");
  await expect(stat(listener.address)).rejects.toThrow("ENOENT");
});
