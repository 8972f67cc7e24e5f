/** Tests of the flag table and the values of flags. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "@jest/globals";
import { flags } from "../../../node/cli/flags.ts";
import { absentFlags, absentNames } from "../../../node/options/absent-flags.ts";
import { absentVariableNames, suggestion, variableNames } from "../../../node/options/flag-table.ts";
import { nearestWord } from "../../../node/options/nearest-word.ts";
import { flagGroups } from "../../../node/options/rows.ts";
import { readSettings, readSettingsFile } from "../../../node/options/settings-file.ts";
import { resolve } from "../../support/options.ts";

describe("the flag table", () => {
  test("has no name twice, aliases included", () => {
    const names = [
      ...flags.rows.flatMap(({ flag, aliases }) => [flag, ...aliases]),
      ...absentNames.flatMap((name) => [name, ...absentFlags[name].aliases]),
    ];
    expect(new Set(names).size).toBe(names.length);
  });

  test("has no two flags with one environment variable", () => {
    const variables = [...flags.rows.flatMap(variableNames), ...absentNames.flatMap(absentVariableNames)];
    expect(new Set(variables).size).toBe(variables.length);
  });

  test("describes every flag and shows it under a known heading of some command", () => {
    for (const { summary, group, commands } of flags.rows) {
      expect(summary).not.toBe("");
      expect(flagGroups).toContain(group);
      expect(commands.length).toBeGreaterThan(0);
    }
  });

  test("finds flags by name and by the settings file's name", () => {
    expect(flags.find("rpcport")?.flag).toBe("rpcport");
    expect(flags.find("http-rpc.port")?.flag).toBe("rpcport");
    expect(flags.find("toString")).toBeUndefined();
  });
});

describe("a flag's value", () => {
  test("comes from the command line before the environment before the file before the default", () => {
    const line = { rpcport: "1" };
    const env = { KNIT_RPCPORT: "2" };
    const file = { rpcport: "3" };
    expect(resolve({ line, env, file }).values.get("rpcport")).toBe(1);
    expect(resolve({ env, file }).values.get("rpcport")).toBe(2);
    expect(resolve({ file }).values.get("rpcport")).toBe(3);
    expect(resolve().values.get("rpcport")).toBe(8551);
  });

  test("may come from the Go nodes' variables, the project's own being strongest and empty ones unset", () => {
    expect(resolve({ env: { KAIA_TXPOOL_EXEC_SLOTS_ALL: "5" } }).values.get("txpool.exec-slots.all")).toBe(5);
    expect(resolve({ env: { KAIA_WSPORT: "5", KLAYTN_WSPORT: "6" } }).values.get("wsport")).toBe(6);
    expect(resolve({ env: { KLAYTN_WSPORT: "6", KNIT_WSPORT: "7" } }).values.get("wsport")).toBe(7);
    expect(resolve({ env: { KNIT_WSPORT: "" }, file: { wsport: "9" } }).values.get("wsport")).toBe(9);
  });

  test("is known to be given or not, whoever gave it", () => {
    const { given } = resolve({ line: { rpc: "true" }, env: { KNIT_WS: "1" }, file: { verbosity: "3" } });
    expect([...given].sort()).toEqual(["rpc", "verbosity", "ws"]);
  });

  test("on a development chain has defaults of its own, which any source replaces", () => {
    expect(Object.fromEntries(resolve({ command: "dev" }).values)).toMatchObject({
      type: "core",
      rpc: true,
      ws: true,
    });
    expect(resolve({ command: "dev", env: { KNIT_WS: "false" } }).values.get("ws")).toBe(false);
    expect(Object.fromEntries(resolve().values)).toMatchObject({ type: "endpoint", rpc: false, ws: false });
  });

  test.each<[string, string, string]>([
    ["rpcport", "65536", '--rpcport must be a whole number from 0 to 65535, not "65536"'],
    ["rpcport", "80a", '--rpcport must be a whole number from 0 to 65535, not "80a"'],
    ["rpcport", "", '--rpcport must be a whole number from 0 to 65535, not ""'],
    ["networkid", "0", '--networkid must be a whole number of at least 1, not "0"'],
    ["rpc", "maybe", '--rpc must be true or false, not "maybe"'],
    ["type", "full", '--type must be one of core, proxy, endpoint, not "full"'],
    ["txpool.lifetime", "5", '--txpool.lifetime must be a time such as 250ms, 10s or 1h30m, not "5"'],
    ["balance", "1e3", '--balance must be a whole number, not "1e3"'],
    [
      "rewardbase",
      "0x12",
      '--rewardbase must be an account address or its index in the keystore, not "0x12"',
    ],
    ["nodekeyhex", "c0ffee", "--nodekeyhex must be 64 hex digits"],
  ])("--%s %s is refused in one line that repeats no secret", (name, value, message) => {
    expect(() => resolve({ line: { [name]: value } })).toThrow(
      expect.objectContaining({ name: "OptionError", code: "bad-value", message }),
    );
  });

  test("that is refused is blamed on where it came from", () => {
    expect(() => resolve({ env: { KLAYTN_RPCPORT: "x" } })).toThrow(/^KLAYTN_RPCPORT must be/);
    expect(() => resolve({ file: { rpcport: "x" } })).toThrow(/^rpcport in the settings file must be/);
  });

  test("has its kind", () => {
    const line = {
      "txpool.journal-interval": "1h30m0s",
      "block-generation-time-limit": "250ms",
      "api.filter.getLogs.deadline": "1.5s",
      rpcapi: " net, eth,,",
      unlock: `0x${"ab".repeat(20)},3`,
      balance: "123456789012345678901234567890",
    };
    const { values } = resolve({ line });
    expect(values.get("txpool.journal-interval")).toBe(5_400_000);
    expect(values.get("block-generation-time-limit")).toBe(250);
    expect(values.get("api.filter.getLogs.deadline")).toBe(1_500);
    expect(values.get("rpcapi")).toEqual(["net", "eth"]);
    expect(values.get("unlock")).toEqual([
      { kind: "address", address: new Uint8Array(20).fill(0xab) },
      { kind: "index", index: 3 },
    ]);
    expect(values.get("balance")).toBe(123456789012345678901234567890n * 10n ** 18n);
  });
});

describe("a settings file", () => {
  test("is YAML under flag names or the Go node's names, nested or flat, its texts kept as written", async () => {
    const found = await readSettings(
      flags,
      `
http-rpc:
  enable: true
  api: [net, eth]
  cors-domain: ""
api:
  filter:
    getLogs: { maxitems: 0x10 }
state.block-interval: 007
rewardbase: 0x00000000000000000000000000000000000000ff
`,
      "node.yaml",
    );
    expect(Object.fromEntries(found)).toEqual({
      rpc: "true",
      rpcapi: "net,eth",
      rpccorsdomain: "",
      "api.filter.getLogs.maxitems": "0x10",
      "state.block-interval": "007",
      rewardbase: "0x00000000000000000000000000000000000000ff",
    });
  });

  test("may have the properties of the Go node's daemon, a line each", async () => {
    const text = `# a core node

NETWORK_ID="8217"   # the main network
RPC_ENABLE=1
RPC_API="klay, eth,net"
WS_ENABLE=0
WS_API='personal'
WS_ADDR=
PORT=32323
NO_DISCOVER=1
REWARDBASE=
`;
    expect(Object.fromEntries(await readSettings(flags, text, "kcnd.conf"))).toEqual({
      networkid: "8217",
      rpc: "true",
      rpcapi: "klay, eth,net",
      ws: "false",
      wsapi: "personal",
      port: "32323",
      nodiscover: "true",
    });
  });

  test.each([
    ["RPC_ENABEL=1", "unknown property RPC_ENABEL in line 1 of kcnd.conf (did you mean RPC_ENABLE?)"],
    ["PORT=1\nDATA_DIR=$HOME/x", "line 2 of kcnd.conf assigns no plain text to a property"],
    ["PORT=1\nDATA_DIR=`id`", "line 2 of kcnd.conf assigns no plain text to a property"],
    ["PORT=1\nSUBPORT=$((WS_PORT + 1))", "line 2 of kcnd.conf assigns no plain text to a property"],
    ["NETWORK=aspen", "NETWORK in kcnd.conf must be mainnet or kairos, not aspen"],
    ['ADDITIONAL="--txpool.nolocal"', "ADDITIONAL in kcnd.conf: there is no flag --txpool.nolocal"],
    ["PORT=1\nif true", "line 2 of kcnd.conf assigns no plain text to a property"],
  ])("is refused for %j", async (text, message) => {
    await expect(readSettings(flags, text, "kcnd.conf")).rejects.toMatchObject({
      name: "OptionError",
      message,
    });
  });

  test("with an unknown setting is refused with a near miss", async () => {
    await expect(readSettings(flags, "http-rpc: { prot: 1 }", "a.yaml")).rejects.toThrow(
      "unknown setting http-rpc.prot in a.yaml (did you mean http-rpc.port?)",
    );
  });

  test.each([
    ["port: [1", "YAML: .* line 1"],
    ["port: !number 1", "YAML: Unresolved tag: !number at line 1"],
    ["port: *other", "YAML: Unresolved alias"],
    ["port: 1\nport: 2", "YAML: Map keys must be unique at line 2"],
    ["port: 1\n---\nport: 2", "YAML: .*multiple documents"],
  ])("that is no YAML of one document is refused with the place: %j", async (text, message) => {
    await expect(readSettings(flags, text, "a.yaml")).rejects.toMatchObject({
      code: "bad-file",
      message: expect.stringMatching(new RegExp(`^a\\.yaml is not ${message}`)),
    });
  });

  test("is read from disk, and a missing one is named", async () => {
    const directory = mkdtempSync(join(tmpdir(), "knit-flags-"));
    try {
      const file = join(directory, "node.yaml");
      writeFileSync(file, "verbosity: 4\n");
      expect(Object.fromEntries(await readSettingsFile(flags, file))).toEqual({ verbosity: "4" });
      await expect(readSettingsFile(flags, join(directory, "other.yaml"))).rejects.toMatchObject({
        code: "bad-file",
      });
    } finally {
      rmSync(directory, { recursive: true });
    }
  });
});

describe("near misses", () => {
  test("are found over swaps, gaps and case, and not across the whole table", () => {
    expect(nearestWord("rpcprot", ["rpcport", "wsport"])).toBe("rpcport");
    expect(nearestWord("DATADIR", ["datadir"])).toBe("datadir");
    expect(nearestWord("verbosty", ["verbosity", "version"])).toBe("verbosity");
    expect(nearestWord("xyz", ["rpcport", "wsport"])).toBeUndefined();
    expect(suggestion(flags, "txpool.lifetme", "--")).toBe(" (did you mean --txpool.lifetime?)");
    expect(suggestion(flags, "qqqqqqqqqq")).toBe("");
  });
});
