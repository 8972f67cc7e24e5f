/** Writes docs/flags.md from the tables of flags: `node scripts/flags-docs.ts`. */
import { writeFileSync } from "node:fs";
import { flagText } from "../node/cli/flag-text.ts";
import { flags } from "../node/cli/flags.ts";
import { type AbsentName, absentFlags, absentNames } from "../node/options/absent-flags.ts";
import { absentVariableNames, variableNames } from "../node/options/flag-table.ts";
import { flagGroups, type OptionRow } from "../node/options/rows.ts";

/** Path of the page. */
export const FLAGS_DOCS = "docs/flags.md";

const INTRODUCTION = `# Flags

<!-- Written by scripts/flags-docs.ts from the tables of flags. Do not edit. -->

All flags of knit and of the Go nodes (Klaytn, Kaia). A flag can be set

1. on the command line: \`--rpcport 8551\`, \`--rpcport=8551\`, \`-rpcport 8551\`, before or after the command;
2. in the environment: \`KNIT_RPCPORT\`, then \`KLAYTN_RPCPORT\`, then \`KAIA_RPCPORT\`;
3. in a file: \`--conf FILE\` reads YAML with the names below, nested (\`http-rpc: {port: 8551}\`) or flat, or properties; \`--properties FILE\` reads properties only: the lines of the Go node's daemon (\`RPC_ENABLE=1\`).

The first of these has precedence. \`knit config\` prints the value and the source of each flag.

The last column compares a flag with the Go nodes: *same*, *own* if they do not have it, or the difference.
`;

/** The whole page. */
export function flagsDocs(): string {
  const groups = flagGroups.map((group) => {
    const rows = flags.rows.filter((row) => row.group === group);
    return section(
      group,
      ["flag", "other names", "variable", "default", "description", "Go nodes"],
      rows.map(ownRow),
    );
  });
  return [INTRODUCTION, ...groups, ...absentSections()].join("\n");
}

function ownRow(row: OptionRow<unknown>): readonly string[] {
  const hint = row.kind.hint === "" ? "" : ` ${row.kind.hint}`;
  return [
    code(`--${row.typed ?? row.flag}${hint}`),
    codes(row.aliases),
    codes(variableNames(row)),
    code(flagText(row, row.default)),
    escapeCell(row.summary),
    row.differs ?? (row.own ? "own" : "same"),
  ];
}

function absentSections(): readonly string[] {
  const header = ["flag", "other names", "variable", "accepted value", "reason"];
  return [
    section("Absent: refused", header, absentRows("refused")),
    section("Absent: accepted with a warning, without effect", header, absentRows("ignored")),
  ];
}

function absentRows(verdict: "ignored" | "refused") {
  return absentNames.filter((name) => absentFlags[name].verdict === verdict).map(absentRow);
}

function absentRow(name: AbsentName): readonly string[] {
  const { aliases, harmless = "", why } = absentFlags[name];
  return [code(`--${name}`), codes(aliases), codes(absentVariableNames(name)), code(harmless), why];
}

function codes(words: readonly string[]): string {
  return words.map(code).join(" ");
}

function code(text: string): string {
  return text === "" ? "" : `\`${text.replaceAll("|", "\\|")}\``;
}

function escapeCell(text: string): string {
  return text.replaceAll("<", "&lt;").replaceAll("|", "\\|");
}

function section(title: string, header: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [header, header.map(() => "---"), ...rows].map((row) => `| ${row.join(" | ")} |`);
  return `## ${title}\n\n${lines.join("\n")}\n`;
}

if (import.meta.main) writeFileSync(new URL(`../${FLAGS_DOCS}`, import.meta.url), flagsDocs());
