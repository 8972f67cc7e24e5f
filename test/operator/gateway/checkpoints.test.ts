/**
 * Checkpoints through gateways: a replica with a reader's certificate of the namespace gets the node's stream, from which
 * an empty node starts; nobody else gets it, and a reader gets nothing else.
 */
import { once } from "node:events";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { request } from "node:https";
import { connect, createServer, type Server, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import { KeptTables, MAX_MARKS, NO_TABLES } from "../../../node/checkpoint/kept-tables.ts";
import { openSibling, readSiblings } from "../../../node/checkpoint/siblings.ts";
import { TableHashes } from "../../../node/checkpoint/table-hashes.ts";
import { bootstrap } from "../../../node/compose/bootstrap.ts";
import { createCheckpointOffline } from "../../../node/compose/checkpoint-jobs.ts";
import { openGiveaway } from "../../../node/compose/giveaway.ts";
import { silentLog } from "../../../node/observe/log.ts";
import { loadNodeKey } from "../../../node/p2p/node-key.ts";
import { type Credentials, issueGateway, issueReader } from "../../../operator/control/authority.ts";
import { isReaderOf, readerName } from "../../../operator/control/methods.ts";
import {
  BODY,
  GATEWAY,
  GatewayStand,
  type Identities,
  makeIdentities,
  writeReader,
} from "../../support/gateway.ts";
import { runKnitBehind } from "../../support/knit-process.ts";
import { hasSmallDisks, openSmallDisk } from "../../support/small-disk.ts";
import { until } from "../../support/until.ts";
import { makeWholeDirectory, optionsOf } from "../../support/whole-directory.ts";

const testOnDisk = hasSmallDisks() ? test : test.skip;
/** Bytes that a stream lacks when it is cut: its end and the last files. */
const TAIL_BYTES = 3_000;
/** Enough for block 0. */
const ROOM_MB = 0.0625;
const OTHER = "reader.endpoint.demo.gateway.knit.dev";
const { signal } = new AbortController();
const progress = { update: () => undefined, [Symbol.dispose]: () => undefined };

let identities: Identities;
let reader: Credentials;
let stand: GatewayStand;
let credentials: string;

beforeAll(async () => {
  identities = await makeIdentities();
  reader = await issueReader(identities.authority, OTHER, Date.now());
});

beforeEach(async () => {
  stand = await new GatewayStand(identities).open();
  credentials = join(stand.directory, "reader");
  mkdirSync(credentials);
  putReader(reader);
});

afterEach(() => stand[Symbol.asyncDispose]());

const putReader = (given: Credentials): void => writeReader(credentials, identities, given);

const sibling = () => ({ host: "127.0.0.1", port: stand.port, name: GATEWAY });

const askSibling = (kept = NO_TABLES) => openSibling(sibling(), { credentials, kept, signal });

async function receive(): Promise<string> {
  let text = "";
  for await (const piece of await askSibling()) text += Buffer.from(piece).toString();
  return text;
}

/** The node opens a socket beside its IPC socket and says so. */
async function serve(onConnection: (socket: Socket) => void, name = "a".repeat(16)): Promise<Server> {
  const path = join(stand.directory, `checkpoint-${name}.sock`);
  const server = createServer(onConnection);
  await once(server.listen(path), "listening");
  answerWith({ path });
  return server;
}

function answerWith(result: unknown): void {
  stand.answer = (_line, socket) => socket.write(`${JSON.stringify({ jsonrpc: "2.0", id: 1, result })}\n`);
}

test("a replica of the namespace gets what the node sends, and the log says who it was", async () => {
  const server = await serve((socket) => socket.end("the stream"));
  expect(await receive()).toBe("the stream");
  server.close();
  expect(stand.heard.join("")).toContain("admin_serveCheckpoint");
  await until(() => stand.lines.some(({ bytes, client }) => bytes === 10 && client === OTHER));
  expect(await stand.metrics.render()).toContain('method="admin_serveCheckpoint",outcome="answered"');
});

describe("nobody else gets it:", () => {
  test("the operator, who may not", async () => {
    const { certificate, key } = identities.operator;
    putReader({ certificate, key });
    await expect(receive()).rejects.toThrow(/answers 404/);
    expect(stand.heard).toEqual([]);
  });

  test.each([
    ["a replica of another namespace", "reader.endpoint.other.gateway.knit.dev"],
    ["a name with more parts", "reader.a.b.demo.gateway.knit.dev"],
    ["a name of another kind", "writer.endpoint.demo.gateway.knit.dev"],
  ])("%s", async (_who, name) => {
    putReader(await issueReader(identities.authority, name, Date.now()));
    await expect(receive()).rejects.toThrow(/answers 403|answers 404/);
    expect(stand.heard).toEqual([]);
  });

  test("a gateway, whose certificate is for servers", async () => {
    putReader(await issueGateway(identities.authority, "endpoint.demo.gateway.knit.dev", Date.now()));
    await expect(receive()).rejects.toThrow(/gives no checkpoint/);
    expect(stand.heard).toEqual([]);
  });

  test("a reader whose certificate has ended", async () => {
    stand.skewMs = 100 * 86_400_000;
    await expect(receive()).rejects.toThrow(/answers 40/);
    expect(stand.heard).toEqual([]);
  });
});

test("a reader calls no method", async () => {
  const { certificate: cert, key } = reader;
  const asked = request({
    host: "127.0.0.1",
    port: stand.port,
    servername: GATEWAY,
    ca: identities.authority.certificate,
    cert,
    key,
    method: "POST",
    agent: false,
  });
  asked.end(BODY);
  const [response] = (await once(asked, "response")) as [{ statusCode: number; resume(): void }];
  response.resume();
  expect(response.statusCode).toBe(403);
  expect(stand.heard).toEqual([]);
});

describe("a node that", () => {
  test("is of a release without the method gives none", async () => {
    stand.answer = (_line, socket) =>
      socket.write('{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"not there"}}\n');
    await expect(receive()).rejects.toThrow(/answers 502/);
  });

  test.each([
    null,
    {},
    { path: "/etc/passwd" },
    { path: `/x/checkpoint-${"g".repeat(16)}.sock` },
    { path: 5 },
  ])("names no socket of its own, as %j, gives none", async (result) => {
    answerWith(result);
    await expect(receive()).rejects.toThrow(/answers 502/);
  });

  test("names a socket elsewhere is asked beside its own", async () => {
    const server = await serve((socket) => socket.end("own"));
    answerWith({ path: `/elsewhere/checkpoint-${"a".repeat(16)}.sock` });
    expect(await receive()).toBe("own");
    server.close();
  });
});

test("marks of tables that the replica has go to the node", async () => {
  const marks = new KeptTables(Buffer.alloc(24, 7));
  const server = await serve((socket) => socket.once("data", (bytes) => socket.end(bytes)));
  const pieces: Uint8Array[] = [];
  for await (const piece of await askSibling(marks)) pieces.push(piece);
  expect(Buffer.concat(pieces)).toEqual(Buffer.from(marks.bytes));
  expect(JSON.parse(stand.heard.join(""))).toMatchObject({ params: ["0x3"] });
  server.close();
});

test("a gateway of an earlier release, which takes no marks, is asked for all", async () => {
  const server = await serve((socket) => socket.end("all"));
  const open = stand.answer;
  stand.answer = (_line, socket) => {
    stand.answer = open;
    socket.write('{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"too many arguments"}}\n');
  };
  let text = "";
  for await (const piece of await askSibling(new KeptTables(new Uint8Array(8))))
    text += Buffer.from(piece).toString();
  expect(text).toBe("all");
  server.close();
});

test("one reader is served at a time, and readers leave the operator its places", async () => {
  let held: Socket | undefined;
  const server = await serve((socket) => {
    held = socket;
    socket.write("begun");
  });
  const first = await askSibling();
  await expect(receive()).rejects.toMatchObject({ code: "busy" });
  await expect(stand.channel.call(stand.address, "chain_blockNumber")).resolves.toBeDefined();
  held?.end();
  for await (const piece of first) expect(Buffer.from(piece).toString()).toBe("begun");
  server.close();
});

test("readers that ask while another one is served are refused as busy, however many they are and whatever they have", async () => {
  const server = await serve((socket) => socket.write("begun"));
  const first = await askSibling();
  const marks = new KeptTables(Buffer.alloc(8 * MAX_MARKS, 7));
  const others = [NO_TABLES, NO_TABLES, NO_TABLES, NO_TABLES, marks].map((kept) => askSibling(kept));
  for (const other of await Promise.allSettled(others))
    expect(other).toMatchObject({ status: "rejected", reason: { code: "busy" } });
  for await (const _ of first) break;
  server.close();
});

test("a reader that goes before its marks have arrived leaves the place to the next one", async () => {
  answerWith(null);
  const asked = request({
    host: "127.0.0.1",
    port: stand.port,
    servername: GATEWAY,
    path: "/checkpoint",
    method: "POST",
    headers: { "content-length": 8 },
    ca: identities.authority.certificate,
    cert: reader.certificate,
    key: reader.key,
    agent: false,
  });
  asked.on("error", () => undefined);
  asked.flushHeaders();
  await until(() => stand.lines.some(({ outcome }) => outcome === "node-error"));
  asked.destroy();
  const server = await serve((socket) => socket.end("the stream"));
  await until(async () => (await receive().catch(() => undefined)) === "the stream");
  server.close();
});

test("names of readers are of the namespace of the gateway", () => {
  expect(isReaderOf(readerName("a.demo.gateway.knit.dev"), GATEWAY)).toBe(true);
  for (const name of ["reader", "reader.demo.gateway.knit.dev", "reader..demo.gateway.knit.dev", GATEWAY])
    expect(isReaderOf(name, GATEWAY)).toBe(false);
});

describe("an empty node", () => {
  let scratch = "";
  let source = "";
  let genesisHash = "";
  let nodes = 0;

  beforeAll(async () => {
    scratch = await mkdtemp(join(tmpdir(), "ks-"));
    source = (await makeWholeDirectory(scratch)).path;
    const directory = join(scratch, "facts");
    ({ genesisHash } = await createCheckpointOffline(optionsOf(source), { directory, progress, signal }));
  });
  afterAll(() => rm(scratch, { recursive: true }));

  /** A node that gives copies away behind the gateway. */
  async function openGiver() {
    const options = optionsOf(source);
    const giveaway = await openGiveaway({
      options: { ...options, ipc: { path: join(stand.directory, "n.ipc") } },
      checkpoints: {
        create: (directory) => createCheckpointOffline(options, { directory, progress, signal }),
      },
      nodeKey: await loadNodeKey(options.paths.nodeKey),
      hashes: new TableHashes(),
      log: silentLog,
    });
    stand.answer = (line, socket) => {
      const [marks = "0x0"] = (JSON.parse(line) as { params: readonly string[] }).params;
      giveaway.open(Number(marks)).then(
        (result) => socket.write(`${JSON.stringify({ jsonrpc: "2.0", id: 1, result })}\n`),
        () => socket.destroy(),
      );
    };
    return giveaway;
  }

  async function start(siblings: readonly object[], cutMs = 100): Promise<string> {
    const datadir = join(scratch, `node-${nodes++}`);
    const file = join(stand.directory, "siblings.json");
    writeFileSync(file, JSON.stringify({ siblings, credentials }));
    await bootstrap(optionsOf(datadir), {
      url: undefined,
      siblings: file,
      wanted: { genesisHash },
      busyMs: 5,
      cutMs,
      log: silentLog,
      progress,
      signal,
      environment: {},
    });
    return optionsOf(datadir).paths.chainData;
  }

  test("starts from the first sibling that gives a good one", async () => {
    await using _giver = await openGiver();
    const dead = { host: "127.0.0.1", port: 1, name: GATEWAY };
    const chainData = await start([dead, sibling()]);
    expect(existsSync(join(chainData, "chain", "CURRENT"))).toBe(true);
    expect(existsSync(`${chainData}.bootstrap`)).toBe(false);
  });

  test("waits while its sibling gives a copy to another one", async () => {
    let held: Socket | undefined;
    const server = await serve((socket) => {
      held = socket;
      socket.write("begun");
    });
    const first = await askSibling();
    await using _giver = await openGiver();
    const started = start([sibling()]);
    await until(() => stand.lines.some(({ outcome }) => outcome === "busy"));
    held?.end();
    for await (const piece of first) expect(piece.length).toBeGreaterThan(0);
    server.close();
    expect(existsSync(join(await started, "chain", "CURRENT"))).toBe(true);
  });

  test("goes on with the tables that it has when its sibling dies in the middle and starts again", async () => {
    await using giveaway = await openGiver();
    const open = stand.answer;
    let whole = 0;
    for await (const { length } of await askSibling()) whole += length;
    let cut: Server | undefined;
    stand.answer = (line, socket) => {
      stand.answer = open;
      void giveaway.open().then(async ({ path }) => {
        cut = await serve((receiver) => {
          const giver = connect({ path });
          let passed = 0;
          giver.on("data", (piece) => {
            const left = whole - TAIL_BYTES - passed;
            passed += piece.length;
            if (piece.length < left) receiver.write(piece);
            else giver.destroy().once("close", () => receiver.end(piece.subarray(0, left)));
          });
        });
        stand.answer(line, socket);
        stand.answer = open;
      });
    };
    const chainData = await start([sibling()]);
    cut?.close();
    expect(existsSync(join(chainData, "chain", "CURRENT"))).toBe(true);
    expect(existsSync(`${chainData}.bootstrap.partial`)).toBe(false);
    const sent = stand.lines.flatMap(({ bytes }) => (typeof bytes === "number" ? [bytes] : []));
    expect(sent).toHaveLength(3);
    expect(sent[2]).toBeLessThan(whole / 2);
  });

  test("asks a sibling again that does not answer at first", async () => {
    await using _giver = await openGiver();
    const open = stand.answer;
    stand.answer = (_line, socket) => {
      stand.answer = open;
      socket.destroy();
    };
    const chainData = await start([sibling()], 60_000);
    expect(existsSync(join(chainData, "chain", "CURRENT"))).toBe(true);
  });

  test("stays empty, without a trace, when a sibling dies in the middle and no other is there", async () => {
    const server = await serve((socket) => {
      socket.write(Buffer.alloc(100_000), () => socket.destroy());
    });
    const chainData = await start([sibling()]);
    server.close();
    expect(existsSync(chainData)).toBe(false);
    expect(existsSync(`${chainData}.bootstrap.partial`)).toBe(false);
  });

  testOnDisk("begins no chain of its own where the copy does not fit on its disk", async () => {
    await using _giver = await openGiver();
    const mount = join(scratch, "disk");
    mkdirSync(mount);
    await using disk = await openSmallDisk(mount, 16);
    const file = join(stand.directory, "siblings.json");
    writeFileSync(file, JSON.stringify({ siblings: [sibling()], credentials }));
    const genesis = join(scratch, "made", "genesis.json");
    const init = ["init", "--datadir", join(mount, "data"), "--bootstrap.siblings", file, genesis];
    await disk.fill(ROOM_MB);
    expect(await runKnitBehind(disk.prefix, init)).toEqual({
      code: 1,
      output: expect.stringMatching(
        /^Fatal: ENOSPC: no space left on device, write '.*': [1-9]\d+ bytes of the checkpoint are missing, \d+ bytes of disk are free; the verified files are kept, and the next run goes on with them\n$/m,
      ),
    });
    expect(await disk.names("data/knit")).toEqual(["chaindata.bootstrap.partial"]);
    await disk.release();
    expect(await runKnitBehind(disk.prefix, init)).toEqual({
      code: 0,
      output: expect.stringContaining("started from a sibling"),
    });
  });

  test("stays empty without siblings", async () => {
    expect(existsSync(await start([]))).toBe(false);
  });

  test("leaves nothing of a start that was killed, without siblings and with a chain", async () => {
    const beside = ["bootstrap", "bootstrap.partial"].map(
      (end) => `${optionsOf(join(scratch, `node-${nodes}`)).paths.chainData}.${end}`,
    );
    for (const path of beside) mkdirSync(path, { recursive: true });
    const chainData = await start([]);
    expect(beside.map((path) => existsSync(path))).toEqual([false, false]);
    mkdirSync(join(chainData, "chain"), { recursive: true });
    writeFileSync(join(chainData, "chain", "CURRENT"), "");
    for (const path of beside) mkdirSync(path);
    nodes--;
    expect(await start([sibling()])).toBe(chainData);
    expect(beside.map((path) => existsSync(path))).toEqual([false, false]);
  });
});

test.each([
  ["not json", "is not JSON"],
  ["[]", "is no list of siblings"],
  ['{"siblings":[{"host":"a b","port":1,"name":"n"}],"credentials":"c"}', "is no list of siblings"],
  ['{"siblings":[{"host":"a","port":0,"name":"n"}],"credentials":"c"}', "is no list of siblings"],
  ['{"siblings":[],"credentials":1}', "is no list of siblings"],
])("a file with siblings that is wrong is refused: %s", async (text, words) => {
  const path = join(stand.directory, "siblings.json");
  writeFileSync(path, text);
  await expect(readSiblings(path)).rejects.toMatchObject({
    code: "no-target",
    message: expect.stringContaining(words) as unknown,
  });
  expect(await readSiblings(join(stand.directory, "none.json"))).toEqual({ siblings: [], credentials: "" });
});
