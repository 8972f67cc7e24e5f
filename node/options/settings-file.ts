/**
 * The settings file: either YAML under flag names or the Go node's dotted names, nested or flat, or the properties of
 * the Go node's daemon (`kcnd.conf`), one shell assignment a line. No shell reads the properties: a value is plain text
 * in which `$NAME` and `$((NAME + 1))` refer to properties of earlier lines.
 */

import { readBoundedText } from "../runtime/bounded-file.ts";
import { absentFlags, absentNames, absentProperties, findAbsentFlag } from "./absent-flags.ts";
import { OptionError } from "./error.ts";
import {
  absentVariableNames,
  type FlagTable,
  findFlagName,
  suggestion,
  variableNames,
} from "./flag-table.ts";
import { nearestWord } from "./nearest-word.ts";
import type { FlagTexts } from "./resolve.ts";
import type { OptionRow } from "./rows.ts";

/** Maximum bytes of a settings file. */
const MAX_BYTES = 1024 * 1024;

/** Reads the file at `fileName`. Throws `OptionError` `bad-file` or `unknown-flag`. */
export async function readSettingsFile(table: FlagTable, fileName: string): Promise<FlagTexts> {
  return readSettings(table, await readText(fileName), fileName);
}

/** Reads a file of properties. Throws as `readSettingsFile`. */
export async function readPropertiesFile(table: FlagTable, fileName: string): Promise<FlagTexts> {
  return readProperties(table, await readText(fileName), fileName);
}

function readText(fileName: string): Promise<string> {
  return readBoundedText(fileName, MAX_BYTES).catch((error: NodeJS.ErrnoException) => {
    throw new OptionError("bad-file", `cannot read the settings file: ${error.message}`, error);
  });
}

/** Reads the text of a settings file; `fileName` appears in messages. */
export async function readSettings(table: FlagTable, text: string, fileName: string): Promise<FlagTexts> {
  return hasProperties(text) ? readProperties(table, text, fileName) : readYaml(table, text, fileName);
}

async function readYaml(table: FlagTable, yamlText: string, fileName: string): Promise<FlagTexts> {
  const texts = new Map<string, string>();
  for (const [key, value] of flatten(await parseYaml(yamlText, fileName), "")) {
    const name = findFlagName(table, key);
    if (!name)
      throw new OptionError("unknown-flag", `unknown setting ${key} in ${fileName}${suggestion(table, key)}`);
    texts.set(name, value);
  }
  return texts;
}

/**
 * Parses YAML. Scalars stay text, so that the parsers of the flags receive `0x..` and `1.10` as written; what the library
 * only warns of, such as an unknown tag, is refused.
 */
async function parseYaml(yamlText: string, fileName: string): Promise<unknown> {
  const { parseDocument } = await import("yaml");
  try {
    const document = parseDocument(yamlText, { schema: "failsafe", logLevel: "error" });
    const [fault] = [...document.errors, ...document.warnings];
    if (fault !== undefined) throw fault;
    return document.toJS();
  } catch (error) {
    const [firstLine] = (error as Error).message.split("\n"); // the library throws errors
    throw new OptionError("bad-file", `${fileName} is not YAML: ${firstLine}`, error);
  }
}

function* flatten(value: unknown, prefix: string): Generator<[string, string]> {
  if (typeof value === "string") yield [prefix, value];
  else if (Array.isArray(value))
    yield [prefix, value.map((item) => (typeof item === "string" ? item : "")).join(",")];
  else if (typeof value === "object" && value !== null) {
    for (const [key, inner] of Object.entries(value))
      yield* flatten(inner, prefix === "" ? key : `${prefix}.${key}`);
  }
}

/** Properties without a flag; this file or `knitd` reads them. */
const OTHER_PROPERTIES = [
  "NETWORK",
  "LOG_DIR",
  "ADDITIONAL",
  "AUTO_RESTART_NODE",
  "AUTO_RESTART_INTERVAL",
] as const;

/** Returns the names of flags by property: of absent flags, and of the programs of the daemon, nodes and boot nodes. */
function flagsByProperty({ rows }: FlagTable): ReadonlyMap<string, string> {
  return new Map<string, string>([
    ...absentNames.flatMap((name) => absentVariableNames(name).map((each) => [each, name] as const)),
    ...rows.filter(isOfDaemon).flatMap((row) => variableNames(row).map((each) => [each, row.flag] as const)),
    ...Object.entries(absentProperties),
    ...rows.flatMap(({ properties, flag }) => properties.map((each) => [each, flag] as const)),
  ]);
}

function isOfDaemon({ commands }: OptionRow<unknown>): boolean {
  return commands.includes("run") || commands.includes("bootnode");
}

/** True when the first line that is neither blank nor a comment assigns a property. */
export function hasProperties(text: string): boolean {
  return /^(?:[ \t]*(?:#[^\n]*)?\r?\n)*[A-Z][A-Z0-9_]*=/.test(text);
}

/**
 * Reads properties; one without a value sets nothing. Throws `OptionError` `bad-file`, `bad-value` or `unknown-flag`
 * with the line.
 */
export function readProperties(table: FlagTable, text: string, fileName: string): FlagTexts {
  const flags = flagsByProperty(table);
  const properties = new Map<string, string>();
  const texts = new Map<string, string>();
  for (const [index, line] of text.split("\n").entries()) {
    if (/^\s*(#|$)/.test(line)) continue;
    const where = `line ${index + 1} of ${fileName}`;
    const [property, value] = assignment(line, where, properties);
    properties.set(property, value);
    const flag = flags.get(property);
    if (flag === undefined && !OTHER_PROPERTIES.some((each) => each === property))
      throw new OptionError(
        "unknown-flag",
        `unknown property ${property} in ${where}${propertySuggestion(property, flags)}`,
      );
    if (flag !== undefined && value !== "")
      texts.set(flag, isSwitch(table, flag) ? String(value === "1") : value);
  }
  applyOthers(table, { properties, texts, fileName });
  return texts;
}

function assignment(line: string, where: string, earlier: ReadonlyMap<string, string>): [string, string] {
  const [, property = "", written = ""] = ASSIGNMENT.exec(line.trim()) ?? [];
  const value = property === "" ? undefined : plainValue(written, earlier);
  if (value !== undefined) return [property, value];
  throw new OptionError("bad-file", `${where} assigns no plain text to a property`);
}

/** A name, then a quoted text, a sum or a word, then at most a comment. */
const ASSIGNMENT = /^([A-Z][A-Z0-9_]*)=("[^"]*"|'[^']*'|\$\(\([^()]*\)\)|[^\s"'#]*)(?:\s+#.*)?$/;
/** Characters that a shell would expand or interpret. */
const SPECIAL = /[$`\\;&|<>()"']/;

/** Returns the value without its quotes, or `undefined` when it needs a shell. */
function plainValue(written: string, properties: ReadonlyMap<string, string>): string | undefined {
  if (written.startsWith("'")) return written.slice(1, -1);
  const inner = written.startsWith('"') ? written.slice(1, -1) : written;
  const replaced = inner
    .replace(/\$\(\( *([A-Z][A-Z0-9_]*) *\+ *(\d{1,9}) *\)\)/g, (all: string, name: string, more: string) =>
      /^\d{1,9}$/.test(properties.get(name) ?? "")
        ? String(Number(properties.get(name)) + Number(more))
        : all,
    )
    .replace(
      /\$(?:([A-Z][A-Z0-9_]*)|\{([A-Z][A-Z0-9_]*)\})/g,
      (all: string, plain?: string, braced?: string) => {
        return properties.get(plain ?? braced ?? "") ?? all;
      },
    );
  return SPECIAL.test(replaced) ? undefined : replaced;
}

function isSwitch(table: FlagTable, name: string): boolean {
  const found = table.find(name);
  if (found !== undefined) return found.kind.hint === "";
  const absent = findAbsentFlag(name);
  return absent !== undefined && absentFlags[absent].isSwitch;
}

interface ReadFile {
  readonly properties: ReadonlyMap<string, string>;
  readonly texts: Map<string, string>;
  readonly fileName: string;
}

/** Applies the properties without a flag as the Go node's daemon does. */
function applyOthers(table: FlagTable, { properties, texts, fileName }: ReadFile): void {
  const { NETWORK, LOG_DIR, ADDITIONAL } = Object.fromEntries(properties);
  if (NETWORK && !texts.has("networkid")) texts.set(networkOf(table, NETWORK, fileName), "true");
  if (LOG_DIR && !texts.has("log.file")) texts.set("log.file", `${LOG_DIR}/knitd.out`);
  for (const [name, text] of additionalFlags(table, ADDITIONAL ?? "", fileName)) texts.set(name, text);
}

function networkOf(table: FlagTable, word: string, fileName: string): string {
  const found = table.find(word)?.flag;
  if (found === "mainnet" || found === "kairos") return found;
  throw new OptionError("bad-value", `NETWORK in ${fileName} must be mainnet or kairos, not ${word}`);
}

/** Parses `ADDITIONAL`, whose flags are written as on the command line. */
function* additionalFlags(table: FlagTable, line: string, fileName: string): Generator<[string, string]> {
  const words = line.split(/\s+/).filter((word) => word !== "");
  for (let word = words.shift(); word !== undefined; word = words.shift()) {
    const [, typed = word, value] = /^--?([^=]+)(?:=(.*))?$/.exec(word) ?? [];
    const name = word.startsWith("-") ? findFlagName(table, typed) : undefined;
    if (name === undefined)
      throw new OptionError("unknown-flag", `ADDITIONAL in ${fileName}: there is no flag ${word}`);
    yield [name, value ?? (isSwitch(table, name) ? "true" : (words.shift() ?? ""))];
  }
}

function propertySuggestion(property: string, flags: ReadonlyMap<string, string>): string {
  const found = nearestWord(property, [...OTHER_PROPERTIES, ...flags.keys()]);
  return found === undefined ? "" : ` (did you mean ${found}?)`;
}
