/** Tests of `knit import`, `knit export` and `knit db rewind`. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { runCli } from "../../../node/cli/cli.ts";
import { fakeShell } from "../../support/shell.ts";

let directory = "";

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "knit-files-"));
});

afterEach(() => {
  rmSync(directory, { recursive: true });
});

/** Result of an import of three blocks. */
const imported = {
  blocks: 3,
  transactions: 9,
  known: 0,
  seconds: 0.5,
  head: 7,
  interrupted: false,
  failure: undefined,
};

test("knit import and export hand over file, range and progress and say what was done", async () => {
  const { shell, out } = fakeShell({
    importChain: (_options, { files, progress }) => {
      progress.update(3, 3);
      return Promise.resolve({ ...imported, blocks: files.join("").length, known: files.length });
    },
    exportChain: (_options, { first, last }) =>
      Promise.resolve({ blocks: (last ?? 0) - (first ?? 0) + 1, head: 7 }),
  });
  expect(await runCli(["import", "--datadir", directory, "abc", "de"], shell)).toBe(0);
  expect(await runCli(["export", "--datadir", directory, "abc.gz", "--first=2", "--last=5"], shell)).toBe(0);
  expect(await runCli(["export", "--datadir", directory, "abc.gz", "7", "9"], shell)).toBe(0);
  expect(out()).toBe(
    "imported 5 blocks with 9 transactions in 0.50 s; already there: 2; the newest block is 7\n" +
      "exported 4 blocks to abc.gz\nexported 3 blocks to abc.gz\n",
  );
});

test.each([
  ["1x", '"1x" is not a block number'],
  ["1 --last=5", "the range is given twice: behind the file and by --first or --last"],
])("an export of %s is refused before anything is opened", async (range, message) => {
  const { shell, err } = fakeShell();
  expect(await runCli(["export", "--datadir", directory, "abc", ...range.split(" ")], shell)).toBe(1);
  expect(err()).toBe(`knit: ${message}\n`);
});

test("an import limits its heap before anything is opened", async () => {
  const steps: (string | number | undefined)[] = [];
  const { shell } = fakeShell({
    importChain: () => {
      steps.push("import");
      return Promise.resolve(imported);
    },
  });
  const limitHeap = (bytes: number | undefined): void => void steps.push(bytes);
  await runCli(["import", "--datadir", directory, "abc"], { ...shell, limitHeap });
  expect(steps).toEqual([2 ** 31, "import"]);
});

test("an import that is stopped by a fault says first how far it came", async () => {
  const { shell, out, err } = fakeShell({
    importChain: () => Promise.resolve({ ...imported, failure: new Error("abc: block 3: no good") }),
  });
  expect(await runCli(["import", "--datadir", directory, "abc"], shell)).toBe(1);
  expect(out()).toBe("imported 3 blocks with 9 transactions in 0.50 s; the newest block is 7\n");
  expect(err()).toContain("Fatal: abc: block 3: no good\n");
});

test.each([
  ["SIGINT", 130],
  ["SIGTERM", 143],
] as const)(
  "an import ends its block after %s and exits with %d, at once after a second",
  async (name, code) => {
    const begun = Promise.withResolvers<undefined>();
    const ended = Promise.withResolvers<undefined>();
    const { shell, press, out, err, exits } = fakeShell({
      importChain: async (_options, { signal }) => {
        begun.resolve(undefined);
        await ended.promise;
        return { ...imported, interrupted: signal.aborted };
      },
    });
    const running = runCli(["import", "--datadir", directory, "abc"], shell);
    await begun.promise;
    press(name);
    expect(err()).toContain("interrupted: finishing the current batch; interrupt again to end at once");
    expect(exits).toEqual([]);
    press(name);
    expect(exits).toEqual([code]);
    ended.resolve(undefined);
    expect(await running).toBe(code);
    expect(out()).toBe(
      "imported 3 blocks with 9 transactions in 0.50 s; the newest block is 7; " +
        "interrupted: run the same command again to continue\n",
    );
  },
);

test("knit db rewind says what was removed, and wants a number", async () => {
  const { shell, out, err } = fakeShell({
    rewindDatadir: (_options, number) => Promise.resolve({ blocks: 3, head: number }),
  });
  expect(await runCli(["db", "rewind", "--datadir", directory, "12"], shell)).toBe(0);
  expect(out()).toBe("removed 3 blocks; the newest block is 12\n");
  expect(await runCli(["db", "rewind", "--datadir", directory, "latest"], shell)).toBe(1);
  expect(err()).toBe('knit: "latest" is not a block number\n');
});

test("an interrupted export says that nothing was written", async () => {
  const begun = Promise.withResolvers<undefined>();
  const { shell, press, out } = fakeShell({
    exportChain: (_options, { signal }) => {
      begun.resolve(undefined);
      return new Promise((_resolve, reject) => {
        signal.addEventListener("abort", () => reject(signal.reason as Error));
      });
    },
  });
  const running = runCli(["export", "--datadir", directory, "abc"], shell);
  await begun.promise;
  press("SIGINT");
  expect(await running).toBe(130);
  expect(out()).toBe("export was interrupted: nothing was written to abc\n");
});
