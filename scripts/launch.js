/**
 * The programs for those who have the repository: runs the build when it is whole and newer than the sources,
 * else the sources. When the Node.js that was asked is too old, the one among the packages is started.
 */
import { spawn } from "node:child_process";
import { existsSync, readdirSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const OLDEST_NODE = 24;

/** Starts the program whose sources are in `directory`; `name` is what it calls itself. */
export async function launch(name, directory) {
  const entry = buildIsCurrent("dist", directory)
    ? join(root, "dist", directory, "main.js")
    : join(root, directory, "main.ts");
  if (Number(process.versions.node.split(".")[0]) >= OLDEST_NODE) {
    await import(pathToFileURL(entry).href);
  } else {
    startWithNewerNode(name, entry);
  }
}

/** A build is current when no source is newer than its stamp; where only the build is shipped it always is. */
export function buildIsCurrent(build, directory) {
  const stamp = join(root, build, "built");
  if (!existsSync(stamp)) return false;
  const sources = join(root, directory);
  if (!existsSync(sources)) return true;
  const builtAt = statSync(stamp).mtimeMs;
  return readdirSync(sources, { recursive: true }).every(
    (name) => statSync(join(sources, name)).mtimeMs <= builtAt,
  );
}

function startWithNewerNode(name, entry) {
  const newer = join(root, "node_modules", "node", "bin", process.platform === "win32" ? "node.exe" : "node");
  if (!existsSync(newer)) {
    process.stderr.write(
      `${name} needs Node.js ${OLDEST_NODE} or newer, this is ${process.version}; npm ci brings it\n`,
    );
    process.exitCode = 1;
    return;
  }
  const program = basename(process.argv[1] ?? "");
  const env = { ...process.env, KNIT_PROGRAM: program, KNIT_LAUNCHER: String(process.pid) };
  const child = spawn(newer, [entry, ...process.argv.slice(2)], { stdio: "inherit", env });
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => child.kill(signal));
  child.on("close", (code) => {
    process.exitCode = code ?? 1;
  });
}
