/**
 * The commands for vectors that CONTRIBUTING.md documents, run in a clean tree: the tracked files and the installed
 * packages, without a build. The build that a transcript needs takes its time, so it waits for KNIT_ALL_CASES.
 */
import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "@jest/globals";

const withBuild = process.env["KNIT_ALL_CASES"] === "1";
let tree = "";

beforeAll(() => {
  tree = mkdtempSync(join(tmpdir(), "knit-clean-"));
  const files = execFileSync("git", ["ls-files", "-z", "--cached", "--others", "--exclude-standard"]);
  execFileSync("tar", ["cf", join(tree, "files.tar"), "--null", "--ignore-failed-read", "-T", "-"], {
    input: files,
  });
  execFileSync("tar", ["xf", "files.tar"], { cwd: tree });
  symlinkSync(join(process.cwd(), "node_modules"), join(tree, "node_modules"));
});

afterAll(() => rmSync(tree, { recursive: true }));

/** Runs a documented command with its PATH filled in. Returns its last line and exit code. */
function runDocumented(
  command: string,
  path: string,
): { readonly last: string; readonly status: number | null } {
  expect(readFileSync("CONTRIBUTING.md", "utf8")).toContain(`\`${command}\``);
  const [program = "", ...args] = command.replace(/PATH(\.\.\.)?/, path).split(" ");
  const { stdout, stderr, status } = spawnSync(program, args, {
    cwd: tree,
    encoding: "utf8",
    env: { ...process.env, NODE_OPTIONS: "" },
  });
  const last = stdout.trimEnd().split("\n").at(-1) ?? "";
  return { last: last === "" ? stderr : last, status };
}

test("npm run vectors judges suites and chains in a clean tree", () => {
  for (const path of ["test/vectors/core-tests/rlp.json.gz", "test/vectors/chains/london"]) {
    const { last, status } = runDocumented("npm run vectors -- PATH...", path);
    expect([last, status]).toEqual([expect.stringMatching(/^[1-9]\d* passed, 0 failed$/), 0]);
  }
}, 600_000);

(withBuild ? test : test.skip)(
  "npm run vectors and scripts/transcripts.ts build what transcripts need in a clean tree",
  () => {
    const path = "test/vectors/rpc/none-kaia222.json.gz";
    const { last, status } = runDocumented("npm run vectors -- PATH...", path);
    expect([last, status]).toEqual([expect.stringMatching(/^[1-9]\d* passed, 0 failed$/), 0]);
    expect(runDocumented("node scripts/transcripts.ts PATH", path).status).toBe(0);
  },
  600_000,
);
