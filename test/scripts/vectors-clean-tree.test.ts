/** `npm run vectors` as CONTRIBUTING.md has it, in a tree that nobody has built or tested in. */
import { spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { afterEach, beforeEach, expect, test } from "@jest/globals";

const ROOT = join(import.meta.dirname, "../..");
/** Entries that a clone does not have, and most of the vectors, which the command does not read. */
const LEFT_OUT = new Set(["node_modules", ".git", ".cache", "dist", "coverage", "test/vectors"]);
const CHAIN = "test/vectors/chains/transfers";
let tree = "";

beforeEach(() => {
  tree = mkdtempSync(join(tmpdir(), "knit-clean-tree-"));
  cpSync(ROOT, tree, { recursive: true, filter: (path) => !LEFT_OUT.has(relative(ROOT, path)) });
  cpSync(join(ROOT, CHAIN), join(tree, CHAIN), { recursive: true });
  symlinkSync(join(ROOT, "node_modules"), join(tree, "node_modules"));
});

afterEach(() => rmSync(tree, { recursive: true }));

test("a transcript is judged in a fresh clone: the node that it is played against is built first", () => {
  const entry = {
    n: 0,
    group: "chain-reads",
    via: "http",
    request: '{"jsonrpc":"2.0","id":1,"method":"net_version","params":[]}',
    status: 200,
    response: '{"jsonrpc":"2.0","id":1,"result":"77"}\n',
  };
  const terms = { chain: "transfers", node: "kaia-2.2.1", networkId: 77, nodeKey: "01".repeat(32) };
  writeFileSync(join(tree, "transcript.json"), JSON.stringify({ ...terms, entries: [entry] }));
  const { stdout, stderr, status } = spawnSync(
    "npm",
    ["run", "--silent", "vectors", "--", "transcript.json"],
    {
      cwd: tree,
      encoding: "utf8",
      env: { ...process.env, NODE_OPTIONS: "", INIT_CWD: tree },
    },
  );
  expect({ stdout, status, stderr: status === 0 ? "" : stderr }).toEqual({
    stdout: "1 passed, 0 failed\n",
    status: 0,
    stderr: "",
  });
}, 120_000);
