/** The tables of flags as a whole: every way in reaches every flag, and no flag of the Go nodes is forgotten. */
import { readFileSync } from "node:fs";
import { describe, expect, test } from "@jest/globals";
import { type FlagName, findFlag, flagNames, flags } from "../../../node/config/flags.ts";
import {
  type AbsentName,
  absentFlags,
  absentNames,
  findAbsentFlag,
} from "../../../node/config/flags-absent.ts";
import { differences, ownFlags } from "../../../node/config/flags-compared.ts";
import { variableNames } from "../../../node/config/flags-values.ts";
import { readProperties, readSettings } from "../../../node/config/settings-file.ts";
import { FLAGS_DOCS, flagsDocs } from "../../../scripts/flags-docs.ts";
import { options, resolve } from "../../support/options.ts";

/** A text for each kind of value, none of them a default. */
const SAMPLES: Readonly<Record<string, string>> = {
  "": "1",
  N: "2",
  PORT: "12345",
  TEXT: "words",
  PATH: "/some/where",
  LIST: "one,two",
  NETWORKS: "10.0.0.0/8",
  "none|extip:IP": "extip:1.2.3.4",
  "HOST:PORT": "127.0.0.1:99",
  AMOUNT: "6",
  KAIA: "1.5",
  TIME: "90s",
  SIZE: "512MiB",
  HEX: "12".repeat(32),
  ADDRESS: `0x${"78".repeat(20)}`,
  ADDRESSES: `0x${"78".repeat(20)},${"9a".repeat(20)}`,
  BLOCK: "never",
  KIND: "kairos-test",
  ACCOUNT: `0x${"34".repeat(20)}`,
  ACCOUNTS: `0x${"56".repeat(20)},1`,
};

function sampleOf(name: FlagName): string {
  const { hint } = flags[name].kind;
  return SAMPLES[hint] ?? hint.split("|").at(-1) ?? "";
}

function any(name: AbsentName): string {
  return absentFlags[name].isSwitch ? "true" : "7";
}

/** Everything but where it came from. */
function outcome(given: Parameters<typeof resolve>[0], name: FlagName): unknown {
  const { values, given: who } = resolve(given);
  return { value: values[name], given: [...who] };
}

describe("a flag reaches the same value from everywhere:", () => {
  test.each(flagNames)("%s", async (name) => {
    const text = sampleOf(name);
    const expected = { value: flags[name].kind.parse(text), given: [name] };
    expect(outcome({ line: { [name]: text } }, name)).toEqual(expected);
    for (const variable of variableNames(name)) {
      for (const prefix of ["KNIT_", "KLAYTN_", "KAIA_"])
        expect(outcome({ env: { [prefix + variable]: text } }, name)).toEqual(expected);
      if (!flags[name].commands.some((each) => each === "run" || each === "bootnode")) continue;
      const file = Object.fromEntries(readProperties(`${variable}="${text}"`, "f"));
      expect(outcome({ file }, name)).toEqual(expected);
    }
    for (const written of [name, ...flags[name].aliases]) {
      const nested = written.split(".").map((part, depth) => `${" ".repeat(depth)}${part}:`);
      for (const yaml of [`${written}: "${text}"`, `${nested.join("\n")} "${text}"`])
        expect(outcome({ file: Object.fromEntries(await readSettings(yaml, "f")) }, name)).toEqual(expected);
    }
  });
});

describe("a flag of a node reaches its options, or is told to do nothing:", () => {
  /** Everything that other flags are about. */
  const on: Partial<Record<FlagName, string>> = {
    type: "proxy",
    rpc: "true",
    ws: "true",
    metrics: "true",
    prometheus: "true",
    multichannel: "true",
    "log.file": "log",
    "log.rotate": "true",
  };
  /** Read before there are options. */
  const files = new Set<FlagName>(["conf", "properties"]);
  const names = flagNames.filter((name) => flags[name].commands.includes("run") && !files.has(name));

  test.each(names)("%s", (name) => {
    const isOn = flags[name].fallback === true || Object.hasOwn(on, name);
    const text = flags[name].kind.hint === "" && isOn ? "false" : sampleOf(name);
    const without = options({ line: on });
    expect(options({ line: { ...on, [name]: text } })).not.toEqual(without);
  });
});

describe("a flag that only the Go nodes have", () => {
  const ignored = absentNames.filter((name) => absentFlags[name].verdict === "ignored");
  const refused = absentNames.filter((name) => absentFlags[name].verdict === "refused");

  test("is accepted with a warning from every source, or refused with the reason", () => {
    for (const name of ignored) {
      const { why } = absentFlags[name];
      expect(resolve({ line: { [name]: any(name) } }).warnings).toEqual([`--${name} does nothing: ${why}`]);
      const env = { [`KLAYTN_${variableNames(name)[0]}`]: any(name) };
      expect(resolve({ env }).warnings).toEqual([`${Object.keys(env)[0]} does nothing: ${why}`]);
    }
    for (const name of refused) {
      const message = `${name} in the settings file is refused: ${absentFlags[name].why}`;
      expect(() => resolve({ file: { [name]: any(name) } })).toThrow(
        expect.objectContaining({ code: "absent-flag", message }),
      );
    }
  });

  test("is not spoken of where it says what knit does anyway", () => {
    for (const name of absentNames) {
      const { harmless = "" } = absentFlags[name];
      expect(resolve({ file: { [name]: harmless.toUpperCase() } }).warnings).toEqual([]);
    }
  });

  test("is one of a line where there are many, and reaches the log with the other warnings", () => {
    const file = Object.fromEntries(ignored.slice(0, 4).map((name) => [name, any(name)]));
    const some = Object.keys(file).slice(0, 3).join(", ");
    const expected = `4 settings do nothing here (${some}, ...): docs/flags.md says why`;
    expect(options({ file }).warnings).toEqual([expected]);
  });

  test("is nothing to commands that run no node", () => {
    expect(resolve({ command: "rpc", env: { KLAYTN_GRPC: "1" } }).warnings).toEqual([]);
  });
});

describe("the Go nodes' flags", () => {
  const go = (
    JSON.parse(readFileSync("test/node/config/go-flags.json", "utf8")) as {
      flags: Record<string, { aliases: string[]; variables: string[] }>;
    }
  ).flags;

  test("are all known, by all their names and variables", () => {
    expect(Object.keys(go).length).toBeGreaterThan(280);
    for (const [name, { aliases, variables }] of Object.entries(go)) {
      const found = findFlag(name) ?? findAbsentFlag(name);
      expect([name, found]).not.toContain(undefined);
      for (const alias of aliases)
        expect([alias, findFlag(alias) ?? findAbsentFlag(alias)]).toEqual([alias, found]);
      const known = found === undefined ? [] : variableNames(found);
      expect([name, variables.filter((each) => !known.includes(each))]).toEqual([name, []]);
    }
  });

  test("are those that are not called knit's own", () => {
    const theirs = flagNames.filter((name) => !ownFlags.has(name));
    expect(theirs.filter((name) => !Object.hasOwn(go, name))).toEqual([]);
    expect([...ownFlags].filter((name) => Object.hasOwn(go, name))).toEqual([]);
    expect(absentNames.filter((name) => !Object.hasOwn(go, name))).toEqual([]);
    expect(Object.keys(differences).filter((name) => ownFlags.has(name as FlagName))).toEqual([]);
  });
});

test("the page about flags says what the tables hold; node scripts/flags-docs.ts writes it anew", () => {
  expect(readFileSync(FLAGS_DOCS, "utf8")).toBe(flagsDocs());
});

test("the Go node's own properties file is read as its daemon reads it", () => {
  const text = `NETWORK="mainnet"
NETWORK_ID=
PORT=32323
SERVER_TYPE="http"
SYNCMODE="full"
MAXCONNECTIONS=10
TXPOOL_LIFE_TIME="30m"
RPC_ENABLE=1 # if this is set, the following options will be used
RPC_VHOSTS="*"
SC_MAIN_BRIDGE=0
AUTO_RESTART=0
DB_NO_PARALLEL_WRITE=0
MULTICHANNEL=1
SUBPORT=$((PORT + 1)) # used for multi channel option
LOG_ROTATE=0
ADDITIONAL="--txpool.nolocals --gcmode archive --db.single"
AUTO_RESTART_NODE=0
DATA_DIR=/var/kend/data
LOG_DIR=$DATA_DIR/logs
`;
  const file = Object.fromEntries(readProperties(text, "kend.conf"));
  expect(file).toMatchObject({
    mainnet: "true",
    subport: "32324",
    multichannel: "true",
    mainbridge: "false",
    "txpool.nolocals": "true",
    gcmode: "archive",
    "db.single": "true",
    "log.file": "/var/kend/data/logs/knitd.out",
  });
  expect(options({ file }).options).toMatchObject({
    publicNetwork: "mainnet",
    http: { virtualHosts: ["*"] },
  });
});

test.each([
  [{ mainnet: "true", kairos: "true" }, "--kairos and --mainnet must not be set together"],
  [{ kairos: "true", networkid: "1001" }, "--kairos and --networkid must not be set together"],
  [{ mainnet: "true", networkid: "8217" }, "--mainnet and --networkid must not be set together"],
])("%j is a clash", (line, message) => {
  expect(() => options({ line })).toThrow(expect.objectContaining({ code: "clash", message }));
});
