/**
 * Compiles the database engine so that reads cause no merges of table files: `npm run engine`. LevelDB merges a file after
 * some hundred reads that passed through it in vain, and `classic-level` has no option against it. Needs a C++ compiler,
 * make and Python 3. Programs then load what was compiled in place of the file that the package brings; `npm ci` undoes it.
 * The directory of another `node_modules` may be named.
 */
import { spawnSync } from "node:child_process";
import { existsSync, globSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { messageOf } from "../node/bytes/message-of.ts";

const PACKAGE = "classic-level";
const SOURCE = "deps/leveldb/*/db/version_set.cc";
/** Counts a read in vain against the file that it passed through; at 0 the file is merged. */
const COUNTING = "    f->allowed_seeks--;\n";

/** Returns the source in which reads are not counted. Throws when it is not as expected. */
export function withoutReadMerges(source: string): string {
  const [before = "", after, ...more] = source.split(COUNTING);
  if (after === undefined || more.length > 0) throw new Error("its source counts reads in another way");
  return before + after;
}

/** Returns the path of the engine's source in a package. Throws when there is none. */
export function engineSource(directory: string): string {
  const [path, ...more] = globSync(join(directory, SOURCE));
  if (path === undefined || more.length > 0) throw new Error(`${directory} has no ${SOURCE}`);
  return path;
}

/** Returns what this machine lacks to compile, of what is looked for in the path. */
export function missingTools(): readonly string[] {
  return ["c++", "make", "python3"].filter(
    (name) => !pathDirectories().some((path) => existsSync(join(path, name))),
  );
}

/** Compiles the engine below a directory with `node_modules`. Throws. */
export function buildEngine(root: string): void {
  const missing = missingTools();
  if (missing.length > 0) throw new Error(`this machine lacks ${missing.join(", ")}`);
  const directory = join(root, "node_modules", PACKAGE);
  const path = engineSource(directory);
  const source = readFileSync(path, "utf8");
  writeFileSync(path, withoutReadMerges(source));
  try {
    const nodedir = installedHeaders();
    const { status } = spawnSync("npm", ["rebuild", PACKAGE], {
      cwd: root,
      stdio: "inherit",
      env: {
        ...process.env,
        npm_config_build_from_source: "true",
        ...(nodedir !== undefined && { npm_config_nodedir: nodedir }),
      },
    });
    if (status !== 0) throw new Error(`npm rebuild ended with ${status}`);
  } finally {
    writeFileSync(path, source);
  }
  keepLibrary(join(directory, "build"));
}

/**
 * Returns the directory of an installed Node.js with its headers, which are those of a stable interface; undefined where
 * there is none: they are downloaded then.
 */
export function installedHeaders(): string | undefined {
  return [dirname(process.execPath), ...pathDirectories()]
    .map((directory) => join(directory, ".."))
    .find((directory) => existsSync(join(directory, "include/node/node_api.h")));
}

function pathDirectories(): readonly string[] {
  return (process.env["PATH"] ?? "").split(delimiter);
}

/** Removes what the compiler left beside the library. */
function keepLibrary(build: string): void {
  for (const [directory, kept] of [
    [build, "Release"],
    [join(build, "Release"), "classic_level.node"],
  ] as const)
    for (const name of readdirSync(directory))
      if (name !== kept) rmSync(join(directory, name), { recursive: true });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [root = fileURLToPath(new URL("..", import.meta.url))] = process.argv.slice(2);
  try {
    buildEngine(root);
    process.stdout.write(`${PACKAGE} was compiled: reads cause no merges of table files\n`);
  } catch (error) {
    process.stderr.write(`${PACKAGE} was not compiled: ${messageOf(error)}\n`);
    process.exitCode = 1;
  }
}
