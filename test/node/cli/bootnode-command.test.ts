/** Tests of `knit bootnode`. */
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { runCli } from "../../../node/cli/cli.ts";
import { fakeShell } from "../../support/shell.ts";

let directory = "";
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "knit-boot-"));
});
afterEach(() => {
  rmSync(directory, { recursive: true });
});

async function bootnode(...flags: string[]) {
  const { shell, out, err } = fakeShell();
  const code = await runCli(["bootnode", ...flags], shell);
  return { code, out: out(), err: err() };
}

test("knit bootnode --genkey makes a key once, of which --writeaddress prints the id; no boot node runs", async () => {
  const path = join(directory, "boot.key");
  expect(await bootnode("--genkey", path)).toEqual({ code: 0, out: "", err: "" });
  const key = readFileSync(path, "utf8");
  expect([key, statSync(path).mode & 0o777]).toEqual([expect.stringMatching(/^[0-9a-f]{64}$/), 0o600]);
  expect(await bootnode("--genkey", path)).toMatchObject({
    code: 1,
    err: `knit: file '${path}' already exists\n`,
  });
  const reported = await bootnode("--nodekey", path, "--writeaddress");
  expect(reported.out).toMatch(/^[0-9a-f]{128}\n$/);
  expect(await bootnode("--nodekeyhex", key, "--writeaddress")).toEqual(reported);
  expect((await bootnode("--writeaddress")).err).toBe(
    "knit: Use --nodekey or --nodekeyhex to specify a private key\n",
  );
});

test("a mistyped --nodekey starts no boot node and makes no key", async () => {
  const path = join(directory, "bot.key");
  for (const flags of [["--writeaddress"], ["--bnaddr", "127.0.0.1:0"]]) {
    const { code, err } = await bootnode("--nodekey", path, ...flags);
    expect([code, err]).toEqual([
      1,
      expect.stringContaining(`Option "nodekey": open ${path}: no such file or directory`),
    ]);
  }
  expect(existsSync(path)).toBe(false);
});
