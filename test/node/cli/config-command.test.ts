/** Tests of `knit config`. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { runCli } from "../../../node/cli/cli.ts";
import { flags } from "../../../node/cli/flags.ts";
import { fakeShell } from "../../support/shell.ts";

let directory = "";

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "knit-config-"));
});

afterEach(() => {
  rmSync(directory, { recursive: true });
});

async function config(given: readonly string[], environment: Record<string, string> = {}, program = "knit") {
  const { shell, out, err } = fakeShell({}, environment);
  const code = await runCli(["config", "--datadir", directory, ...given], { ...shell, program });
  const rows = out()
    .split("\n")
    .map((line) => line.split(/ {2,}/));
  const shown = new Map(rows.map(([name = "", value, origin]) => [name, { value, origin }]));
  return { code, shown, err: err() };
}

test("knit config shows every flag of a node, what it is and where that comes from", async () => {
  const properties = join(directory, "knitd.conf");
  writeFileSync(properties, "RPC_ENABLE=1\nRPC_PORT=9000\nWS_PORT=9001\n");
  const { code, shown } = await config(["--properties", properties, "--txpool.lifetime", "90s"], {
    KLAYTN_RPCPORT: "9100",
    KNIT_NODEKEYHEX: "11".repeat(32),
  });
  expect(code).toBe(0);
  for (const { flag, commands } of flags.rows)
    expect([flag, shown.has(flag)]).toEqual([flag, commands.includes("run") || commands.includes("dev")]);
  expect(shown.get("txpool.lifetime")).toEqual({ value: "90s", origin: "--txpool.lifetime" });
  expect(shown.get("rpcport")).toEqual({ value: "9100", origin: "KLAYTN_RPCPORT" });
  expect(shown.get("wsport")).toEqual({ value: "9001", origin: "wsport in the settings file" });
  expect(shown.get("wsaddr")).toEqual({ value: "127.0.0.1", origin: "default" });
  expect(shown.get("nodekeyhex")).toEqual({ value: "(not shown)", origin: "KNIT_NODEKEYHEX" });
});

test("knit config says what would keep a node from starting, and what does nothing", async () => {
  expect(await config(["--rpc", "--ws", "--wsport", "8551"])).toMatchObject({
    code: 1,
    err: "knit: --rpcport and --wsport are both 8551\n",
  });
  expect(await config(["--grpc"])).toMatchObject({
    code: 1,
    err: "knit: --grpc is refused: knit serves no gRPC\n",
  });
  expect(await config(["--db.single"])).toMatchObject({
    code: 0,
    err: "warning: --db.single does nothing: knit has its own database layout\n",
  });
  expect(await config(["--conf", "a", "--properties", "b"])).toMatchObject({
    code: 1,
    err: "knit: --conf and --properties: one settings file at a time\n",
  });
});

test("knit config prints the bare values of the flags that are named, for scripts", async () => {
  const { shell, out, err } = fakeShell();
  const given = ["config", "--datadir", directory, "--rpcport", "1", "log.file", "--log.maxsize=5"];
  expect(await runCli([...given, "datadir", "rpcport"], shell)).toBe(0);
  expect(out()).toBe(`\n${directory}\n1\n`);
  expect(await runCli([...given, "rpcprot"], shell)).toBe(1);
  expect(err()).toBe("knit: unknown flag rpcprot (did you mean rpcport?)\n");
});

test.each([
  ["kcn", "core"],
  ["kpn", "proxy"],
  ["ken", "endpoint"],
  ["constructor", "endpoint"],
])("started as %s, knit is a %s", async (program, type) => {
  const { shown } = await config([], {}, program);
  expect(shown.get("type")?.value).toBe(type);
  expect((await config(["--type", "proxy"], {}, program)).shown.get("type")?.value).toBe("proxy");
});
