/** Drafts of pulls: what is verified stays for the next run, and belongs to one process at a time. */
import { existsSync, mkdirSync } from "node:fs";
import { cp, mkdir, mkdtemp, readdir, rename, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { type PullJob, pullFromArchive, pushToArchive } from "../../../node/compose/archive-jobs.ts";
import { createCheckpointOffline, verifyCheckpoint } from "../../../node/compose/checkpoint-jobs.ts";
import { makeWholeDirectory, optionsOf } from "../../support/whole-directory.ts";

const progress = { update: () => undefined, [Symbol.dispose]: () => undefined };
const { signal } = new AbortController();
const job = { progress, signal, environment: {} };

let scratch = "";
let archive = "";
let places = 0;

const place = (): string => join(scratch, `place-${places++}`);

beforeAll(async () => {
  scratch = await mkdtemp(join(tmpdir(), "knit-drafts-"));
  const options = optionsOf((await makeWholeDirectory(scratch)).path);
  const checkpoint = join(scratch, "checkpoint");
  await createCheckpointOffline(options, { directory: checkpoint, progress, signal });
  archive = join(scratch, "archive");
  await pushToArchive(options, { ...job, directory: checkpoint, url: archive });
});
afterAll(() => rm(scratch, { recursive: true }));

function pull(from: PullJob["from"], directory: string, more: Partial<PullJob> = {}) {
  const options = optionsOf(join(scratch, "none"));
  return pullFromArchive(options, { ...job, from, directory, wanted: {}, full: false, ...more });
}

async function anArchive(): Promise<string> {
  const path = place();
  await cp(archive, path, { recursive: true });
  return path;
}

test("a second pull into a directory is refused while the first one runs, and the next is not", async () => {
  const directory = place();
  let second: Promise<unknown> | undefined;
  const update = (): void => {
    second ??= pull(archive, directory).catch((error: unknown) => error);
  };
  await pull(archive, directory, { full: true, progress: { ...progress, update } });
  expect(await second).toMatchObject({
    code: "exists",
    message: `${directory}.partial is being filled by another process`,
  });
  await verifyCheckpoint(optionsOf(place()), { directory, ...job, full: true });
  expect((await readdir(directory)).toSorted()).toEqual(["checkpoint.json", "knit"]);
});

test("a lock that a power cut has left damaged is no obstacle", async () => {
  const directory = place();
  const lock = join(`${directory}.partial`, "lock");
  mkdirSync(lock, { recursive: true });
  await writeFile(join(lock, "000003.log"), "");
  await pull(archive, directory);
});

test("an interrupted pull goes on with the files that it has, and without those of another checkpoint", async () => {
  const directory = place();
  const draft = await interruptedPull(archive, directory);
  expect(existsSync(draft)).toBe(true);
  await mkdir(join(draft, "knit/chaindata/chain"), { recursive: true });
  await writeFile(join(draft, "knit/chaindata/chain/999999.log"), "of another checkpoint");
  await pull(archive, directory, { full: true });
  expect(await readdir(join(directory, "knit/chaindata/chain"))).not.toContain("999999.log");
  expect(existsSync(draft)).toBe(false);
});

test("a file that cannot be read for a while is not taken for a missing one: the pull goes on with its draft", async () => {
  const [url, directory] = [await anArchive(), place()];
  const [hash = ""] = await readdir(join(url, "files"));
  const file = join(url, "files", hash);
  await rename(file, `${file}.away`);
  await symlink(hash, file); // to itself
  await expect(pull(url, directory)).rejects.toMatchObject({
    code: "failed",
    message: expect.stringMatching(/^cannot read files\/\S+: ELOOP/) as unknown,
  });
  expect(existsSync(`${directory}.partial`)).toBe(true);
  await rename(`${file}.away`, file);
  await pull(url, directory, { full: true });
});

/** Begins a pull and interrupts it; returns its draft. */
async function interruptedPull(url: string, directory: string): Promise<string> {
  const stop = new AbortController();
  const update = (): void => stop.abort();
  const more = { signal: stop.signal, progress: { ...progress, update } };
  await expect(pull(url, directory, more)).rejects.toMatchObject({ name: "AbortError" });
  return `${directory}.partial`;
}

test.each([
  ["archive", "", "is not there"],
  ["directory of files", "files", "files is not there"],
  ["directory of checkpoints", "checkpoints", "has no checkpoint"],
])("a pull keeps its draft when the %s is not there", async (_, part, reason) => {
  const [url, directory] = [await anArchive(), place()];
  const draft = await interruptedPull(url, directory);
  const found = await readdir(draft, { recursive: true });
  const path = join(url, part);
  await rename(path, `${url}.away`);
  await expect(pull(url, directory)).rejects.toMatchObject({
    message: expect.stringMatching(new RegExp(`^${url}.*${reason}$`)) as unknown,
  });
  expect(await readdir(draft, { recursive: true })).toEqual(found);
  await rename(`${url}.away`, path);
  await pull(url, directory, { full: true });
});

test("a pull keeps its draft when the newest checkpoint is refused by its manifest", async () => {
  const [url, directory] = [await anArchive(), place()];
  const draft = await interruptedPull(url, directory);
  const found = await readdir(draft, { recursive: true });
  const foreign = join(url, "checkpoints", "000000000099-x.json");
  await writeFile(foreign, "{}");
  await expect(pull(url, directory)).rejects.toMatchObject({ code: "bad-manifest" });
  expect(await readdir(draft, { recursive: true })).toEqual(found);
});

test("a verified checkpoint whose name was taken meanwhile stays beside it", async () => {
  const directory = place();
  const update = (): void => void mkdirSync(join(directory, "of another process"), { recursive: true });
  const taken = pull(archive, directory, { progress: { ...progress, update } });
  await expect(taken).rejects.toMatchObject({ code: "ENOTEMPTY" });
  await verifyCheckpoint(optionsOf(place()), { directory: `${directory}.partial`, ...job, full: true });
});

test("a pull of a named checkpoint from a directory that is not there keeps the draft", async () => {
  const [url, directory] = [await anArchive(), place()];
  const [name = ""] = await readdir(join(url, "checkpoints"));
  const draft = await interruptedPull(url, directory);
  await rename(url, `${url}.away`);
  const refused = pull(url, directory, { name: `checkpoints/${name}` });
  await expect(refused).rejects.toMatchObject({ code: "failed" });
  expect(existsSync(draft)).toBe(true);
});
