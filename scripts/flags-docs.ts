/** Writes docs/flags.md from the tables of flags: `node scripts/flags-docs.ts`. */
import { writeFileSync } from "node:fs";
import { flagText } from "../node/cli/flag-text.ts";
import { type FlagName, flagNames, flags, spellings } from "../node/config/flags.ts";
import { type AbsentName, absentFlags, absentNames } from "../node/config/flags-absent.ts";
import { differences, ownFlags } from "../node/config/flags-compared.ts";
import { flagGroups } from "../node/config/flags-rows.ts";
import { type AnyName, variableNames } from "../node/config/flags-values.ts";

/** Where the page is. */
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
    const names = flagNames.filter((name) => flags[name].group === group);
    return section(
      group,
      ["flag", "other names", "variable", "default", "description", "Go nodes"],
      names.map(ownRow),
    );
  });
  return [INTRODUCTION, ...groups, ...absentSections()].join("\n");
}

function ownRow(name: FlagName): readonly string[] {
  const { kind, summary, aliases, fallback } = flags[name];
  const typed = spellings.find(({ flag }) => flag === name)?.typed ?? name;
  const hint = kind.hint === "" ? "" : ` ${kind.hint}`;
  const compared = differences[name] ?? (ownFlags.has(name) ? "own" : "same");
  return [
    code(`--${typed}${hint}`),
    codes(aliases),
    variable(name),
    code(flagText(name, fallback)),
    escaped(summary),
    compared,
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
  return [code(`--${name}`), codes(aliases), variable(name), code(harmless), why];
}

function variable(name: AnyName): string {
  return codes(variableNames(name));
}

function codes(words: readonly string[]): string {
  return words.map(code).join(" ");
}

function code(text: string): string {
  return text === "" ? "" : `\`${text.replaceAll("|", "\\|")}\``;
}

function escaped(text: string): string {
  return text.replaceAll("<", "&lt;").replaceAll("|", "\\|");
}

function section(title: string, header: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [header, header.map(() => "---"), ...rows].map((row) => `| ${row.join(" | ")} |`);
  return `## ${title}\n\n${lines.join("\n")}\n`;
}

if (import.meta.main) writeFileSync(new URL(`../${FLAGS_DOCS}`, import.meta.url), flagsDocs());
