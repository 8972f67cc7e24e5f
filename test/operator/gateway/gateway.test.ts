/** Tests of the gateway: it passes calls on, answers its own, reports its state, and takes new certificates. */
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import { readReport } from "../../../operator/control/answers.ts";
import { createAuthority, issueOperator } from "../../../operator/control/authority.ts";
import { openChannel } from "../../../operator/control/channel.ts";
import { createCallQueue } from "../../../operator/gateway/call-queue.ts";
import { openCertificates } from "../../../operator/gateway/certificates.ts";
import { silentLog } from "../../../operator/observe/log.ts";
import { GatewayStand, type Identities, inDays, makeIdentities } from "../../support/gateway.ts";
import { until } from "../../support/until.ts";

let identities: Identities;
let stand: GatewayStand;

beforeAll(async () => {
  identities = await makeIdentities();
});

beforeEach(async () => {
  stand = await new GatewayStand(identities).open();
});

afterEach(async () => {
  await stand[Symbol.asyncDispose]();
});

test("passes a call on, under an id of its own, and the answer back", async () => {
  const url = `kni://${"ab".repeat(64)}@core:1?discport=0`;
  expect(await stand.channel.call(stand.address, "admin_addPeer", url)).toEqual({
    method: "admin_addPeer",
    params: [url],
  });
});

test("saves the trie cache by the name that a node serves in every profile", async () => {
  expect(await stand.channel.call(stand.address, "admin_saveTrieNodeToDisk")).toMatchObject({
    method: "admin_saveTrieNodeCacheToDisk",
  });
});

test("gives the node's error back as the node's", async () => {
  stand.answer = (_line, socket) =>
    socket.write('{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"not there"}}\n');
  await expect(stand.channel.call(stand.address, "admin_startStateMigration")).rejects.toMatchObject({
    code: "node-error",
    message: "not there (-32601)",
  });
});

const ID = "cd".repeat(64);
const TOLD: Readonly<Record<string, unknown>> = {
  admin_nodeInfo: { id: ID, name: "Knit", protocols: {} },
  admin_peers: [{ id: "ef".repeat(64), networks: [] }],
  chain_blockNumber: "0x10",
  chain_syncing: false,
  istanbul_getValidators: [`0x${"Ab".repeat(20)}`],
};

function telling(reported: Readonly<Record<string, unknown>>): GatewayStand["answer"] {
  return (line, socket) => {
    const result = reported[(JSON.parse(line) as { method: string }).method];
    const error = { code: -32_601, message: "not there" };
    socket.write(`${JSON.stringify({ id: 1, ...(result === undefined ? { error } : { result }) })}\n`);
  };
}

test("reports how the node is and how full its volume in one answer", async () => {
  stand.answer = telling(TOLD);
  const report = () => stand.channel.call(stand.address, "gateway_report");
  const { disk, ...reported } = readReport(await report());
  expect(reported).toMatchObject({
    id: ID,
    version: "Knit",
    peers: ["ef".repeat(64)],
    height: 16,
    syncing: false,
    council: [`0x${"ab".repeat(20)}`],
  });
  expect(disk?.sizeBytes).toBeGreaterThan(disk?.freeBytes ?? Number.POSITIVE_INFINITY);
  stand.answer = telling({ ...TOLD, istanbul_getValidators: undefined });
  expect(readReport(await report()).council).toBeUndefined();
  stand.answer = telling({ ...TOLD, chain_syncing: undefined });
  await expect(report()).rejects.toMatchObject({ code: "node-error", message: "not there (-32601)" });
  stand.answer = telling({ ...TOLD, admin_peers: "many" });
  await expect(report()).rejects.toMatchObject({
    code: "bad-answer",
    message: "the peers are not a list (-32000)",
  });
});

test.each([
  ["the next block, by which nodes admit each other", "pending", "bb"],
  ["the newest block where the node does not report the next", "latest", "aa"],
])("reports the validators of %s", async (_name, known, last) => {
  stand.answer = (line, socket) => {
    const { method, params } = JSON.parse(line) as { method: string; params: readonly string[] };
    const isNext = params[0] === "pending";
    const council = isNext && known !== "pending" ? undefined : [`0x${(isNext ? "bb" : "aa").repeat(20)}`];
    telling(method === "istanbul_getValidators" ? { istanbul_getValidators: council } : TOLD)(line, socket);
  };
  const { council } = readReport(await stand.channel.call(stand.address, "gateway_report"));
  expect(council).toEqual([`0x${last.repeat(20)}`]);
});

test.each([
  ["a directory that is not there", "/nowhere"],
  ["no directory", undefined],
])("reports no volume where it was given %s", async (_name, dataDirectory) => {
  stand.answer = telling(TOLD);
  const line = createCallQueue({ socketPath: join(stand.directory, "n.ipc"), dataDirectory, nodeMs: 30_000 });
  const { text } = await line({ method: "gateway_report", params: [] });
  expect(readReport((JSON.parse(text) as { result: unknown }).result).disk).toBeUndefined();
});

test("reports the reasons of the node's own readiness, and none when they cannot be read", async () => {
  stand.answer = telling(TOLD);
  let body = JSON.stringify({ ready: false, reasons: ["disk-low"] });
  const readyz = createServer((_request, response) => response.writeHead(503).end(body));
  await once(readyz.listen(0, "127.0.0.1"), "listening");
  const { port } = readyz.address() as AddressInfo; // listening on TCP
  const socketPath = join(stand.directory, "n.ipc");
  const readiness = `http://127.0.0.1:${port}/readyz`;
  const line = createCallQueue({ socketPath, dataDirectory: undefined, readiness, nodeMs: 30_000 });
  const reasons = async (): Promise<unknown> => {
    const { text } = await line({ method: "gateway_report", params: [] });
    return readReport((JSON.parse(text) as { result: unknown }).result).reasons;
  };
  expect(await reasons()).toEqual(["disk-low"]);
  body = JSON.stringify({ reasons: ["<b>"] });
  expect(await reasons()).toBeUndefined();
  readyz.close();
  readyz.closeAllConnections();
  expect(await reasons()).toBeUndefined();
});

test("gives up a report when all of the node's answers together take too long", async () => {
  stand.answer = (asked, socket) => void setTimeout(() => telling(TOLD)(asked, socket), 100);
  const socketPath = join(stand.directory, "n.ipc");
  const line = createCallQueue({ socketPath, dataDirectory: undefined, nodeMs: 200 });
  await expect(line({ method: "gateway_report", params: [] })).rejects.toMatchObject({ code: "silent" });
});

test("makes one call of maintenance at a time, and passes others on meanwhile", async () => {
  const waiting: Socket[] = [];
  stand.answer = (line, socket) =>
    line.includes("admin_peers") ? void socket.write('{"id":1,"result":[]}\n') : void waiting.push(socket);
  const saving = stand.channel.call(stand.address, "admin_saveTrieNodeToDisk");
  await until(() => waiting.length === 1);
  await expect(stand.channel.call(stand.address, "admin_startStateMigration")).rejects.toMatchObject({
    code: "busy",
    reason: "GatewayBusy",
  });
  expect(await stand.channel.call(stand.address, "admin_peers")).toEqual([]);
  waiting[0]?.write('{"id":1,"result":null}\n');
  expect(await saving).toBeNull();
  const migrating = stand.channel.call(stand.address, "admin_startStateMigration");
  await until(() => waiting.length === 2);
  waiting[1]?.write('{"id":1,"result":null}\n');
  expect(await migrating).toBeNull();
});

test("a line in the log and a count for each call: who, what, how it ended, how long, and no parameters", async () => {
  const url = `kni://${"ab".repeat(64)}@core:1?discport=0`;
  await stand.channel.call(stand.address, "admin_addPeer", url);
  await stand.stopNode();
  await stand.channel.call(stand.address, "admin_peers").catch(() => undefined);
  const calls = stand.lines.filter(({ message }) => message === "call");
  const who = { from: expect.stringContaining("127.0.0.1"), client: "knit-operator" };
  const certificate = expect.stringMatching(/^[0-9A-F]{8,}$/);
  const ms = expect.any(Number);
  expect(calls).toEqual([
    { ...who, certificate, ms, level: "info", message: "call", method: "admin_addPeer", outcome: "answered" },
    expect.objectContaining({ ...who, level: "warn", method: "admin_peers", outcome: "socket" }),
  ]);
  expect(JSON.stringify(stand.lines)).not.toContain("kni://");
  const metrics = await stand.metrics.render();
  expect(metrics).toContain('knit_gateway_calls_total{method="admin_addPeer",outcome="answered"} 1');
  expect(metrics).toContain('knit_gateway_calls_total{method="admin_peers",outcome="socket"} 1');
  expect(metrics).toContain("knit_gateway_connections 1");
});

const readPage = (): Promise<string> =>
  new Promise((resolve, reject) => {
    const socket = stand.connect().on("error", reject);
    socket.on("secureConnect", () => {
      resolve(socket.getPeerX509Certificate()?.fingerprint256 ?? "");
      socket.destroy();
    });
  });

test("a session may be resumed for an hour", async () => {
  const socket = stand.connect();
  const [session] = (await once(socket, "session")) as [Buffer];
  socket.destroy();
  // OpenSSL keeps the lifetime that it was told, in seconds, as element 9 of the session.
  expect(session.toString("hex")).toContain(`a9040202${(3_600).toString(16).padStart(4, "0")}`);
});

describe("certificates:", () => {
  test("a renewed one is shown without a new start, and half of one is not taken", async () => {
    const before = await readPage();
    stand.put({ "tls.key": identities.operator.key });
    await until(() => stand.lines.some(({ message }) => message === "certificate cannot be read again"));
    expect(await readPage()).toBe(before);
    await stand.putCertificate();
    await until(async () => (await readPage()) !== before);
    expect(await stand.channel.call(stand.address, "admin_peers")).toBeDefined();
  });

  test("while the authority changes both are believed, and afterwards the new one alone", async () => {
    const next = await createAuthority(Date.now());
    const authority = `${identities.authority.certificate}${next.certificate}`;
    using later = openChannel({ authority, operator: await issueOperator(next, Date.now()) });
    using both = openChannel({ authority, operator: identities.operator });
    await expect(later.call(stand.address, "admin_peers")).rejects.toMatchObject({ code: "certificate" });
    await stand.putCertificate(identities.authority, authority);
    await until(() =>
      later.call(stand.address, "admin_peers").then(
        () => true,
        () => false,
      ),
    );
    expect(await both.call(stand.address, "admin_peers")).toBeDefined();
    await stand.putCertificate(next);
    await until(() =>
      both.call(stand.address, "admin_peers").then(
        () => false,
        ({ code }: { code: string }) => code === "certificate",
      ),
    );
    expect(await later.call(stand.address, "admin_peers")).toBeDefined();
  });

  test("it is ready while its own is in force, and tells when that ends", async () => {
    expect(stand.gateway.ready()).toBe(true);
    stand.skewMs = inDays(91) - Date.now();
    expect(stand.gateway.ready()).toBe(false);
    stand.skewMs = inDays(-1) - Date.now();
    expect(stand.gateway.ready()).toBe(false);
    const [, text = ""] =
      /^knit_gateway_certificate_expiration_timestamp_seconds (\S+)$/m.exec(await stand.metrics.render()) ??
      [];
    expect(Math.abs(Number(text) * 1_000 - inDays(90))).toBeLessThan(600_000);
  });

  test("without one nothing opens", async () => {
    await expect(openCertificates(tmpdir(), 1_000, silentLog)).rejects.toMatchObject({ code: "ENOENT" });
  });
});
