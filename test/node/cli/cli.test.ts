/** Tests of the command line: commands, settings file, exit codes. */
import { existsSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { runCli } from "../../../node/cli/cli.ts";
import type { NodeCommands, RunningNode } from "../../../node/cli/commands.ts";
import { failureLine } from "../../../node/cli/failure.ts";
import type { NodeOptions } from "../../../node/compose/options.ts";
import { type FakeShell, fakeShell } from "../../support/shell.ts";

let directory = "";

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "knit-cli-"));
});

afterEach(() => {
  rmSync(directory, { recursive: true });
});

/** A node that opens at once, and tells when it was opened and closed. */
function openable(extra: Partial<RunningNode> = {}) {
  const opened = Promise.withResolvers<NodeOptions>();
  const closed: string[] = [];
  const commands: Partial<NodeCommands> = {
    openNode: (options) => {
      opened.resolve(options);
      return Promise.resolve({
        endpoints: { http: "http://127.0.0.1:8551" },
        ...extra,
        [Symbol.asyncDispose]: () => {
          closed.push("node");
          return Promise.resolve();
        },
      });
    },
  };
  return { commands, opened: opened.promise, closed };
}

function failingWith(reason: Error): Partial<NodeCommands> {
  return { openNode: () => Promise.reject(reason) };
}

describe("knit run", () => {
  test("opens the node with the flags' options and closes it on the first signal", async () => {
    const { commands, opened, closed } = openable();
    const { shell, press, err, listeners } = fakeShell(commands, { KNIT_RPCPORT: "0" });
    const running = runCli(["--rpc", "--datadir", directory], shell);
    const options = await opened;
    expect(options).toMatchObject({ type: "endpoint", http: { port: 0 }, development: undefined });
    expect(options.paths.dataDirectory).toBe(directory);
    expect(statSync(options.paths.instance).mode & 0o777).toBe(0o700);
    expect(closed).toEqual([]);
    press("SIGTERM");
    expect(await running).toBe(0);
    expect(closed).toEqual(["node"]);
    expect(err()).toContain("Got interrupt, shutting down...");
    expect(listeners()).toBe(0);
  });

  test("counts further signals down in the Go node's words and exits at the tenth", async () => {
    const closing = Promise.withResolvers<undefined>();
    const { commands, opened } = openable({});
    const slow: Partial<NodeCommands> = {
      openNode: async (...how) => ({
        ...(await commands.openNode?.(...how)),
        endpoints: {},
        [Symbol.asyncDispose]: () => closing.promise,
      }),
    };
    const { shell, press, err, exits } = fakeShell(slow);
    const running = runCli(["--datadir", directory], shell);
    await opened;
    for (let times = 0; times < 10; times++) press("SIGINT");
    expect(err().match(/Already shutting down, interrupt more to panic\. +times=\d/g)).toHaveLength(9);
    expect(err()).toMatch(/times=9\n[^]*times=1\n$/);
    expect(exits).toEqual([]);
    press("SIGINT");
    expect(exits).toEqual([1]);
    closing.resolve(undefined);
    expect(await running).toBe(0);
  });

  test("ends without an error when it is interrupted while it opens", async () => {
    const begun = Promise.withResolvers<undefined>();
    const { shell, press, err } = fakeShell({
      openNode: (_options, signal) => {
        begun.resolve(undefined);
        return new Promise((_resolve, reject) => {
          signal.addEventListener("abort", () => reject(signal.reason as Error));
        });
      },
    });
    const running = runCli(["--datadir", directory], shell);
    await begun.promise;
    press("SIGINT");
    expect(await running).toBe(0);
    expect(err()).not.toContain("Fatal");
  });

  test("ends with the node's own failure, closed first", async () => {
    const { commands, closed } = openable({ failure: Promise.resolve(new Error("disk full")) });
    const { shell, err } = fakeShell(commands);
    expect(await runCli(["--datadir", directory], shell)).toBe(1);
    expect(closed).toEqual(["node"]);
    expect(err()).toBe("Fatal: disk full\n");
  });

  test("refuses a Go node's directory with advice, and leaves it as it is", async () => {
    mkdirSync(join(directory, "klay", "chaindata"), { recursive: true });
    const { shell, err } = fakeShell();
    expect(await runCli(["--datadir", directory], shell)).toBe(1);
    expect(err()).toMatch(/holds a Go node's chain .*klay\/chaindata.*knit import-go --datadir DIR \S+\n$/);
    expect(existsSync(join(directory, "knit"))).toBe(false);
  });

  test("reads the settings file that the command line or the environment names", async () => {
    const conf = join(directory, "node.yaml");
    writeFileSync(conf, "http-rpc: { enable: true, port: 1234 }\n");
    const { commands, opened } = openable();
    const { shell, press } = fakeShell(commands, { KNIT_CONF: conf });
    const running = runCli(["--datadir", directory], shell);
    expect((await opened).http?.port).toBe(1234);
    press("SIGINT");
    await running;
  });
});

describe("knit dev", () => {
  const accounts = [
    { address: `0x${"a".repeat(40)}`, privateKey: `0x${"1".repeat(64)}` },
    { address: `0x${"b".repeat(40)}`, privateKey: `0x${"2".repeat(64)}` },
  ];

  async function runDev(given: readonly string[]): Promise<{ options: NodeOptions; fake: FakeShell }> {
    const { commands, opened } = openable({ developmentAccounts: accounts });
    const fake = fakeShell(commands);
    const running = runCli(["dev", ...given], fake.shell);
    const options = await opened;
    expect(existsSync(options.paths.instance)).toBe(true);
    fake.press("SIGINT");
    expect(await running).toBe(0);
    return { options, fake };
  }

  test("runs a core node in a directory that is removed when it ends", async () => {
    const { options } = await runDev([]);
    expect(options).toMatchObject({ type: "core", development: { accounts: 10 }, isTemporary: true });
    expect(existsSync(options.paths.dataDirectory)).toBe(false);
  });

  test("keeps the chain in the directory it is given", async () => {
    const { options, fake } = await runDev(["--datadir", directory]);
    expect(options).toMatchObject({ paths: { dataDirectory: directory }, isTemporary: false });
    expect(existsSync(options.paths.instance)).toBe(true);
    expect(fake.out()).toContain(`kept in ${directory}`);
  });

  test("syncs a chain database that is kept outside of the removed directory", async () => {
    const { options } = await runDev(["--chaindatadir", directory]);
    expect(options).toMatchObject({ paths: { chainData: join(directory, "chaindata") }, isTemporary: false });
  });

  test("prints accounts with keys, endpoints, and requests that can be tried as they stand", async () => {
    const { fake } = await runDev([]);
    const text = fake.out();
    for (const { address, privateKey } of accounts) expect(text).toContain(`${address}  ${privateKey}`);
    expect(text).toContain("1,000,000 KLAY each");
    expect(text).toContain("HTTP       http://127.0.0.1:8551");
    expect(text).not.toContain("WebSocket");
    expect(text).toMatch(/curl .*eth_blockNumber.* http:\/\/127\.0\.0\.1:8551\n/);
    expect(text).toContain(`new Wallet("${accounts[0]?.privateKey}"`);
  });
});

describe("commands on a data directory", () => {
  test("knit init writes the genesis and says its hash in the Go node's words", async () => {
    const genesis = join(directory, "genesis.json");
    writeFileSync(genesis, "{}");
    const { shell, err } = fakeShell({
      initDatadir: (_options, text) => Promise.resolve({ hash: `0x${text.length}` }),
    });
    expect(await runCli(["init", "--datadir", directory, genesis], shell)).toBe(0);
    expect(err()).toMatch(/Successfully wrote genesis state +database=chaindata hash=0x2\n/);
  });

  test("knit init names a genesis file that cannot be read", async () => {
    const { shell, err } = fakeShell();
    expect(await runCli(["init", "--datadir", directory, join(directory, "none")], shell)).toBe(1);
    expect(err()).toMatch(/^knit: Failed to read genesis file: ENOENT/);
  });

  test("knit db size tells what takes the disk, the largest first", async () => {
    const uses = [
      { database: "chain", kind: "header", holds: "RLP of the header", bytes: 2_500 },
      { database: "chain", kind: "meta", holds: "single rows by name", bytes: 0 },
      { database: "trie", kind: "accountNode", holds: "node of the account trie", bytes: 1_000_000 },
    ] as const;
    const { shell, out } = fakeShell({
      measureDatabase: () => Promise.resolve({ kinds: uses, oldestBody: 5, head: 9 }),
    });
    expect(await runCli(["db", "size", "--datadir", directory], shell)).toBe(0);
    expect(
      out()
        .split("\n")
        .map((line) => line.trim()),
    ).toEqual([
      "1,000,000  accountNode: node of the account trie",
      "2,500  header: RLP of the header",
      "1,002,500  in all",
      "bodies and receipts are those of block 0 and of 5 to 9",
      "",
    ]);
  });

  test("knit db verify tells what was compared", async () => {
    const agree = "flat state, trie and root agree at block 9: 5 accounts, 4 slots, 3 codes";
    const blocks = "10 blocks with 6 transactions have the roots of their headers\n";
    for (const [changes, text] of [
      [0, `${agree}\n${blocks}`],
      [7, `${agree}, 7 changes of older states\n${blocks}`],
    ] as const) {
      const counts = { accounts: 5, slots: 4, codes: 3, changes, blocks: 10, transactions: 6 };
      const compared = { head: 9, ...counts };
      const { shell, out } = fakeShell({ verifyDatabase: () => Promise.resolve(compared) });
      expect(await runCli(["db", "verify", "--datadir", directory], shell)).toBe(0);
      expect(out()).toBe(text);
    }
  });
});

describe("a failure", () => {
  test("is one line on standard error and exit code 1; its stack is for who asked for details", async () => {
    const error = new Error("first\n  second");
    const quiet = fakeShell(failingWith(error));
    expect(await runCli(["--datadir", directory], quiet.shell)).toBe(1);
    expect(quiet.err()).toBe("Fatal: first second\n");
    const loud = fakeShell(failingWith(error));
    await runCli(["--datadir", directory, "--verbosity", "4"], loud.shell);
    expect(loud.err()).toContain(error.stack);
  });

  test("of flags is answered before anything is opened", async () => {
    const { shell, err, out } = fakeShell();
    expect(await runCli(["--rpcprot"], shell)).toBe(1);
    expect(err()).toBe("knit: unknown flag --rpcprot (did you mean --rpcport?)\n");
    expect(out()).toBe("");
  });

  test.each([
    ["console --ipcdisable", {}, "knit: a console on this node needs its socket (--ipcdisable)\n"],
    ["attach", { KNIT_IPCDISABLE: "1" }, "knit: a console on this node needs its socket (--ipcdisable)\n"],
    [
      "rpc net_version",
      { KNIT_IPCDISABLE: "1" },
      "knit: without a socket (--ipcdisable) say where: --endpoint URL\n",
    ],
    [
      "account bls-info",
      { KNIT_IPCDISABLE: "1" },
      "knit: without a socket (--ipcdisable) say where: knit account bls-info ENDPOINT\n",
    ],
  ])("of %s with %j is that there is no socket to ask on", async (line, environment, reported) => {
    const { shell, err } = fakeShell({}, environment);
    expect(await runCli([...line.split(" "), "--datadir", directory], shell)).toBe(1);
    expect(err()).toBe(reported);
  });

  test("to lock the database, however deep, means another process has the directory", () => {
    const locked = Object.assign(new Error("IO error: lock"), { code: "LEVEL_LOCKED" });
    expect(failureLine(new Error("cannot open", { cause: new Error("x", { cause: locked }) }))).toBe(
      "Fatal: datadir already used by another process",
    );
  });

  test("to listen names the address and the flags that choose another", () => {
    const taken = Object.assign(new Error("listen"), {
      code: "EADDRINUSE",
      address: "127.0.0.1",
      port: 8551,
    });
    expect(
      failureLine(taken, [
        ["wsport", 8552],
        ["rpcport", 8551],
      ]),
    ).toBe(
      "Fatal: 127.0.0.1:8551 is already in use: another node may be running; choose another port with --rpcport (0 takes a free one)",
    );
  });

  test("that is no error is still told", () => {
    expect(failureLine("odd")).toBe("Fatal: odd");
    expect(failureLine(new Error(""))).toBe("Fatal: unknown error");
  });
});

test("knit version and help need no node", async () => {
  const { shell, out } = fakeShell();
  const lost = { ...shell, loadNode: () => Promise.reject(new Error("not needed")) };
  expect(await runCli(["version"], lost)).toBe(0);
  expect(out()).toMatch(/^Knit v\d+\.\d+\.\d+ \(Node\.js v\d+/);
  expect(out()).not.toContain("osaka");
  expect(await runCli(["version", "--forks"], lost)).toBe(0);
  expect(out()).toMatch(/^osaka +213333000 +209134000$/m);
  expect(await runCli(["--help"], lost)).toBe(0);
  expect(out()).toContain("Usage: knit [command] [flags]");
});
