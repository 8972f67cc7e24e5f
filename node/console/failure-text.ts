/**
 * Text of a script's error: name and message, the script's stack frames, a suggestion for a mistyped name.
 */
import { types } from "node:util";
import { nearestWord } from "../options/nearest-word.ts";
import { memberNames } from "./pretty.ts";

/** File name of statements of the prompt in stack frames. */
export const TYPED = "<eval>";

/** Formats an error of a script. `globals` are the names for suggestions. */
export function failureText(error: unknown, globals: object): string {
  if (!types.isNativeError(error)) return String(error);
  if (error.name === "SyntaxError") return syntaxText(error);
  const missing = missingMember(error);
  const message = missing === undefined ? error.message : `Object has no member '${missing.member}'`;
  const head = `${error.name}${message === "" ? "" : `: ${message}`}`;
  return [head, ...framesOf(error), ...suggestion(error, globals)].join("\n\t");
}

/**
 * Formats a syntax error with its place, which precedes the stack: `<eval>:1`, the line, and a mark below it.
 */
function syntaxText({ message, stack = "" }: Error): string {
  const [, line = "1", mark = ""] = /^[^\n]*:(\d+)\n[^\n]*\n([ ]*)/.exec(stack) ?? [];
  const said = message.replace("Invalid or unexpected token", "Unexpected token ILLEGAL");
  return `SyntaxError: SyntaxError: (anonymous): Line ${line}:${mark.length + 1} ${said}`;
}

interface Missing {
  readonly path: string;
  readonly member: string;
}

/** Returns the name in an error about a call of a missing member. */
function missingMember({ name, message }: Error): Missing | undefined {
  const [, path, member] = /^((?:\w+\.)*\w+)\.(\w+) is not a function$/.exec(message) ?? [];
  return name === "TypeError" && path !== undefined && member !== undefined ? { path, member } : undefined;
}

const OURS = /\(?(node:|file:|[^ (]*\/(node|dist)\/console\/)/;

/** Returns the stack frames of the script, without those of this program. */
function framesOf({ stack = "" }: Error): string[] {
  const lines = stack.split("\n").filter((line) => /^\s+at /.test(line));
  return lines.filter((line) => !OURS.test(line)).map((line) => line.trim());
}

/** Returns a line that suggests a similar name. */
function suggestion(error: Error, globals: object): string[] {
  const missing = missingMember(error);
  if (missing !== undefined)
    return suggestions(missing.member, at(globals, missing.path), `${missing.path}.`);
  const [, name] = /^(\w+) is not defined$/.exec(error.message) ?? [];
  return name === undefined ? [] : suggestions(name, globals, "");
}

function suggestions(name: string, holder: unknown, prefix: string): string[] {
  if (typeof holder !== "object" || holder === null) return [];
  const found = nearestWord(name, memberNames(holder));
  return found === undefined ? [] : [`did you mean ${prefix}${found}?`];
}

function at(globals: object, path: string): unknown {
  let found: unknown = globals;
  for (const part of path.split(".")) found = (found as Record<string, unknown> | undefined)?.[part];
  return found;
}
