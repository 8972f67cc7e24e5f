/** Tests of the watch on the launcher of the process. */
import { describe, expect, test } from "@jest/globals";
import { launchersOf, type ProcessEntry } from "../../../node/cli/launcher.ts";

type Table = Readonly<Record<number, readonly [parent: number, command: string]>>;

/** The launchers of a process whose parent is 10. */
function launchersIn(environment: Record<string, string>, table: Table): readonly number[] {
  const entryOf = (pid: number): ProcessEntry | undefined => {
    const row = table[pid];
    return row && { parent: row[0], arguments: row[1].split(" ") };
  };
  return launchersOf({ environment, parent: () => 10, entryOf });
}

const START = { npm_lifecycle_event: "start" };
const SHELL = [5, "sh -c node scripts/knit.js dev"] as const;

describe("the launcher", () => {
  test.each([
    ["npm start", START, { 10: SHELL, 5: [1, "npm start --rpcport 1"] }],
    [
      "npm by its script",
      START,
      { 10: SHELL, 5: [1, "/usr/bin/node /usr/lib/node_modules/npm/bin/npm-cli.js start"] },
    ],
    ["npx", { npm_lifecycle_event: "npx" }, { 10: SHELL, 5: [1, "npm exec knit run"] }],
  ] as [string, Record<string, string>, Table][])("is the shell and %s above it", (_, environment, table) => {
    expect(launchersIn(environment, table)).toEqual([10, 5]);
  });

  test("is npm alone where the shell made way for the program", () => {
    expect(launchersIn(START, { 10: [1, "npm start"] })).toEqual([10]);
  });

  test("is the script that looked for a newer Node.js", () => {
    expect(launchersIn({ KNIT_LAUNCHER: "10" }, {})).toEqual([10]);
    expect(launchersIn({ KNIT_LAUNCHER: "9" }, {})).toEqual([]);
  });

  test.each([
    ["a program that somebody typed", {}, { 10: [5, "bash"], 5: [1, "npm start"] }],
    ["another script of npm", { npm_lifecycle_event: "test" }, { 10: SHELL, 5: [1, "npm test"] }],
    [
      "a node that knitd leaves behind",
      { npm_lifecycle_event: "npx" },
      { 10: [5, "/bin/sh /p/npm/knitd start"], 5: [1, "npm exec knitd start"] },
    ],
    ["a shell of nobody's", START, { 10: SHELL, 5: [1, "make start"] }],
    ["a parent that has ended", START, {}],
  ] as [string, Record<string, string>, Table][])("is nobody for %s", (_, environment, table) => {
    expect(launchersIn(environment, table)).toEqual([]);
  });
});
