/** Errors of commands as one line for the user. */
import { causesOf } from "../bytes/causes.ts";
import { OptionError } from "../options/error.ts";

/**
 * Returns one line: `knit: ...` for invalid input, `Fatal: ...` for any other error. `ports` are the port flags of the
 * command with their values; a port in use is named with its flag.
 */
export function failureLine(error: unknown, ports: PortFlags = []): string {
  const prefix = error instanceof OptionError ? "knit" : "Fatal";
  return `${prefix}: ${reason(error, ports).replace(/\s*\n\s*/g, " ")}`;
}

/** Flags that take a port, and their values. */
export type PortFlags = readonly (readonly [flag: string, port: unknown])[];

function reason(error: unknown, ports: PortFlags): string {
  const chain = [...causesOf(error)];
  if (chain.some((each) => LOCKED.has(String(each.code)))) return "datadir already used by another process";
  const taken = chain.find((each) => each.code === "EADDRINUSE");
  if (taken) return `${taken.address}:${taken.port} is already in use: ${portAdvice(taken.port, ports)}`;
  const [first] = chain;
  if (first === undefined) return String(error);
  return typeof first.message === "string" && first.message !== "" ? first.message : "unknown error";
}

function portAdvice(port: unknown, ports: PortFlags): string {
  const exact = ports.filter(([, value]) => value === port);
  const possible = exact.length > 0 ? exact : ports.filter(([, value]) => value === undefined); // a default of its own
  const chosen = possible.map(([flag]) => `--${flag}`).join(" or ") || "its flag";
  return `another node may be running; choose another port with ${chosen} (0 takes a free one)`;
}

/** Codes of LevelDB's lock. The system releases the lock when the process ends. */
const LOCKED = new Set(["LEVEL_LOCKED", "locked"]);

/** True for the error of an aborted signal. */
export function isAbort(error: unknown): boolean {
  return typeof error === "object" && error !== null && "name" in error && error.name === "AbortError";
}
