/** What ended a command, in one line for the person who typed it. */
import { OptionError } from "../config/options-error.ts";

/** `knit: ...` for what was typed wrongly, `Fatal: ...` for what went wrong; never more than a line. */
export function failureLine(error: unknown): string {
  const prefix = error instanceof OptionError ? "knit" : "Fatal";
  return `${prefix}: ${reason(error).replace(/\s*\n\s*/g, " ")}`;
}

function reason(error: unknown): string {
  const chain = [...causes(error)];
  if (chain.some((each) => LOCKED.has(String(each.code)))) return "datadir already used by another process";
  const taken = chain.find((each) => each.code === "EADDRINUSE");
  if (taken) return `${taken.address}:${taken.port} is already in use${PORT_ADVICE}`;
  const [first] = chain;
  if (first === undefined) return String(error);
  return typeof first.message === "string" && first.message !== "" ? first.message : "unknown error";
}

const PORT_ADVICE =
  ": another node may be running; other ports are chosen with --port, --rpcport, --wsport and --prometheusport (0 takes a free one)";

/** LevelDB's lock is the data directory's: the system releases it however a process ends. */
const LOCKED = new Set(["LEVEL_LOCKED", "locked"]);

/** What errors of Node and of libraries carry; any of it may be missing. */
interface ErrorFacts {
  readonly message?: unknown;
  readonly code?: unknown;
  readonly cause?: unknown;
  readonly address?: string;
  readonly port?: number;
}

function* causes(error: unknown): Generator<ErrorFacts> {
  let current = error;
  for (let depth = 0; depth < 10 && typeof current === "object" && current !== null; depth++) {
    const facts: ErrorFacts = current;
    yield facts;
    current = facts.cause;
  }
}

/** True for what an aborted signal throws. */
export function isAbort(error: unknown): boolean {
  return typeof error === "object" && error !== null && "name" in error && error.name === "AbortError";
}
