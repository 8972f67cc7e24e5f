/** Tests of typed input: open brackets, history, completion. */
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "@jest/globals";
import { completions, wordStart } from "../../../node/console/completion.ts";
import { openBrackets } from "../../../node/console/console.ts";
import { openCommandHistory } from "../../../node/console/history.ts";

test.each([
  ["f(", 1],
  ["f({", 2],
  ["f({})", 0],
  ["'('", 0],
  ['"\\"("', 0],
  ["a = }", -1],
  ['"it\'s (" + (', 1],
])("%s leaves %i open", (input, open) => {
  expect(openBrackets(input)).toBe(open);
});

test("history keeps what is no secret, readable by its owner alone", async () => {
  const directory = mkdtempSync(join(tmpdir(), "knit-history-"));
  const path = join(directory, "new", "history");
  const history = await openCommandHistory(path);
  for (const input of [
    "a\n",
    "a\n",
    " b\n",
    "personal.unlockAccount(x)\n",
    "personal.listAccounts\n",
    "f(\n1)\n",
  ]) {
    history.add(input);
  }
  await history.save();
  expect(readFileSync(path, "utf8")).toBe("a\npersonal.listAccounts\nf(\n1)");
  expect(statSync(path).mode & 0o777).toBe(0o600);
  writeFileSync(path, "x", { mode: 0o644 });
  expect((await openCommandHistory(path)).commands).toEqual(["x"]);
  expect(await history.clear()).toBe("history file deleted");
  expect(await history.clear()).toMatch(/^can't delete history file: ENOENT/);
  rmSync(directory, { recursive: true });
});

test("Tab offers members of what stands before the last point", () => {
  class Chain {
    getBlock = (): number => 1;
    getBalance = (): number => 1;
    get broken(): never {
      throw new Error("no answer");
    }
  }
  const globals = { klay: new Chain(), klaytn: 1 };
  expect(completions("kla", globals)).toEqual(["klay", "klaytn"]);
  expect(completions("klay.getB", globals)).toEqual(["klay.getBalance", "klay.getBlock"]);
  expect(completions("klay.getBlock", globals)).toEqual(["klay.getBlock("]);
  expect(completions("klay.broken.x", globals)).toEqual([]);
  expect(completions("nothing.x", globals)).toEqual([]);
  const line = "klay.getBalance(web3.fr";
  expect(line.slice(wordStart(line))).toBe("web3.fr");
});
