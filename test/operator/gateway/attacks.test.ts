/**
 * Tests of attacks on the gateway: an attacker gets nothing, changes nothing, appears in the log, and does not block
 * the operator.
 */
import { connect as connectPlain, createServer, type Socket } from "node:net";
import type { TLSSocket } from "node:tls";
import { afterEach, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import {
  type Credentials,
  createAuthority,
  issueGateway,
  issueOperator,
} from "../../../operator/control/authority.ts";
import { openChannel } from "../../../operator/control/channel.ts";
import { clientOf } from "../../../operator/gateway/clients.ts";
import type { GatewayTimes } from "../../../operator/gateway/gateway.ts";
import {
  BODY,
  GATEWAY,
  GatewayStand,
  head,
  type Identities,
  inDays,
  makeIdentities,
  receiveAll,
} from "../../support/gateway.ts";
import { randomBytes, seededRandom } from "../../support/random.ts";
import { until } from "../../support/until.ts";

/** Connections of strangers in the crowd of all kinds, some at once. */
const CONNECTIONS = Number(process.env["KNIT_GATEWAY_CONNECTIONS"] ?? 112);
const AT_ONCE = 16;
/** Lines a minute that refused connections may write. */
const MAX_LINES = 30;

let identities: Identities;
let stand: GatewayStand;

beforeAll(async () => {
  identities = await makeIdentities();
});

/** The gateway with other times, which its attackers would otherwise wait for. */
async function open(times: Partial<GatewayTimes> = {}): Promise<void> {
  stand = await new GatewayStand(identities).open(times);
}

afterEach(async () => {
  await stand[Symbol.asyncDispose]();
});

describe("who cannot prove to be the operator gets nothing:", () => {
  beforeEach(() => open());

  test.each<[string, () => Promise<Partial<Credentials>>, string]>([
    ["no certificate", async () => ({}), "peer did not return a certificate"],
    [
      "another authority's certificate",
      async () => issueOperator(await createAuthority(Date.now()), Date.now()),
      "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
    ],
    [
      "this gateway's own certificate",
      () => issueGateway(identities.authority, GATEWAY, Date.now()),
      "INVALID_PURPOSE",
    ],
    [
      "another node's certificate",
      () => issueGateway(identities.authority, "proxy.demo.gateway.knit.dev", Date.now()),
      "INVALID_PURPOSE",
    ],
    [
      "a certificate that has ended",
      () => issueOperator(identities.authority, inDays(-100)),
      "CERT_HAS_EXPIRED",
    ],
    [
      "a certificate that is not in force yet",
      () => issueOperator(identities.authority, inDays(2)),
      "CERT_NOT_YET_VALID",
    ],
  ])("%s", async (_name, make, reason) => {
    const { certificate = "", key = "" } = await make();
    const socket = stand.connect({ cert: certificate, key });
    socket.on("secureConnect", () => socket.write(head(BODY.length) + BODY));
    expect(await receiveAll(socket)).toBe("");
    await until(() => stand.warnings().length > 0);
    expect(stand.warnings()).toEqual([["connection refused", expect.stringContaining(reason)]]);
    expect(await stand.metrics.render()).toContain(
      'knit_gateway_refused_connections_total{reason="certificate"} 1',
    );
    using other = openChannel({
      authority: identities.authority.certificate,
      operator: { certificate, key },
    });
    await expect(other.call(stand.address, "admin_peers")).rejects.toMatchObject({ code: "certificate" });
    expect(await stand.unharmed()).toBe(true);
  });

  test("a certificate of the right use and another name", () => {
    const certificate = {
      subject: { CN: "somebody" },
      serialNumber: "01",
      valid_to: "Jan  1 00:00:00 2100 GMT",
    };
    const socket = { authorized: true, getPeerCertificate: () => certificate } as unknown as TLSSocket; // as far as it is looked at
    expect(clientOf(socket, Date.now())).toEqual({
      name: "somebody",
      serial: "01",
      refusal: "the client is not the operator",
    });
  });

  test("a certificate that ends while its connection is open", async () => {
    expect(await stand.channel.call(stand.address, "admin_peers")).toBeDefined();
    stand.heard.length = 0;
    stand.skewMs = inDays(91) - Date.now();
    await expect(stand.channel.call(stand.address, "admin_peers")).rejects.toMatchObject({
      code: "refused",
      message: expect.stringContaining("the certificate has expired"),
    });
    stand.skewMs = 0;
    expect(await stand.unharmed()).toBe(true);
  });

  test("an older TLS", async () => {
    expect(await receiveAll(stand.connect({ maxVersion: "TLSv1.2" }))).toBe("");
    await until(() => stand.warnings().length > 0);
    expect(stand.warnings()).toEqual([
      ["connection refused", expect.stringContaining("unsupported protocol")],
    ]);
    expect(await stand.unharmed()).toBe(true);
  });

  test("no TLS at all", async () => {
    const plain = connectPlain({ host: "127.0.0.1", port: stand.port });
    plain.write(head(BODY.length) + BODY);
    expect(await receiveAll(plain)).not.toContain("jsonrpc");
    await until(() => stand.warnings().length > 0);
    expect(stand.warnings()).toEqual([["connection refused", expect.stringContaining("http request")]]);
    expect(await stand.unharmed()).toBe(true);
  });
});

test("an operator is not deceived by a gateway of another name, or of another authority", async () => {
  await open();
  const wrong = { ...stand.address, name: "proxy.demo.gateway.knit.dev" };
  await expect(stand.channel.call(wrong, "admin_peers")).rejects.toMatchObject({ code: "certificate" });
  await stand.putCertificate(await createAuthority(Date.now()));
  await until(() => stand.lines.some(({ message }) => message === "certificate renewed"));
  await expect(stand.channel.call(stand.address, "admin_peers")).rejects.toMatchObject({
    code: "certificate",
  });
  expect(stand.heard).toEqual([]);
});

const post = (bytes: Uint8Array | string): Buffer =>
  Buffer.concat([Buffer.from(head(Buffer.from(bytes).length)), Buffer.from(bytes)]);

describe("a request that is not as it should be is refused:", () => {
  beforeEach(() => open());

  test.each<[string, string | Uint8Array, number, string]>([
    [
      "a method off the list",
      post('{"method":"personal_unlockAccount","params":[]}'),
      403,
      "is not available",
    ],
    ["a parameter too many", post('{"method":"admin_peers","params":["x"]}'), 400, "takes none"],
    [
      "a URL of another kind",
      post('{"method":"admin_addPeer","params":["http://x"]}'),
      400,
      "takes node-url",
    ],
    ["a batch", post(`[${BODY}]`), 400, "the request is not a single JSON-RPC call"],
    ["deep nesting", post("[".repeat(4_000)), 400, "not JSON"],
    ["bytes that are no UTF-8", post(Buffer.of(0x22, 0xff, 0xfe, 0x22)), 400, "not JSON"],
    ["another path", `POST /admin HTTP/1.1\r\nhost: x\r\ncontent-length: 2\r\n\r\n{}`, 404, "only POST"],
    ["another verb", "GET / HTTP/1.1\r\nhost: x\r\n\r\n", 404, "only POST"],
    ["an announced flood", `${head(999_999_999)}${"x".repeat(8_192)}`, 413, "too large"],
    [
      "a flood in chunks",
      `POST / HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\n2000\r\n${"x".repeat(0x2000)}\r\n`,
      413,
      "too large",
    ],
  ])("%s", async (_name, request, status, why) => {
    const socket = stand.connect();
    socket.write(request);
    expect(await receiveAll(socket)).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
    expect(stand.warnings()).toEqual([["call", expect.stringContaining(why)]]);
    expect(await stand.unharmed()).toBe(true);
  });

  test.each([
    ["a head without end", `POST / HTTP/1.1\r\nx: ${"y".repeat(20_000)}`, /^HTTP\/1\.1 431 /],
    [
      "two lengths",
      "POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 2\r\ncontent-length: 3\r\n\r\n{}",
      /^HTTP\/1\.1 400 /,
    ],
    ["no HTTP", "\u0000\u0001\u0002\r\n\r\n", /^HTTP\/1\.1 400 /],
  ])("%s", async (_name, request, expected) => {
    const socket = stand.connect();
    socket.write(request);
    expect(await receiveAll(socket)).toMatch(expected);
    expect(await stand.unharmed()).toBe(true);
  });

  test("requests one behind the other: the connection ends with the second", async () => {
    const held: Socket[] = [];
    stand.answer = (_line, socket) => void held.push(socket);
    const socket = stand.connect();
    socket.write((head(BODY.length) + BODY).repeat(20));
    expect(await receiveAll(socket)).toBe("");
    expect(stand.heard.length).toBeLessThanOrEqual(1);
    expect(stand.warnings()).toEqual([["connection closed: a request before the last response", undefined]]);
  });
});

test("strangers of every kind, one crowd after the other, get nothing and fill no log", async () => {
  await open();
  const random = seededRandom(7);
  const request = head(BODY.length) + BODY;
  const withKey =
    ({ certificate, key }: Credentials) =>
    () => {
      const socket = stand.connect({ cert: certificate, key });
      return socket.on("secureConnect", () => socket.write(request));
    };
  const withBytes = (bytes: () => Uint8Array | string) => () => {
    const socket = connectPlain({ host: "127.0.0.1", port: stand.port });
    return socket.end(bytes()); // or bytes that look like the beginning of more are waited for
  };
  const strangers: readonly (() => Socket)[] = [
    withKey({ certificate: "", key: "" }),
    withKey(await issueOperator(await createAuthority(Date.now()), Date.now())),
    withKey(await issueGateway(identities.authority, GATEWAY, Date.now())),
    withKey(await issueOperator(identities.authority, inDays(-100))),
    () => stand.connect({ maxVersion: "TLSv1.2" }),
    withBytes(() => request),
    withBytes(() => randomBytes(random, 600)),
  ];
  const began = Date.now();
  for (let begun = 0; begun < CONNECTIONS; begun += AT_ONCE) {
    const crowd = Array.from({ length: AT_ONCE }, (_, i) => strangers[(begun + i) % strangers.length]?.());
    const answers = await Promise.all(
      crowd.flatMap((socket) => (socket === undefined ? [] : [receiveAll(socket)])),
    );
    expect(answers.join("")).not.toContain("jsonrpc");
  }
  expect(stand.heard).toEqual([]);
  const minutes = 1 + Math.ceil((Date.now() - began) / 60_000);
  expect(stand.warnings().length).toBeLessThanOrEqual(minutes * MAX_LINES);
  expect(stand.warnings().length).toBeGreaterThanOrEqual(Math.min(CONNECTIONS / 2, MAX_LINES));
  expect(await stand.unharmed()).toBe(true);
});

test("recorded bytes that are played again open nothing", async () => {
  await open();
  const recorded: Buffer[] = [];
  const tap = createServer((client) => {
    const server = connectPlain({ host: "127.0.0.1", port: stand.port });
    client.on("data", (chunk: Buffer) => void recorded.push(chunk));
    client.pipe(server).pipe(client);
    for (const each of [client, server]) each.on("error", () => undefined);
  });
  await new Promise<void>((resolve) => tap.listen(0, "127.0.0.1", resolve));
  const { port } = tap.address() as { port: number };
  await stand.channel.call({ ...stand.address, port }, "admin_startStateMigration");
  expect(stand.heard).toHaveLength(1);
  stand.heard.length = 0;
  const replayed = connectPlain({ host: "127.0.0.1", port: stand.port });
  for (const chunk of recorded) replayed.write(chunk);
  await receiveAll(replayed);
  await until(() => stand.warnings().length > 0);
  expect(stand.warnings()).toEqual([["connection refused", expect.any(String)]]);
  expect(await stand.unharmed()).toBe(true);
  stand.channel[Symbol.dispose]();
  await new Promise((resolve) => tap.close(resolve));
});
