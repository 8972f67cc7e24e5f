/** Translates the engine's failures into errors of this room, and keeps what it reports of damage. */
import { readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { messageOf } from "../bytes/message-of.ts";
import { StoreError } from "./error.ts";

/** Translates an error of opening the engine. */
export function openFailure(directory: string, error: unknown): StoreError {
  const cause = causeOf(error);
  const said = messageOf(cause);
  if (codeOf(cause) === "LEVEL_LOCKED") {
    return new StoreError("in-use", `${directory} is in use by another process`, { cause: error });
  }
  if (codeOf(cause) === "LEVEL_CORRUPTION" || DAMAGED_FILES.test(said)) {
    return new StoreError("corrupt", `${directory} is damaged: ${said}`, { cause: error });
  }
  return new StoreError("failed", `cannot open ${directory}: ${said}`, { cause: error });
}

/** Translates an error of reading from the engine; errors of other rooms pass unchanged. */
export function readFailure(error: unknown): unknown {
  const code = codeOf(error);
  if (code === "LEVEL_CORRUPTION") {
    return new StoreError("corrupt", `damaged table file: ${messageOf(error)}`, { cause: error });
  }
  if (code === "LEVEL_IO_ERROR") {
    return new StoreError("failed", `cannot read: ${messageOf(error)}`, { cause: error });
  }
  if (code?.endsWith("_NOT_OPEN")) return new StoreError("closed", "the store is closed", { cause: error });
  return error;
}

/**
 * The first line of the engine's own log that reports rows left out when it replayed its write-ahead log. That
 * log is replaced on each opening, so the line is kept in a file until the damage is dismissed. A tail that
 * was being written when the process died is not damage.
 */
export async function recoveryDamage(directory: string): Promise<string | undefined> {
  const known = await readFile(join(directory, DAMAGE_FILE), "utf8").catch(() => undefined);
  if (known !== undefined) return known;
  const log = await readFile(join(directory, "LOG"), "utf8").catch(() => "");
  const line = log.split("\n").find((candidate) => DROPPED_ROWS.test(candidate));
  if (line !== undefined) await writeFile(join(directory, DAMAGE_FILE), line, { flush: true });
  return line;
}

/** Forgets what `recoveryDamage` has kept. */
export function dismissDamage(directory: string): Promise<void> {
  return rm(join(directory, DAMAGE_FILE), { force: true });
}

/** File of reported damage. The engine deletes only files whose names it knows. */
export const DAMAGE_FILE = "damage.txt";
const DROPPED_ROWS = /dropping \d+ bytes|Ignoring error/;
/** The engine calls some damage an I/O error or an invalid argument. */
const DAMAGED_FILES = /no such file or directory|comparator|missing files|bad table/i;

function causeOf(error: unknown): unknown {
  return fieldOf(error, "cause") ?? error;
}

function codeOf(error: unknown): string | undefined {
  const code = fieldOf(error, "code");
  return typeof code === "string" ? code : undefined;
}

function fieldOf(error: unknown, field: "cause" | "code"): unknown {
  return typeof error === "object" && error !== null ? (error as Record<string, unknown>)[field] : undefined;
}
