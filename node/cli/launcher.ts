/**
 * Watch on the launcher of this process: npm under `npm start`, npm and its shell under `npx knit`, and
 * `scripts/launch.js`. The node stops when its launcher has ended. npm forwards signals only to its child,
 * which may be a shell that ignores them, and a killed npm forwards none.
 */
import { readFileSync } from "node:fs";

/** A process in the system's process list. */
export interface ProcessEntry {
  readonly parent: number;
  /** Arguments of its command line. */
  readonly arguments: readonly string[];
}

/** Dependencies of the search for the launcher. */
export interface LauncherDeps {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly parent: () => number;
  /** Returns `undefined` for a process that has ended. */
  readonly entryOf: (pid: number) => ProcessEntry | undefined;
}

/** Watch whose signal aborts when the launcher has ended. Disposing it stops the watch. */
export interface LauncherWatch extends Disposable {
  readonly signal: AbortSignal;
}

const POLL_MS = 250;
/** Scripts of npm that run the node. Other scripts may start a node that continues on purpose. */
const NPM_EVENTS: ReadonlySet<string> = new Set(["start", "npx"]);
const PACKAGE_MANAGER = /^(npm|npx|pnpm|yarn)( |$)|^\S*node\S* \S*(npm|npx|pnpm|yarn)(-cli)?(\.c?js)?( |$)/;

/** Returns the process ids of the launcher, the parent first; empty without a launcher. */
export function launchersOf({ environment, parent: readParent, entryOf }: LauncherDeps): readonly number[] {
  const parent = readParent();
  if (environment["KNIT_LAUNCHER"] === String(parent)) return [parent];
  if (!NPM_EVENTS.has(environment["npm_lifecycle_event"] ?? "")) return [];
  const entry = entryOf(parent);
  if (entry === undefined) return [];
  if (isPackageManager(entry)) return [parent];
  const above = entry.arguments[1] === "-c" ? entryOf(entry.parent) : undefined;
  return above !== undefined && isPackageManager(above) ? [parent, entry.parent] : [];
}

function isPackageManager(entry: ProcessEntry): boolean {
  return PACKAGE_MANAGER.test(entry.arguments.join(" "));
}

/** Watches the launcher of this process; `undefined` without a launcher. */
export function openLauncherWatch(deps: LauncherDeps = SYSTEM): LauncherWatch | undefined {
  const [parent, above] = launchersOf(deps);
  if (parent === undefined) return undefined;
  const controller = new AbortController();
  const timer = setInterval(() => {
    if (deps.parent() === parent && (above === undefined || isChildOf(parent, above))) return;
    clearInterval(timer);
    controller.abort();
  }, POLL_MS);
  timer.unref();
  return { signal: controller.signal, [Symbol.dispose]: () => clearInterval(timer) };
}

/**
 * An ended process may stay listed until its parent waits for it, but its children get another parent at
 * once.
 */
function isChildOf(pid: number, parent: number): boolean {
  try {
    return process.platform === "linux" ? entryInProc(pid).parent === parent : process.kill(parent, 0);
  } catch {
    return false;
  }
}

const SYSTEM: LauncherDeps = {
  environment: process.env,
  parent: () => process.ppid,
  entryOf: (pid) => {
    try {
      return process.platform === "linux" ? entryInProc(pid) : entryOfPs(pid);
    } catch {
      return undefined; // it has ended, or the system has no such list
    }
  },
};

function entryInProc(pid: number): ProcessEntry {
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
  const [, parent] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return { parent: Number(parent), arguments: readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0") };
}

function entryOfPs(pid: number): ProcessEntry {
  const { execFileSync } = process.getBuiltinModule("node:child_process"); // no part of every start
  const line = execFileSync("ps", ["-o", "ppid=,command=", "-p", String(pid)], { encoding: "utf8" }).trim();
  const [parent, ...command] = line.split(/\s+/);
  return { parent: Number(parent), arguments: command };
}
