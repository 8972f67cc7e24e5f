/** Archives in an S3 store that answers well, late, half, wrongly or not at all; a pull and a start go on where they were. */
import { existsSync } from "node:fs";
import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import type { ArchiveManifest } from "../../../node/checkpoint/archive.ts";
import { sha256Of } from "../../../node/checkpoint/manifest.ts";
import { pushCheckpoint } from "../../../node/checkpoint/push.ts";
import { s3Store } from "../../../node/checkpoint/s3-store.ts";
import { TableHashes } from "../../../node/checkpoint/table-hashes.ts";
import {
  listArchive,
  openArchive,
  type PullJob,
  pullFromArchive,
  pushToArchive,
} from "../../../node/compose/archive-jobs.ts";
import { bootstrap } from "../../../node/compose/bootstrap.ts";
import { createCheckpointOffline } from "../../../node/compose/checkpoint-jobs.ts";
import { silentLog } from "../../../node/observe/log.ts";
import { loadNodeKey } from "../../../node/p2p/node-key.ts";
import { verifyDirectory } from "../../support/offline-jobs.ts";
import { openS3Player, S3_KEYS, type S3Fault } from "../../support/s3-player.ts";
import { makeWholeDirectory, optionsOf } from "../../support/whole-directory.ts";

const progress = { update: () => undefined, [Symbol.dispose]: () => undefined };
const { signal } = new AbortController();
const job = { progress, signal, environment: {} };

let scratch = "";
let source = "";
let checkpoint = "";
let genesisHash = "";
let places = 0;

const place = (): string => join(scratch, `place-${places++}`);

beforeAll(async () => {
  scratch = await mkdtemp(join(tmpdir(), "knit-s3-"));
  source = (await makeWholeDirectory(scratch)).path;
  checkpoint = join(scratch, "checkpoint");
  const target = { directory: checkpoint, progress, signal };
  ({ genesisHash } = await createCheckpointOffline(optionsOf(source), target));
});
afterAll(() => rm(scratch, { recursive: true }));

function pull(from: string, directory: string, more: Partial<PullJob> = {}): Promise<ArchiveManifest> {
  const options = optionsOf(join(scratch, "none"));
  return pullFromArchive(options, { ...job, from, directory, wanted: {}, full: false, ...more });
}

const keys = { AWS_ACCESS_KEY_ID: S3_KEYS.accessKeyId, AWS_SECRET_ACCESS_KEY: S3_KEYS.secretAccessKey };
const url = "s3://bucket/some/prefix";

test("an S3 store takes and gives checkpoints, page by page", async () => {
  await using player = await openS3Player();
  const environment = { ...keys, AWS_ENDPOINT_URL: player.endpoint };
  const first = await pushToArchive(optionsOf(source), { ...job, environment, directory: checkpoint, url });
  expect(first.sentFiles).toBe(first.files);
  expect([...player.objects.keys()].every((key) => key.startsWith("some/prefix/"))).toBe(true);
  const second = await pushToArchive(optionsOf(source), {
    ...job,
    environment,
    directory: checkpoint,
    url,
  });
  expect(second.sentFiles).toBe(0);
  const directory = place();
  await pull(url, directory, { environment, wanted: { genesisHash } });
  expect((await verifyDirectory(directory)).head).toBe(34);
  expect(await listArchive(url, { signal, environment })).toHaveLength(1);
});

test.each<[S3Fault["kind"], S3Fault["method"]]>([
  ["unavailable", "GET"],
  ["unavailable", "PUT"],
  ["cut", "GET"],
  ["cut", "PUT"],
])("an S3 store that is %s for some answers to %s is asked again", async (kind, method) => {
  await using player = await openS3Player();
  const environment = { ...keys, AWS_ENDPOINT_URL: player.endpoint };
  player.fault = { kind, method, times: 3 };
  await pushToArchive(optionsOf(source), { ...job, environment, directory: checkpoint, url });
  if (method === "GET") player.fault = { kind, method, times: 3 };
  await pull(url, place(), { environment });
  expect(player.fault.times).toBe(0);
});

/** More files than are requested at a time. */
const LEFT = 5;

test("an S3 store that dies while a node starts from it gives the rest when it is back", async () => {
  await using player = await openS3Player();
  const environment = { ...keys, AWS_ENDPOINT_URL: player.endpoint };
  const { files } = await pushToArchive(optionsOf(source), {
    ...job,
    environment,
    directory: checkpoint,
    url,
  });
  const datadir = place();
  let fetched = 0;
  const update = (): void => {
    if (++fetched === files - LEFT) player.fault = { kind: "unavailable", method: "GET", times: 1_000 };
  };
  const start = { ...job, environment, url, wanted: { genesisHash }, log: silentLog };
  const stopped = bootstrap(optionsOf(datadir), { ...start, progress: { ...progress, update } });
  await expect(stopped).rejects.toMatchObject({
    code: "failed",
    message: expect.stringContaining("503 SlowDown (6 times)") as unknown,
  });
  expect(await readdir(optionsOf(datadir).paths.instance)).toEqual(["chaindata.bootstrap.partial"]);
  player.fault = undefined;
  player.requests["GET"] = 0;
  await bootstrap(optionsOf(datadir), start);
  expect(player.requests["GET"]).toBeLessThanOrEqual(LEFT + 2); // the list and the manifest
  expect(await verifyDirectory(datadir)).toEqual(await verifyDirectory(source));
  expect(await readdir(optionsOf(datadir).paths.instance)).toEqual(["chaindata"]);
}, 30_000);

test.each<S3Fault["kind"]>(["short", "long"])(
  "an S3 store that gives %s answers is refused",
  async (kind) => {
    await using player = await openS3Player();
    const environment = { ...keys, AWS_ENDPOINT_URL: player.endpoint };
    await pushToArchive(optionsOf(source), { ...job, environment, directory: checkpoint, url });
    const name = [...player.objects.keys()]
      .find((key) => key.includes("checkpoints/"))
      ?.slice("some/prefix/".length);
    player.fault = { kind, method: "GET", times: 1_000 };
    const directory = place();
    const refusal = await pull(url, directory, { environment, name }).then(
      () => "passed",
      (error: { code: string }) => error.code,
    );
    expect(["bad-file", "bad-manifest"]).toContain(refusal);
    const left = (await readdir(scratch)).filter((each) => join(scratch, each).startsWith(directory));
    expect(left).toEqual([]);
  },
);

test("an S3 store that stays away ends the work, and its keys are in no message", async () => {
  await using player = await openS3Player();
  player.fault = { kind: "unavailable", method: "PUT", times: 1_000 };
  const bucket = { region: "us-east-1", bucket: "bucket", prefix: "", retryMs: 1 };
  const store = s3Store({ endpoint: player.endpoint, credentials: S3_KEYS, ...bucket });
  const { key, address } = await loadNodeKey(optionsOf(source).paths.nodeKey);
  const hashes = new TableHashes();
  const options = { directory: checkpoint, key, address, hashes, signal, onBytes: () => undefined };
  const error: unknown = await pushCheckpoint(store, options).catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({
    code: "failed",
    message: expect.stringContaining("503 SlowDown (6 times)") as unknown,
  });
  expect(String((error as Error).stack)).not.toContain(S3_KEYS.secretAccessKey);
  expect([...player.objects.keys()]).toEqual([]);
});

test("an S3 store is read with keys from a file, and not without keys", async () => {
  await using player = await openS3Player();
  const file = join(scratch, "credentials");
  const { accessKeyId, secretAccessKey } = { ...S3_KEYS, secretAccessKey: "x" };
  const lines = ["[other]", "aws_access_key_id = no", "[default]", `aws_access_key_id=${accessKeyId}`];
  await writeFile(file, [...lines, `aws_secret_access_key=${secretAccessKey}`, ""].join("\n"));
  const environment = { AWS_SHARED_CREDENTIALS_FILE: file, AWS_ENDPOINT_URL: player.endpoint };
  expect(await listArchive(url, { signal, environment })).toEqual([]);
  await expect(listArchive(url, { signal, environment: {} })).rejects.toMatchObject({
    code: "missing-value",
  });
});

const codeOf = (code: string): string => `<Error><Code>${code}</Code></Error>`;

test.each([
  ["NoSuchKey", codeOf("NoSuchKey"), "bad-file"],
  ["no code", "", "bad-file"],
  ["XAdminUserNotFound", codeOf("XAdminUserNotFound"), "failed"],
  ["NoSuchBucket", codeOf("NoSuchBucket"), "failed"],
  ["a page of another server", "x".repeat(5_000), "failed"],
])("an S3 store that answers 404 with %s", async (_, body, code) => {
  await using player = await openS3Player();
  player.reply = () => ({ status: 404, body });
  const store = s3Store({
    endpoint: player.endpoint,
    region: "us-east-1",
    bucket: "bucket",
    prefix: "",
    credentials: S3_KEYS,
  });
  await expect(store.read("files/x", 10, signal)).rejects.toMatchObject({
    code,
    message: expect.stringContaining("files/x: the store answers 404") as unknown,
  });
});

test("a redirection of what is sent is said: another host would refuse the signature", async () => {
  await using player = await openS3Player();
  const headers = { location: `${player.endpoint}/elsewhere` };
  player.reply = () => ({ status: 307, body: codeOf("TemporaryRedirect"), headers });
  const bytes = Buffer.from("x");
  const environment = { ...keys, AWS_ENDPOINT_URL: player.endpoint };
  const store = await openArchive(url, environment);
  await expect(store.write("files/x", bytes, await sha256Of(bytes), signal)).rejects.toMatchObject({
    code: "failed",
    message: "files/x: the store answers 307 TemporaryRedirect",
  });
  expect(player.requests).toEqual({ PUT: 1 });
});

test("a pull keeps its draft when an S3 store does not know the key any more", async () => {
  await using player = await openS3Player();
  const environment = { ...keys, AWS_ENDPOINT_URL: player.endpoint };
  await pushToArchive(optionsOf(source), { ...job, environment, directory: checkpoint, url });
  const directory = place();
  player.reply = (_, { pathname }) =>
    pathname.includes("/files/") ? { status: 404, body: codeOf("XAdminUserNotFound") } : undefined;
  await expect(pull(url, directory, { environment })).rejects.toMatchObject({ code: "failed" });
  expect(existsSync(`${directory}.partial`)).toBe(true);
  player.reply = undefined;
  await pull(url, directory, { environment });
});
