/** Requests that no honest client sends: the node must answer or close, and serve the next client as ever. */

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, jest, test } from "@jest/globals";
import { createSubscriptionLimit } from "../../../node/jsonrpc/subscriptions.ts";
import { HeadReader } from "../../../node/transport/fast/http-head.ts";
import { openHttp } from "../../../node/transport/http.ts";
import { openIpc } from "../../../node/transport/ipc.ts";
import { openWs } from "../../../node/transport/ws.ts";
import { seededRandom } from "../../support/random.ts";
import { wholeEnvelope } from "../../support/whole-envelope.ts";
import { aCall, anEndpoint, aPeer, recorded, ticker } from "../rpc/fixture.ts";

const rounds = Number(process.env["KNIT_MUTATIONS"] ?? 300);
jest.setTimeout(30_000 + 10 * rounds);
const version = aCall("net_version");
const good = `POST / HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: ${version.length}\r\n\r\n${version}`;
const upgrade =
  "GET / HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n" +
  "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n";

/** Whole numbers below a bound. */
type Random = (below: number) => number;

function randomOf(seed: number): Random {
  const random = seededRandom(seed);
  return (below) => Math.floor(random() * below);
}

const PIECES = [
  "\r\n",
  "\n",
  "\0",
  ":",
  " ",
  "Content-Length: 5\r\n",
  "Transfer-Encoding: chunked\r\n",
  "\u00ff",
  "[",
  '"',
  "\\",
];

/** Bytes changed, dropped, doubled or put in at some places. */
function mutate(text: string, random: Random): Buffer {
  let bytes = Buffer.from(text, "latin1");
  for (let changes = 1 + random(4); changes > 0; changes--) {
    const at = random(bytes.length + 1);
    const piece = Buffer.from(PIECES[random(PIECES.length)] ?? "", "latin1");
    const dropped = random(3) === 0 ? random(30) : random(2);
    bytes = Buffer.concat([bytes.subarray(0, at), piece, bytes.subarray(at + dropped)]);
  }
  return bytes;
}

test("mutated HTTP requests are answered or refused, one answer at most for what is one request", async () => {
  await using listener = await openHttp({
    host: "127.0.0.1",
    port: 0,
    endpoint: anEndpoint(),
    virtualHosts: ["*"],
  });
  const random = randomOf(11);
  for (let round = 0; round < rounds; round++) {
    await using peer = await aPeer(listener.address);
    const bytes = mutate(good, random);
    peer.send(bytes);
    peer.socket.end(); // a half request is over then
    const received = await peer.closed();
    const statuses = [...received.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => status ?? "");
    for (const status of statuses)
      expect([bytes.toString("latin1"), status]).toEqual([
        expect.anything(),
        expect.stringMatching(/^(200|400|403|405|408|413|415|431|501|505)$/),
      ]);
    expect([bytes.toString("latin1"), received.split('"13408"').length <= 2]).toEqual([
      expect.anything(),
      true,
    ]);
  }
  await using peer = await aPeer(listener.address);
  peer.send(good);
  expect(await peer.until((all) => all.endsWith("\n"))).toContain('"13408"');
});

test("mutated upgrades and frames end in a refusal or a close", async () => {
  const endpoint = anEndpoint({ subscriptions: ticker().rows });
  await using listener = await openWs({
    host: "127.0.0.1",
    port: 0,
    endpoint,
    subscriptionLimit: createSubscriptionLimit(5),
  });
  const random = randomOf(12);
  const frame = Buffer.concat([Buffer.from([0x81, 0x80 | version.length, 0, 0, 0, 0]), Buffer.from(version)]);
  for (let round = 0; round < rounds; round++) {
    await using peer = await aPeer(listener.address);
    const isFrame = round % 2 === 0;
    peer.send(isFrame ? upgrade : mutate(upgrade, random));
    peer.send(isFrame ? mutate(frame.toString("latin1"), random) : frame);
    peer.socket.end();
    expect(await peer.closed()).toMatch(/^(HTTP\/1\.1 (101|200|400|403|431) |$)/);
  }
});

test("mutated IPC input ends in answers and at most one parse error", async () => {
  const directory = await mkdtemp(join(tmpdir(), "rpc-hostile-"));
  {
    const subscriptionLimit = createSubscriptionLimit(5);
    await using listener = await openIpc({
      path: join(directory, "ipc"),
      endpoint: anEndpoint(),
      subscriptionLimit,
    });
    const random = randomOf(13);
    for (let round = 0; round < rounds; round++) {
      await using peer = await aPeer(listener.address);
      peer.send(mutate(`${version}\n[${version},5]\n`, random));
      peer.socket.end();
      const lines = (await peer.closed()).split("\n").slice(0, -1);
      for (const line of lines) expect(() => JSON.parse(line) as unknown).not.toThrow();
      expect(lines.filter((line) => line.includes("-32700")).length).toBeLessThan(2);
    }
  }
  await rm(directory, { recursive: true, force: true });
});

test("mutated bodies of every recorded request are read or refused, never half read", () => {
  const random = randomOf(14);
  for (let round = 0; round < rounds * 10; round++) {
    const { request } = recorded.http[random(recorded.http.length)] ?? { request: "" };
    const text = mutate(request, random).toString("latin1");
    const envelope = wholeEnvelope(text);
    if (envelope === undefined || envelope === "empty") continue;
    expect(() => JSON.parse(text.slice(0, envelope.end)) as unknown).not.toThrow();
  }
});

test("a head is judged in one pass, whatever fills it", () => {
  const reader = new HeadReader({ maxBody: 1000, virtualHosts: ["*"], hasCors: false });
  const fillers = [
    `Host:${" ".repeat(15_000)}\x01`,
    `Host:${"\t ".repeat(7_500)}\x7f`,
    `Content-Type: application/json; a=b${" ".repeat(15_000)}x`,
    `Content-Type: application/json${"; a=b ".repeat(2_500)}x`,
    `Content-Type: application/json; a="${"\\".repeat(15_000)}`,
    `${"a".repeat(15_000)} : b`,
  ];
  const started = performance.now();
  for (const line of fillers) {
    const full = `${line}\r\nHost: x\r\nContent-Length: 2`;
    expect(reader.read(headOf(line))).toBe("foreign");
    expect(reader.read(headOf(full))).toBe("foreign");
  }
  expect(performance.now() - started).toBeLessThan(400); // one of them took 600 ms when spaces could match twice
});

const DEEP = `{"id":1,"method":"net_version","params":${"[".repeat(200_000)}${"]".repeat(200_000)}}`;

test("values nested too deep are a parse error, and bytes that are no text are an answer or a close", async () => {
  const directory = await mkdtemp(join(tmpdir(), "rpc-deep-"));
  {
    const local = { host: "127.0.0.1", port: 0, endpoint: anEndpoint() };
    const subscriptionLimit = createSubscriptionLimit();
    await using http = await openHttp({ ...local, virtualHosts: ["*"] });
    await using ws = await openWs({ ...local, subscriptionLimit });
    await using ipc = await openIpc({ ...local, path: join(directory, "ipc"), subscriptionLimit });
    const noText = Buffer.concat([
      Buffer.from('{"id":"'),
      Buffer.from([0xff, 0xc0, 0x80, 0xed, 0xa0, 0x80]),
      Buffer.from('","method":"net_version"}'),
    ]);
    for (const body of [Buffer.from(DEEP), noText]) {
      const expected = body === noText ? '"13408"' : '"code":-32700';
      await using overHttp = await aPeer(http.address);
      overHttp.send(
        `POST / HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n`,
      );
      overHttp.send(body);
      expect(await overHttp.until((all) => all.endsWith("}\n"))).toContain(expected);
      await using overIpc = await aPeer(ipc.address);
      overIpc.send(body);
      expect(await overIpc.until((all) => all.endsWith("}\n"))).toContain(expected);
      await using overWs = await aPeer(ws.address);
      overWs.send(upgrade);
      await overWs.until((all) => all.includes("\r\n\r\n"));
      overWs.send(textFrame(body));
      if (body === noText) await overWs.closed();
      else expect(await overWs.until((all) => all.includes("}\n"))).toContain(expected);
    }
    await using next = await aPeer(http.address);
    next.send(good);
    expect(await next.until((all) => all.endsWith("\n"))).toContain('"13408"');
  }
  await rm(directory, { recursive: true, force: true });
});

/** A masked text frame with a 64-bit length; the mask of zeros leaves the bytes as they are. */
function textFrame(payload: Buffer): Buffer {
  const head = Buffer.alloc(14);
  head[0] = 0x81;
  head[1] = 0x80 | 127;
  head.writeBigUInt64BE(BigInt(payload.length), 2);
  return Buffer.concat([head, payload]);
}

function headOf(lines: string): string {
  return `POST / HTTP/1.1\r\n${lines}\r\n\r\n`;
}
