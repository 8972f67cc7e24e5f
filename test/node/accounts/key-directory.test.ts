/** Tests of the list of key files. */
import { mkdir, mkdtemp, rename, rm, symlink, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { createKeyDirectory } from "../../../node/accounts/key-directory.ts";
import { bareHex, fromBareHex } from "../../../node/bytes/hex.ts";
import { silentLog } from "../../../node/observe/log.ts";

let directory: string;
let now: number;
const clock = { now: () => now };
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "knit-keys-"));
  now = Date.now();
});
afterEach(() => rm(directory, { recursive: true }));

const addressOf = (digit: string): string => digit.repeat(40);
const keyText = (digit: string): string =>
  JSON.stringify({ address: addressOf(digit), crypto: {}, version: 3 });
const put = (name: string, text: string): Promise<void> => writeFile(join(directory, name), text);

test("lists key files in the order of their names, with absolute URLs", async () => {
  await put("UTC--2--b", keyText("b"));
  await put("UTC--1--c", keyText("c"));
  await put("imported", keyText("a"));
  const files = createKeyDirectory(directory, clock);
  expect(files.entries().map(({ address }) => bareHex(address))).toEqual(["c", "b", "a"].map(addressOf));
  expect(files.entries()[0]?.url).toBe(`keystore://${directory}/UTC--1--c`);
  expect(files.has(fromBareHex(addressOf("a")))).toBe(true);
  expect(files.has(fromBareHex(addressOf("d")))).toBe(false);
});

test("skips hidden files, backups, directories, foreign, damaged and oversized files", async () => {
  await put("good", keyText("a"));
  await put(".hidden", keyText("b"));
  await put("backup~", keyText("c"));
  await put("foreign.txt", "hello");
  await put("damaged", keyText("d").slice(0, -5));
  await put("huge", `${keyText("e")}${" ".repeat(300_000)}`);
  await put("empty", "");
  await mkdir(join(directory, "folder"));
  await symlink(join(directory, "nowhere"), join(directory, "dangling"));
  const files = createKeyDirectory(directory, clock);
  expect(files.entries().map(({ address }) => bareHex(address))).toEqual([addressOf("a")]);
});

test("leaves out, and says so, a file of another address than the one in its name", async () => {
  const said: string[] = [];
  const log = { ...silentLog, error: (_fields: object, message: string) => void said.push(message) };
  await put(`UTC--1--${addressOf("a").toUpperCase()}`, keyText("a"));
  await put(`UTC--1--${addressOf("b")}`, keyText("c"));
  const files = createKeyDirectory(directory, clock, log);
  expect(files.entries().map(({ address }) => bareHex(address))).toEqual([addressOf("a")]);
  expect(said).toEqual(["skipped a key file whose address differs from its name"]);
});

test("sees files that come, change and go, at once and after the directory has settled", async () => {
  const files = createKeyDirectory(directory, clock);
  const list = (): string[] => files.entries().map(({ address }) => bareHex(address).charAt(0));
  expect(list()).toEqual([]);
  await put("1", keyText("1"));
  expect(list()).toEqual(["1"]);
  await put("1", keyText("2"));
  expect(list()).toEqual(["2"]);
  now += 60_000;
  expect(list()).toEqual(["2"]);
  await put(".new", keyText("3"));
  await rename(join(directory, ".new"), join(directory, "3"));
  expect(list()).toEqual(["2", "3"]);
  await rm(join(directory, "1"));
  expect(list()).toEqual(["3"]);
});

test("a settled directory is looked at again after some seconds, since rewriting a file does not touch it", async () => {
  await put("1", keyText("1"));
  await utimes(directory, new Date(now - 60_000), new Date(now - 60_000));
  const files = createKeyDirectory(directory, clock);
  const list = (): string[] => files.entries().map(({ address }) => bareHex(address).charAt(0));
  expect(list()).toEqual(["1"]);
  await put("1", keyText("4"));
  expect(list()).toEqual(["1"]);
  now += 10_000;
  expect(list()).toEqual(["4"]);
});

test("several files of one address are named, and a missing directory is empty", async () => {
  await put("first", keyText("a"));
  await put("second", keyText("a"));
  const files = createKeyDirectory(directory, clock);
  const message = `multiple keys match address (${directory}/first, ${directory}/second)`;
  expect(() => files.find(fromBareHex(addressOf("a")))).toThrow(
    expect.objectContaining({ code: "ambiguous", message }),
  );
  expect(files.entries().length).toBe(2);
  expect(createKeyDirectory(join(directory, "missing"), clock).entries()).toEqual([]);
});
