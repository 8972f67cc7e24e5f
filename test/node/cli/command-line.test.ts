/** Tests of the parser of the command line. */
import { describe, expect, test } from "@jest/globals";
import { readCommandLine } from "../../../node/cli/command-line.ts";
import { commands } from "../../../node/cli/commands.ts";
import { flags } from "../../../node/cli/flags.ts";
import { flagsOfCommand } from "../../../node/options/flag-table.ts";

function read(line: string) {
  const invocation = readCommandLine(line.split(" ").filter((word) => word !== ""));
  if (invocation.kind === "help") return { help: invocation.text };
  const {
    command,
    arguments: [argument],
  } = invocation;
  return { command: command.name, argument, flags: Object.fromEntries(invocation.flags) };
}

function helpOf(line: string): string {
  const { help } = read(line);
  if (help === undefined) throw new Error(`${line} is not answered with help`);
  return help;
}

describe("a command line", () => {
  test("without a command runs a node", () => {
    expect(read("")).toEqual({ command: "run", argument: undefined, flags: {} });
    expect(read("--rpc -rpcport 1")).toEqual({
      command: "run",
      argument: undefined,
      flags: { rpc: "true", rpcport: "1" },
    });
  });

  test("takes flags of one or two dashes, with their values behind a blank or an equal sign, and switches", () => {
    expect(read("-datadir d init --verbosity=4 g.json")).toEqual({
      command: "init",
      argument: "g.json",
      flags: { datadir: "d", verbosity: "4" },
    });
    expect(read("-rpc --ws=false --http-rpc.port 0").flags).toEqual({
      rpc: "true",
      ws: "false",
      rpcport: "0",
    });
    const values = { "state.trie-cache-limit": "-1", identity: "a=b" };
    expect(read("--state.trie-cache-limit -1 --identity=a=b").flags).toEqual(values);
  });

  test("names a command, its argument and its flags in any order", () => {
    const expected = { command: "export", argument: "f.gz", flags: { datadir: "d", last: "9" } };
    expect(read("export f.gz --datadir d --last 9")).toEqual(expected);
    expect(read("--datadir d export --last=9 f.gz")).toEqual(expected);
    expect(read("db verify --datadir d")).toEqual({
      command: "verify",
      argument: undefined,
      flags: { datadir: "d" },
    });
    expect(read("decode 0x --type header").flags).toEqual({ "decode.type": "header" });
    expect(read("db -- verify").command).toBe("verify");
    expect(read("--version").command).toBe("version");
    expect(read("version --forks").flags).toEqual({ forks: "true" });
  });

  test("hands over every flag of a node under its own name", () => {
    const own = flagsOfCommand(flags, "run").map(({ flag }) => flag);
    const line = own.map((name) => `--${name}=1`).join(" ");
    expect(read(line).flags).toEqual(Object.fromEntries(own.map((name) => [name, "1"])));
  });

  test("takes the last of a flag given twice", () => {
    expect(read("--rpcport 1 --rpcport 2").flags).toEqual({ rpcport: "2" });
  });

  test.each([
    ["--rpcprot 1", "unknown flag --rpcprot (did you mean --rpcport?)"],
    ["--quxquxqux", "unknown flag --quxquxqux"],
    ["rnu", 'Unknown command "rnu" (did you mean run?); knit --help lists them'],
    ["--rpcport", "--rpcport needs a value: HTTP-RPC server listening port; 0 for a free port"],
    ["--datadir --rpc", "--datadir needs a value: data directory; the default depends on the type"],
    ["init --rpc g.json", "--rpc is not a flag of this command"],
    ["init", "Must supply path to genesis JSON file"],
    ["import", "missing required argument 'FILE'"],
    ["account list now", "too many arguments for 'list'. Expected 0 arguments but got 1."],
    ["db nope", "unknown command 'nope'"],
    ["db --datadir d", "--datadir is not a flag of this command"],
    ["run now", "too many arguments for 'run'. Expected 0 arguments but got 1."],
  ])("%s is refused with one line", (line, message) => {
    expect(() => read(line)).toThrow(expect.objectContaining({ name: "OptionError", message }));
  });
});

describe("help", () => {
  test.each(["--help", "-h", "help", "help nope"])("%s lists every command", (line) => {
    const help = helpOf(line);
    for (const { words, summary } of commands) {
      expect(help).toContain(words);
      expect(help).toContain(summary);
    }
  });

  test.each(["db", "db help", "db --help", "help db", "db nope --help"])(
    "%s lists the commands of db alone",
    (line) => {
      const listed = helpOf(line)
        .split("\n")
        .flatMap((row) => /^ {2}(\w+ \w+)/.exec(row)?.[1] ?? []);
      expect(listed).toEqual(["db rewind", "db verify", "db size"]);
    },
  );

  test("of a command shows each of its flags once, with default, and no other command's", () => {
    for (const command of commands) {
      const lines = helpOf(`${command.words} --help`).split("\n");
      const shown = lines.flatMap((line) => /^ {2}--(\S+)/.exec(line)?.[1] ?? []);
      const typed = flagsOfCommand(flags, command.name).map((row) => row.typed ?? row.flag);
      expect(shown.sort()).toEqual(typed.sort());
    }
    expect(helpOf("run --help")).toMatch(/--rpcport PORT +HTTP-RPC server listening port.* \(8551\)\n/);
    expect(helpOf("help dev")).toMatch(/--txpool\.lifetime TIME +maximum time.* \(5m\)\n/);
  });

  test("keeps to a terminal's width", () => {
    const longest = commands
      .map((command) => helpOf(`help ${command.words}`))
      .join("\n")
      .split("\n");
    expect(Math.max(...longest.map((line) => line.length))).toBeLessThanOrEqual(120);
  });
});
