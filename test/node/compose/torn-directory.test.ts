/** Files of a data directory are missing, cut off, empty or all zeros: the node mends that, or refuses with advice. */
import { mkdtemp, readdir, rm, stat, truncate, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { openDatabase } from "../../../node/compose/database.ts";
import { type Log, silentLog } from "../../../node/observe/log.ts";
import {
  copyOf,
  makeWholeDirectory,
  optionsOf,
  type Readings,
  readWholeDirectory,
  type WholeDirectory,
} from "../../support/whole-directory.ts";

let scratch: string;
let sound: WholeDirectory;
let truth: Readings;
let copies = 0;

beforeAll(async () => {
  scratch = await mkdtemp(join(tmpdir(), "knit-torn-"));
  sound = await makeWholeDirectory(scratch);
  truth = await readWholeDirectory(await aCopy(), sound.blocks, silentLog);
});
afterAll(() => rm(scratch, { recursive: true }));

async function aCopy(): Promise<string> {
  const path = join(scratch, `copy-${copies++}`);
  await copyOf(sound, path);
  return path;
}

const databases = {
  chain: "knit/chaindata/chain",
  blocks: "knit/chaindata/blocks",
  trie: "knit/chaindata/trie/0",
};

/** A file of a database by what its name holds. */
async function fileIn(root: string, database: keyof typeof databases, part: string): Promise<string> {
  const directory = join(root, databases[database]);
  const name = (await readdir(directory)).toSorted().find((each) => each.includes(part));
  if (name === undefined) throw new Error(`${databases[database]} has no ${part}`);
  return join(directory, name);
}

const TEARS = {
  missing: (path: string) => rm(path),
  halved: async (path: string) => truncate(path, Math.floor((await stat(path)).size / 2)),
  empty: (path: string) => truncate(path, 0),
  zeroed: async (path: string) => writeFile(path, Buffer.alloc((await stat(path)).size)),
};
const tears = Object.entries(TEARS);

async function read(root: string): Promise<{ readings: Readings; said: string[] }> {
  const said: string[] = [];
  const note = (_fields: object, message: string): void => void said.push(message);
  const log: Log = { ...silentLog, warn: note, error: note };
  return { readings: await readWholeDirectory(root, sound.blocks, log), said };
}

describe.each(["CURRENT", "MANIFEST", ".ldb"])("%s", (part) => {
  test.each(tears)("%s in the trie: it is made anew", async (_tear, tear) => {
    const root = await aCopy();
    await tear(await fileIn(root, "trie", part));
    const { readings, said } = await read(root);
    expect(readings).toEqual(truth);
    expect(said).toEqual(["trie database cannot be opened", "rebuilt the trie from the flat state"]);
  });

  const kinds = (["chain", "blocks"] as const).flatMap((name) =>
    tears.map((tear) => [...tear, name] as const),
  );

  test.each(kinds)("%s in a directory of the chain: it is refused with advice", async (_tear, tear, torn) => {
    const root = await aCopy();
    await tear(await fileIn(root, torn, part));
    const before = await readdir(join(root, databases[torn]));
    await expect(openDatabase(optionsOf(root), silentLog)).rejects.toMatchObject({
      code: "corrupt",
      message: expect.stringMatching(
        /is damaged: .*; put a copy of the data directory back, or move it away/,
      ),
    });
    const kept = (await readdir(join(root, databases[torn]))).filter((name) => name.endsWith(".ldb"));
    expect(kept).toEqual(before.filter((name) => name.endsWith(".ldb")));
  });
});

test.each(tears)("the log of the trie %s: it catches up", async (_tear, tear) => {
  const root = await aCopy();
  await tear(await fileIn(root, "trie", ".log"));
  expect((await read(root)).readings).toEqual(truth);
});

test.each(tears)(
  "the log of the chain %s: it goes on at the newest block that is left, and says so",
  async (_, tear) => {
    const root = await aCopy();
    await tear(await fileIn(root, "chain", ".log"));
    const { readings, said } = await read(root);
    expect(Number(readings["head"])).toBeLessThan(Number(truth["head"]));
    for (const [name, reading] of Object.entries(readings))
      if (name !== "head") expect(reading).toBe(truth[name]);
    expect(said[0]).toMatch(/^chain database has lost blocks that were on disk/);
  },
);

test.each(tears)(
  "the log of the rows of blocks %s: it goes back to the newest whole block, and says so",
  async (_, tear) => {
    const root = await aCopy();
    await tear(await fileIn(root, "blocks", ".log"));
    const { readings, said } = await read(root);
    expect(Number(readings["head"])).toBeLessThan(Number(truth["head"]));
    for (const [name, reading] of Object.entries(readings))
      if (name !== "head") expect(reading).toBe(truth[name]);
    expect(said).toContain("rows of the newest blocks are lost, going back to the newest whole block");
    expect((await read(root)).said).toEqual([]);
  },
);

test("no tries at all: they are made anew", async () => {
  const root = await aCopy();
  await rm(join(root, "knit/chaindata/trie"), { recursive: true });
  const { readings, said } = await read(root);
  expect(readings).toEqual(truth);
  expect(said).toEqual(["rebuilt the trie from the flat state"]);
});

test("no chain beside the tries: that is said, and no other chain is taken for it", async () => {
  const root = await aCopy();
  await rm(join(root, databases.chain), { recursive: true });
  const { readings, said } = await read(root);
  expect(readings["database"]).toBe("error: no-genesis");
  expect(said[0]).toMatch(/^chain database has lost blocks that were on disk/);
});
