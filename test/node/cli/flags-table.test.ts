/** The tables of flags as a whole: every way in reaches every flag, and no flag of the Go nodes is forgotten. */
import { globSync, readFileSync } from "node:fs";
import { isDeepStrictEqual } from "node:util";
import { describe, expect, test } from "@jest/globals";
import { flagText } from "../../../node/cli/flag-text.ts";
import { flags } from "../../../node/cli/flags.ts";
import { type AbsentName, absentFlags, absentNames } from "../../../node/options/absent-flags.ts";
import { absentVariableNames, findFlagName, variableNames } from "../../../node/options/flag-table.ts";
import type { OptionRow, OptionRows } from "../../../node/options/rows.ts";
import { readProperties, readSettings } from "../../../node/options/settings-file.ts";
import { FLAGS_DOCS, flagsDocs } from "../../../scripts/flags-docs.ts";
import { options, resolve } from "../../support/options.ts";

const byName = flags.rows.map((row) => [row.flag, row] as const);

/** A text for each kind of value, none of them a default. */
const SAMPLES: Readonly<Record<string, string>> = {
  FORK: "london",
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
  TIME: "900ms",
  SIZE: "512MiB",
  HEX: "12".repeat(32),
  HASH: `0x${"12".repeat(32)}`,
  ADDRESS: `0x${"78".repeat(20)}`,
  ADDRESSES: `0x${"78".repeat(20)},${"9a".repeat(20)}`,
  BLOCK: "never",
  KIND: "kairos-test",
  ACCOUNT: `0x${"34".repeat(20)}`,
  ACCOUNTS: `0x${"56".repeat(20)},1`,
};

function sampleOf({ kind: { hint } }: OptionRow<unknown>): string {
  return SAMPLES[hint] ?? hint.split("|").at(-1) ?? "";
}

function any(name: AbsentName): string {
  return absentFlags[name].isSwitch ? "true" : "7";
}

/** Everything but where it came from. */
function outcome(given: Parameters<typeof resolve>[0], name: string): unknown {
  const { values, given: who } = resolve(given);
  return { value: values.get(name), given: [...who] };
}

describe("a flag reaches the same value from everywhere:", () => {
  test.each(byName)("%s", async (name, row) => {
    const text = sampleOf(row);
    const expected = { value: row.kind.parse(text), given: [name] };
    expect(outcome({ line: { [name]: text } }, name)).toEqual(expected);
    for (const variable of variableNames(row)) {
      for (const prefix of ["KNIT_", "KLAYTN_", "KAIA_"])
        expect(outcome({ env: { [prefix + variable]: text } }, name)).toEqual(expected);
      if (!row.commands.some((each) => each === "run" || each === "bootnode")) continue;
      const file = Object.fromEntries(readProperties(flags, `${variable}="${text}"`, "f"));
      expect(outcome({ file }, name)).toEqual(expected);
    }
    for (const written of [name, ...row.aliases]) {
      const nested = written.split(".").map((part, depth) => `${" ".repeat(depth)}${part}:`);
      for (const yaml of [`${written}: "${text}"`, `${nested.join("\n")} "${text}"`])
        expect(outcome({ file: Object.fromEntries(await readSettings(flags, yaml, "f")) }, name)).toEqual(
          expected,
        );
    }
  });
});

describe("a flag of a node reaches its options, or is told to do nothing:", () => {
  /** Everything that other flags are about. */
  const on: Readonly<Record<string, string>> = {
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
  const files = ["conf", "properties"];
  const rows = byName.filter(([name, row]) => row.commands.includes("run") && !files.includes(name));

  test.each(rows)("%s", (name, row) => {
    const isOn = row.default === true || Object.hasOwn(on, name);
    const text = row.kind.hint === "" && isOn ? "false" : sampleOf(row);
    const without = options({ line: on });
    const isEqual = isDeepStrictEqual(options({ line: { ...on, [name]: text } }), without);
    expect(isEqual ? `node/compose/options.ts does not hand --${name} on` : "handed on").toBe("handed on");
  });
});

/** The exported objects of rows, by name, with the file that exports each. */
async function exportedRows(): Promise<ReadonlyMap<string, { file: string; rows: OptionRows }>> {
  const files = globSync("node/*/*.ts").filter((file) => /^const \w+ = optionGroup\(/m.test(read(file)));
  const found = await Promise.all(
    files.map(async (file) => {
      const names = [...read(file).matchAll(/^export const (\w+) = \{/gm)].map(([, name = ""]) => name);
      const module = (await import(`../../../${file}`)) as Record<string, OptionRows>; // named exports
      return names.flatMap((name) => (module[name] ? [[name, { file, rows: module[name] }] as const] : []));
    }),
  );
  return new Map(found.flat());
}

const read = (file: string): string => readFileSync(file, "utf8");

describe("the rows of a room", () => {
  test("have defaults that their own texts give back, of a node and of a development chain", () => {
    for (const row of flags.rows) {
      for (const value of [row.default, row.development].filter((each) => each !== undefined))
        expect([row.flag, row.kind.parse(flagText(row, value))]).toEqual([row.flag, value]);
    }
  });

  test("are all in the flag table, once", async () => {
    const exported = await exportedRows();
    const missed = [...exported].filter(
      ([, { rows }]) => !Object.values(rows).every(({ flag }) => flags.find(flag) !== undefined),
    );
    expect(missed.map(([name, { file }]) => `add ${name} of ${file} to node/cli/flags.ts`)).toEqual([]);
    const own = [...exported.values()].flatMap(({ rows }) => Object.values(rows));
    expect(own.map(({ flag }) => flag).sort()).toEqual(flags.rows.map(({ flag }) => flag).sort());
  });

  test("are read by name, not only said", async () => {
    const texts = new Map(globSync("node/**/*.ts").map((file) => [file, read(file)]));
    const isRead = (member: string, file: string): boolean =>
      [...texts].some(
        ([other, text]) => text.split(new RegExp(`\\b${member}\\b`)).length > (other === file ? 2 : 1),
      );
    const unread = [...(await exportedRows()).values()].flatMap(({ file, rows }) =>
      Object.entries(rows)
        .filter(([member]) => !isRead(member, file))
        .map(([member, { flag }]) => `no code reads ${member}, the option of --${flag} (${file})`),
    );
    expect(unread).toEqual([]);
  });
});

describe("a flag that only the Go nodes have", () => {
  const ignored = absentNames.filter((name) => absentFlags[name].verdict === "ignored");
  const refused = absentNames.filter((name) => absentFlags[name].verdict === "refused");

  test("is accepted with a warning from every source, or refused with the reason", () => {
    for (const name of ignored) {
      const { why } = absentFlags[name];
      expect(resolve({ line: { [name]: any(name) } }).warnings).toEqual([`--${name} does nothing: ${why}`]);
      const env = { [`KLAYTN_${absentVariableNames(name)[0]}`]: any(name) };
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
    JSON.parse(readFileSync("test/node/cli/go-flags.json", "utf8")) as {
      flags: Record<string, { aliases: string[]; variables: string[] }>;
    }
  ).flags;

  test("are all known, by all their names and variables", () => {
    expect(Object.keys(go).length).toBeGreaterThan(280);
    for (const [name, { aliases, variables }] of Object.entries(go)) {
      const found = findFlagName(flags, name);
      expect([name, found]).not.toContain(undefined);
      for (const alias of aliases) expect([alias, findFlagName(flags, alias)]).toEqual([alias, found]);
      const row = flags.find(name);
      const known = row ? variableNames(row) : absentVariableNames(name as AbsentName); // known, and not a flag
      expect([name, variables.filter((each) => !known.includes(each))]).toEqual([name, []]);
    }
  });

  test("are those that are not called knit's own", () => {
    const wrong = flags.rows.filter(({ flag, own }) => own === Object.hasOwn(go, flag));
    expect(wrong.map(({ flag }) => flag)).toEqual([]);
    expect(absentNames.filter((name) => !Object.hasOwn(go, name))).toEqual([]);
    expect(flags.rows.filter(({ own, differs }) => own && differs !== undefined)).toEqual([]);
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
  const file = Object.fromEntries(readProperties(flags, text, "kend.conf"));
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
