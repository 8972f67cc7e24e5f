/**
 * The settings file: YAML under flag names or the Go node's dotted names, nested or flat; or the properties of the Go
 * node's daemon.
 */
import { readFile } from "node:fs/promises";
import { findFlag } from "./flags.ts";
import { findAbsent } from "./flags-absent.ts";
import { isProperties, readProperties } from "./flags-properties.ts";
import { type AnyName, type FlagTexts, suggestion } from "./flags-values.ts";
import { OptionError } from "./options-error.ts";

/** Reads the file at `fileName`. Throws `OptionError` `bad-file` or `unknown-flag`. */
export async function readSettingsFile(fileName: string): Promise<FlagTexts> {
  return readSettings(await contentOf(fileName), fileName);
}

/** The same for a file that has properties, whatever its first line. */
export async function readPropertiesFile(fileName: string): Promise<FlagTexts> {
  return readProperties(await contentOf(fileName), fileName);
}

function contentOf(fileName: string): Promise<string> {
  return readFile(fileName, "utf8").catch((error: NodeJS.ErrnoException) => {
    throw new OptionError("bad-file", `cannot read the settings file: ${error.message}`, error);
  });
}

/** Reads the text of such a file; `fileName` is for messages. */
export async function readSettings(text: string, fileName: string): Promise<FlagTexts> {
  return isProperties(text) ? readProperties(text, fileName) : readYaml(text, fileName);
}

async function readYaml(yamlText: string, fileName: string): Promise<FlagTexts> {
  const texts = new Map<AnyName, string>();
  for (const [key, value] of flatten(await parseYaml(yamlText, fileName), "")) {
    const name = findFlag(key) ?? findAbsent(key);
    if (!name)
      throw new OptionError("unknown-flag", `unknown setting ${key} in ${fileName}${suggestion(key)}`);
    texts.set(name, value);
  }
  return texts;
}

/** Scalars stay text, so that `0x..` and `1.10` reach the flags' own parsers as they were written. */
async function parseYaml(yamlText: string, fileName: string): Promise<unknown> {
  const { parse } = await import("yaml");
  try {
    return parse(yamlText, { schema: "failsafe" });
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
