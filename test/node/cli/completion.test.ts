/** Tests of `knit completion`, in real shells. */
import { spawnSync } from "node:child_process";
import { describe, expect, test } from "@jest/globals";
import { runCli } from "../../../node/cli/cli.ts";
import { commands } from "../../../node/cli/commands.ts";
import { completion } from "../../../node/cli/completion.ts";
import { flags } from "../../../node/cli/flags.ts";
import { flagsOfCommand } from "../../../node/options/flag-table.ts";
import { fakeShell } from "../../support/shell.ts";

/** Offers of bash for each of the lines, the last word of which is being typed. */
function offersFor(lines: readonly string[]): string[][] {
  const asks = lines.map((line) => {
    const words = line.split(" ").map((word) => `'${word}'`);
    return `COMP_WORDS=(${words.join(" ")}); COMP_CWORD=${words.length - 1}; COMPREPLY=(); _knit; echo "\${COMPREPLY[*]}"`;
  });
  const { stdout, stderr } = spawnSync("bash", ["--norc", "-c", [completion("bash"), ...asks].join("\n")], {
    encoding: "utf8",
  });
  expect(stderr).toBe("");
  return stdout.split("\n").map((line) => line.split(" "));
}

describe("completion for bash", () => {
  test("offers commands, their second words, and the flags of each command", () => {
    const lines = [
      "knit ",
      "knit ex",
      "knit db ",
      "knit --datadir x dumpg",
      ...commands.map(({ words }) => `knit ${words} --`),
    ];
    const [all, some, db, behind, ...ofCommands] = offersFor(lines);
    expect(all).toEqual(expect.arrayContaining(["run", "db", "completion"]));
    expect(some).toEqual(["export"]);
    expect(db).toEqual(["rewind", "verify", "size"]);
    expect(behind).toEqual(["dumpgenesis"]);
    for (const [i, { name }] of commands.entries()) {
      const own = flagsOfCommand(flags, name);
      const typed = own.map((row) => `--${row.typed ?? row.flag}`);
      expect(ofCommands[i]).toEqual(["--help", ...typed]);
    }
  });

  test("offers a flag's words, files for paths, and a node's flags without a command", () => {
    const [types, files, modules, own] = offersFor([
      "ken --type ",
      "knit run --datadir package.js",
      "knit --rpcapi ",
      "kcn --rpcp",
    ]);
    expect(types).toEqual(["core", "proxy", "endpoint"]);
    expect(files).toEqual(["package.json"]);
    expect(modules).toEqual([""]);
    expect(own).toEqual(["--rpcport"]);
  });
});

test("completion for fish names every command and flag, and is quoted", () => {
  const script = completion("fish");
  for (const { words } of commands) expect(script).toContain(`-a '${words.split(" ").at(-1)}'`);
  for (const { flag } of flags.rows.filter(({ typed }) => typed === undefined))
    expect(script).toContain(`-l '${flag}'`);
  for (const line of script.trimEnd().split("\n").slice(1))
    expect(line).toMatch(/^complete -c knit( -?-?[a-z]+( '(\\.|[^\\'])*')?)+$/);
});

test("knit completion prints the script, zsh's with its emulation of bash, and refuses other shells", async () => {
  const { shell, out, err } = fakeShell();
  expect(await runCli(["completion", "zsh"], shell)).toBe(0);
  expect(out()).toMatch(/bashcompinit\n[^]*complete -o filenames -F _knit knit kcn kpn ken\n$/);
  expect(await runCli(["completion", "csh"], shell)).toBe(1);
  expect(err()).toBe("knit: the shell must be one of bash, zsh, fish\n");
});
