/**
 * A bit is flipped anywhere in a data directory: whatever a node reads there afterwards is right, or refused with a
 * code, or shorter with the log saying so. `KNIT_FLIPS` says how many bits, each in a fresh copy of the directory.
 */
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { fromHex, toHex } from "../../../node/bytes/hex.ts";
import { decodeTransaction, senderOf } from "../../../node/model/transaction.ts";
import { type Log, silentLog } from "../../../node/observe/log.ts";
import { seededRandom } from "../../support/random.ts";
import {
  copyOf,
  makeWholeDirectory,
  type Readings,
  readWholeDirectory,
  type WholeDirectory,
} from "../../support/whole-directory.ts";

const FLIPS = Number(process.env["KNIT_FLIPS"] ?? 10);
const seed = Number(process.env["KNIT_SEED"] ?? 41);
const random = seededRandom(seed);

let scratch: string;
let sound: WholeDirectory;
let truth: Readings;

beforeAll(async () => {
  scratch = await mkdtemp(join(tmpdir(), "knit-flips-"));
  sound = await makeWholeDirectory(scratch);
  const copy = join(scratch, "read");
  await copyOf(sound, copy);
  truth = await readWholeDirectory(copy, sound.blocks, silentLog);
  await rm(copy, { recursive: true });
});
afterAll(() => rm(scratch, { recursive: true }));

/** A log that only counts what somebody should look at. */
function countingLog(): { readonly log: Log; readonly warnings: () => number } {
  let warnings = 0;
  const count = (): void => void warnings++;
  return { log: { ...silentLog, warn: count, error: count }, warnings: () => warnings };
}

/** Readings that may be other ones: whether this one does harm. */
const JUDGES: Readonly<Record<string, (reading: string, warned: boolean) => boolean>> = {
  head: (_, warned) => !warned,
  keys: (reading) => reading !== "none",
  // what a peer is asked for it proves by its key
  staticNodes: () => false,
  trustedNodes: () => false,
  journal: (reading) => reading.split(",").some(isForeign),
};

/** A transaction that was not in the journal and would still be taken for one of its sender. */
function isForeign(raw: string): boolean {
  if (raw === "" || truth["journal"]?.split(",").includes(raw)) return false;
  const [first = ""] = truth["journal"]?.split(",") ?? [];
  try {
    return senderText(raw) === senderText(first);
  } catch {
    return false; // nobody has signed it
  }
}

function senderText(raw: string): string {
  return toHex(senderOf(decodeTransaction(fromHex(raw)), 1n));
}

/** The readings that are neither right nor refused. */
function harmDone(readings: Readings, warned: boolean): object {
  const harm = Object.entries(readings).filter(([name, reading]) => {
    if (reading === truth[name] || reading.startsWith("error: ")) return false;
    return JUDGES[name]?.(reading, warned) ?? true;
  });
  return Object.fromEntries(harm);
}

test("a sound directory is read to the end", () => {
  expect(truth).toMatchObject({ head: "34", verify: "agrees", nodeKey: expect.stringMatching(/^0x/) });
  expect(Object.values(truth).filter((reading) => /^(error|defect|missing|none)/.test(reading))).toEqual([]);
});

test(`none of ${FLIPS} flipped bits does harm that nobody notices (seed ${seed})`, async () => {
  const entries = await readdir(sound.path, { recursive: true, withFileTypes: true });
  const files = entries
    .filter((entry) => entry.isFile())
    .map((entry) => relative(sound.path, join(entry.parentPath, entry.name)))
    .toSorted();
  for (let flip = 0; flip < FLIPS; flip++) {
    const copy = join(scratch, String(flip));
    await copyOf(sound, copy);
    const name = files[flip % files.length] ?? "";
    const bytes = await readFile(join(copy, name));
    const at = Math.floor(random() * bytes.length);
    const bit = Math.floor(random() * 8);
    bytes[at] = (bytes[at] ?? 0) ^ (1 << bit);
    await writeFile(join(copy, name), bytes);
    const { log, warnings } = countingLog();
    const readings = await readWholeDirectory(copy, sound.blocks, log);
    const harm = harmDone(readings, warnings() > 0);
    expect({ name, at, bit, harm }).toEqual({ name, at, bit, harm: {} });
    await rm(copy, { recursive: true });
  }
}, 3_600_000);
