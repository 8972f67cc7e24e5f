/** Large objects in an S3 store: parts, several at a time, interrupted uploads that go on, refusals and hostile answers. */
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { expect, test } from "@jest/globals";
import type { ArchiveStore } from "../../../node/checkpoint/archive.ts";
import { PARALLEL } from "../../../node/checkpoint/archive.ts";
import { s3Store } from "../../../node/checkpoint/s3-store.ts";
import { PART_BYTES } from "../../../node/checkpoint/s3-upload.ts";
import { openS3Player, S3_KEYS, type S3Player } from "../../support/s3-player.ts";
import { until } from "../../support/until.ts";

const PARTS = 9;
/** Size of the parts, but where their real size matters. */
const PART = 1_000;
/** More parts than a page of the store lists; the last one is short. */
const BYTES = Buffer.alloc((PARTS - 1) * PART + 5);
for (let i = 0; i < PARTS; i++) BYTES.subarray(i * PART, (i + 1) * PART).fill(`part ${i}`);
const SHA256 = createHash("sha256").update(BYTES).digest("hex");
const NAME = `files/${SHA256}`;
const KEY = `some/${NAME}`;
const { signal } = new AbortController();

const openPlayer = (): Promise<S3Player> => openS3Player(PART);
const storeOf = (player: S3Player, partBytes: number = PART): ArchiveStore =>
  s3Store({
    partBytes,
    endpoint: player.endpoint,
    region: "us-east-1",
    bucket: "bucket",
    prefix: "some/",
    credentials: S3_KEYS,
    retryMs: 1,
  });
const write = (player: S3Player, end = signal): Promise<void> =>
  storeOf(player).write(NAME, BYTES, SHA256, end);
const isPart = (method: string, url: URL): boolean => method === "PUT" && url.searchParams.has("partNumber");

function expectWhole(player: S3Player): void {
  expect(player.objects.get(KEY)?.equals(BYTES)).toBe(true);
  expect([...player.uploads.keys()]).toEqual([]);
}

/** Interrupts a write when so many parts are there. */
async function interrupt(player: S3Player, parts: number): Promise<void> {
  const stop = new AbortController();
  let arrived = 0;
  player.hold = (method, url) => {
    if (!isPart(method, url) || ++arrived <= parts) return Promise.resolve();
    if (arrived === Math.min(parts + PARALLEL, PARTS)) stop.abort(); // no other is on its way
    return new Promise(() => undefined);
  };
  await expect(write(player, stop.signal)).rejects.toMatchObject({ name: "AbortError" });
  player.hold = undefined;
}

test("a large object goes in parts, four at a time with those of other objects", async () => {
  await using player = await openS3Player();
  let [under, peak] = [0, 0];
  const full = Promise.withResolvers<void>();
  player.hold = async (method, url) => {
    if (!isPart(method, url)) return;
    peak = Math.max(peak, ++under);
    if (under === PARALLEL) full.resolve();
    await full.promise;
    under--;
  };
  const store = storeOf(player, PART_BYTES);
  const bytes = Buffer.alloc(2 * PART_BYTES + 5, "large");
  const sha256 = createHash("sha256").update(bytes).digest("hex");
  await Promise.all(["one", "two"].map((name) => store.write(`files/${name}`, bytes, sha256, signal)));
  for (const name of ["one", "two"])
    expect(player.objects.get(`some/files/${name}`)?.equals(bytes)).toBe(true);
  expect(player.uploads.size).toBe(0);
  expect(player.requests["PUT"]).toBe(2 * 3);
  expect(peak).toBe(PARALLEL);
});

test("an object that is not larger than a part goes in one request", async () => {
  await using player = await openS3Player();
  const bytes = Buffer.alloc(PART_BYTES);
  const sha256 = createHash("sha256").update(bytes).digest("hex");
  await storeOf(player, PART_BYTES).write("files/one", bytes, sha256, signal);
  expect(player.requests).toEqual({ PUT: 1 });
});

test("a part that fails is sent again alone", async () => {
  await using player = await openPlayer();
  player.fault = { kind: "cut", method: "PUT", times: 2 };
  await write(player);
  expectWhole(player);
  expect(player.requests["PUT"]).toBe(PARTS + 2);
});

test("an upload whose process was killed goes on with the parts that it lacks", async () => {
  await using player = await openPlayer();
  let arrived = 0;
  player.hold = (method, url) =>
    isPart(method, url) && ++arrived > 3 ? new Promise(() => undefined) : Promise.resolve();
  const module = new URL("../../../node/checkpoint/s3-store.ts", import.meta.url).href;
  const options = {
    endpoint: player.endpoint,
    partBytes: PART,
    region: "us-east-1",
    bucket: "bucket",
    credentials: S3_KEYS,
  };
  const code = `const { s3Store } = await import(${JSON.stringify(module)});
    const bytes = Buffer.alloc(${BYTES.length});
    for (let i = 0; i < ${PARTS}; i++) 
      bytes.subarray(i * ${PART}, (i + 1) * ${PART}).fill("part " + i);
    const store = s3Store(${JSON.stringify({ ...options, prefix: "some/" })});
    await store.write("${NAME}", bytes, "${SHA256}", new AbortController().signal);`;
  const child = spawn(process.execPath, ["--input-type=module", "-e", code], { stdio: "inherit" });
  await until(() => arrived === 3 + PARALLEL); // no other is on its way
  child.kill("SIGKILL");
  await once(child, "exit");
  player.hold = undefined;
  const kept = [...player.uploads.values()][0]?.parts.size ?? 0;
  expect(kept).toBe(3);
  player.requests["PUT"] = 0;
  await write(player);
  expectWhole(player);
  expect(player.requests["PUT"]).toBe(PARTS - kept);
});

test("parts of an interrupted upload that are not those of the object are sent again", async () => {
  await using player = await openPlayer();
  await interrupt(player, 8);
  const [upload] = player.uploads.values();
  const [first = 0, second = 0, ...rest] = [...(upload?.parts.keys() ?? [])];
  upload?.parts.set(first, Buffer.alloc(PART));
  upload?.parts.set(second, Buffer.from("short"));
  upload?.parts.set(PARTS + 1, BYTES);
  player.requests["PUT"] = 0;
  await write(player);
  expectWhole(player);
  expect(player.requests["PUT"]).toBe(PARTS - rest.length);
});

test("the newest of several open uploads goes on, and the others are aborted", async () => {
  await using player = await openPlayer();
  for (
    let i = 0;
    i < 9;
    i++ // more than a page
  )
    player.uploads.set(`old-${i}`, { key: KEY, begunAt: new Date(i), parts: new Map() });
  const other = { key: `${KEY}-other`, begunAt: new Date(), parts: new Map() };
  player.uploads.set("other", other);
  const part = BYTES.subarray(0, PART);
  player.uploads.set("newest", { key: KEY, begunAt: new Date(10), parts: new Map([[1, part]]) });
  await write(player);
  expect(player.objects.get(KEY)?.equals(BYTES)).toBe(true);
  expect([...player.uploads.values()]).toEqual([other]);
  expect(player.requests["POST"]).toBe(1); // it is completed, and none is begun
  expect(player.requests["PUT"]).toBe(PARTS - 1);
});

test.each([
  ["uploads", 403, "AccessDenied"],
  ["uploads", 501, "NotImplemented"],
  ["parts", 404, "NoSuchUpload"],
])("a store that does not list %s (%i) begins an upload", async (refused, status, code) => {
  await using player = await openPlayer();
  await interrupt(player, 0);
  player.reply = (method, url) =>
    method === "GET" && url.searchParams.has(refused === "parts" ? "uploadId" : "uploads")
      ? { status, body: `<Error><Code>${code}</Code></Error>` }
      : undefined;
  await write(player);
  expect(player.objects.get(KEY)?.equals(BYTES)).toBe(true);
  expect(player.requests["POST"]).toBe(3);
});

test.each<["PUT" | "POST", string]>([
  ["PUT", "partNumber"],
  ["POST", "uploadId"],
])("a refusal of %s aborts the upload", async (refused, parameter) => {
  await using player = await openPlayer();
  player.reply = (method, url) =>
    method === refused && url.searchParams.has(parameter)
      ? { status: 403, body: "<Error><Code>AccessDenied</Code></Error>" }
      : undefined;
  await expect(write(player)).rejects.toMatchObject({
    code: "failed",
    message: `${NAME}: the store answers 403 AccessDenied`,
  });
  expect(player.objects.size + player.uploads.size).toBe(0);
});

test("a store that stays away keeps the upload for the next push", async () => {
  await using player = await openPlayer();
  player.fault = { kind: "unavailable", method: "PUT", times: 1_000 };
  await expect(write(player)).rejects.toMatchObject({ code: "failed" });
  expect(player.uploads.size).toBe(1);
});

test("an upload whose last answer was lost is complete", async () => {
  await using player = await openPlayer();
  player.reply = (method, url) => {
    if (method === "POST" && url.searchParams.has("uploadId"))
      player.fault = { kind: "cut", method: "POST", times: 1 };
    return undefined;
  };
  player.hold = async (method, url) => {
    if (method === "POST" && url.searchParams.has("uploads")) player.fault = undefined;
  };
  await write(player);
  expectWhole(player);
});

test("an error that comes after the status line is no success", async () => {
  await using player = await openPlayer();
  let answers = 0;
  player.reply = (method, url) =>
    method === "POST" && url.searchParams.has("uploadId") && answers++ < 2
      ? { status: 200, body: "   <Error><Code>InternalError</Code></Error>" }
      : undefined;
  await write(player);
  expectWhole(player);
  expect(answers).toBe(3);
});

const endless = (row: string): string =>
  `<IsTruncated>true</IsTruncated><NextPartNumberMarker>1</NextPartNumberMarker>${row}`;

test.each<[title: string, method: string, parameter: string, body: string, message: RegExp]>([
  ["no id of the upload", "POST", "uploads", "<x/>", /begins an upload without an id/],
  ["an id of any length", "POST", "uploads", `<UploadId>${"x".repeat(2_000)}</UploadId>`, /without an id/],
  ["an answer of any length", "POST", "uploads", "x".repeat(70_000), /more than 65536 bytes/],
  ["no tag of a part", "PUT", "partNumber", "", /takes part \d without a tag/],
  ["no end of the parts", "GET", "uploadId", endless(""), /the list of uploads does not end/],
  ["no end of the uploads", "GET", "uploads", endless("<Upload></Upload>"), /does not end/],
  ["no word of the completion", "POST", "uploadId", "<x/>", /does not say that the upload is complete/],
])("a store that gives %s ends the push", async (_, wanted, parameter, body, message) => {
  await using player = await openPlayer();
  await interrupt(player, 0);
  if (parameter === "uploads" && wanted === "POST") player.uploads.clear();
  player.reply = (method, url) =>
    method === wanted && url.searchParams.has(parameter) ? { status: 200, body } : undefined;
  await expect(write(player)).rejects.toMatchObject({ message: expect.stringMatching(message) as unknown });
  expect(player.objects.size).toBe(0);
});

test("a list that names one part without end costs no sum for each name", async () => {
  await using player = await openS3Player();
  const bytes = Buffer.alloc(PART_BYTES + 5);
  const sha256 = createHash("sha256").update(bytes).digest("hex");
  const name = `files/${sha256}`;
  const begunAt = new Date();
  player.uploads.set("open", { key: `some/${name}`, begunAt, parts: new Map() });
  const row = `<Part><PartNumber>1</PartNumber><ETag>"${"0".repeat(32)}"</ETag></Part>`;
  player.reply = (method, url) =>
    method === "GET" && url.searchParams.has("uploadId")
      ? { status: 200, body: row.repeat(40_000) }
      : undefined;
  const began = process.threadCpuUsage().user;
  await storeOf(player, PART_BYTES).write(name, bytes, sha256, signal);
  expect(player.objects.get(`some/${name}`)?.equals(bytes)).toBe(true);
  expect(process.threadCpuUsage().user - began).toBeLessThan(5_000_000);
});

test("uploads that were begun before a time are aborted", async () => {
  await using player = await openPlayer();
  const parts = new Map();
  player.uploads.set("old", { key: KEY, begunAt: new Date(1_000), parts });
  player.uploads.set("new", { key: KEY, begunAt: new Date(3_000), parts });
  player.uploads.set("of no time", { key: KEY, begunAt: new Date(0), parts });
  player.uploads.set("foreign", { key: "files/x", begunAt: new Date(1_000), parts });
  await storeOf(player).removeUnfinished("files/", 2_000, signal);
  expect([...player.uploads.keys()]).toEqual(["new", "of no time", "foreign"]);
});
