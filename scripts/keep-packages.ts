/**
 * Leaves in `node_modules` the packages of one program, without declarations and source maps, for its image:
 * `node scripts/keep-packages.ts node` or `operator`, with the directory of another `node_modules` behind.
 */
import { globSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { closureOf, importedPackages, type LockedPackages, programOf, readLock } from "./sbom.ts";

/** Returns the paths of packages that a program does not need, without those inside another one. */
export function surplusPackages(packages: LockedPackages, names: readonly string[]): readonly string[] {
  const kept = closureOf(packages, names);
  const others = Object.keys(packages).filter((path) => path !== "" && !kept.has(path));
  return others.filter((path) => !others.some((outer) => path.startsWith(`${outer}/`)));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [program, directory = fileURLToPath(new URL("..", import.meta.url))] = process.argv.slice(2);
  const gone = [
    ...surplusPackages(readLock(), importedPackages(programOf(program))),
    ...globSync(["node_modules/**/*.d.ts", "node_modules/**/*.d.?ts", "node_modules/**/*.map"], {
      cwd: directory,
    }),
    "node_modules/.bin",
  ];
  for (const path of gone) rmSync(join(directory, path), { recursive: true, force: true });
}
