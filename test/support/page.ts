/** The commands of a documentation page, the answers that it shows below them, and a shell that runs them. */
import { type ChildProcessByStdio, spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import type { Readable } from "node:stream";
import { MAIN } from "./knit-process.ts";

/** A fenced block of commands. */
export interface PageBlock {
  /** Word behind `sh`, such as `terminal`; empty without one. */
  readonly kind: string;
  readonly text: string;
  /** Output that the page shows right below. */
  readonly answer: string | undefined;
}

/** Returns the blocks of commands of a page in their order. */
export function pageBlocks(page: string): PageBlock[] {
  const fences = [...page.matchAll(/```(sh|text)( \w+)?\n(.*?)```/gs)];
  return fences.flatMap(({ index, 0: whole, 1: language, 2: kind = "", 3: text = "" }, i) => {
    if (language !== "sh") return [];
    const next = fences[i + 1];
    const between = page.slice(index + whole.length, next?.index);
    const isAnswer = next?.[1] === "text" && between.trim() === "";
    return [{ kind: kind.trim(), text, answer: isAnswer ? next[3] : undefined }];
  });
}

/** A command of a page: a block, or words in a sentence or a table (kind `inline`). */
export interface PageCommand extends PageBlock {
  /** Heading of the second level above it; empty before the first one. */
  readonly section: string;
}

const INLINE_COMMAND = /`((?:kubectl|helm|knit-operator) [^`]+)`/g;

/** Returns all commands of a page, section by section: the blocks, then the words in its text, each once. */
export function pageCommands(page: string): PageCommand[] {
  const [opening = "", ...sections] = page.split(/^## /m);
  return [`\n${opening}`, ...sections].flatMap((part) => {
    const section = part.slice(0, part.indexOf("\n"));
    const prose = part.replaceAll(/^```.*?^```/gms, "");
    const inline = new Set([...prose.matchAll(INLINE_COMMAND)].map(([, text = ""]) => text));
    return [
      ...pageBlocks(part).map((block) => ({ section, ...block })),
      ...[...inline].map((text) => ({ section, kind: "inline", text, answer: undefined })),
    ];
  });
}

/** Returns the pattern of an answer; `...` stands for anything. */
export function answerPattern(answer: string): RegExp {
  const parts = answer.trimEnd().split("...");
  return new RegExp(`^${parts.map((part) => RegExp.escape(part)).join("[^]*")}\\n*$`);
}

/** Puts a `knit` into `bin` of a directory; the commands of pages are run there. */
export function prepareCommands(directory: string): void {
  mkdirSync(join(directory, "bin"));
  writeFileSync(join(directory, "bin", "knit"), `#!/bin/sh\nexec "${process.execPath}" "${MAIN}" "$@"\n`);
  chmodSync(join(directory, "bin", "knit"), 0o755);
}

/** Starts commands in a prepared directory. */
export function spawnCommands(
  directory: string,
  text: string,
): ChildProcessByStdio<null, Readable, Readable> {
  const path = `${join(directory, "bin")}${delimiter}${process.env["PATH"]}`;
  return spawn("bash", ["-ec", text], {
    cwd: directory,
    env: { ...process.env, PATH: path },
    stdio: ["ignore", "pipe", "pipe"],
  });
}

/** Runs commands in a prepared directory; returns the exit code and both outputs. */
export async function runCommands(
  directory: string,
  text: string,
): Promise<{ readonly code: number; readonly output: string; readonly complaint: string }> {
  const child = spawnCommands(directory, text);
  const texts = { output: "", complaint: "" };
  child.stdout.setEncoding("utf8").on("data", (more: string) => void (texts.output += more));
  child.stderr.setEncoding("utf8").on("data", (more: string) => void (texts.complaint += more));
  const [code] = (await once(child, "close")) as [number];
  return { code, ...texts };
}
