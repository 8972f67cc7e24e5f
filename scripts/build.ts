/**
 * Builds `dist/`: what ships and what is measured. Each program becomes one file for its entry, one for each of its
 * threads and a few dozen that these share: read one by one, its modules would take a third of the time until the
 * first answer and 5 MB. The stamp that is written last tells `knit` that the build is whole, and its time whether it
 * is current.
 */
import { globSync, readFileSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const root = fileURLToPath(new URL("..", import.meta.url));
/** How a module names the file of a thread, which is beside it among the sources and beside every file of the build. */
const THREAD = /new URL\(`\.\/([\w-]+)\$\{extname\(import\.meta\.url\)\}`/g;

const startedAt = new Date();
rmSync(`${root}dist`, { recursive: true, force: true });
for (const program of ["node", "operator"]) {
  await build({
    absWorkingDir: root,
    entryPoints: entries(program),
    outdir: `dist/${program}`,
    bundle: true,
    splitting: true,
    format: "esm",
    platform: "node",
    target: "node24",
    packages: "external",
    chunkNames: "[name]-[hash]",
    logLevel: "warning",
  });
}
writeFileSync(`${root}dist/built`, `${startedAt.toISOString()}\n`);
utimesSync(`${root}dist/built`, startedAt, startedAt); // what is saved while this ran counts as newer

/** The sources that are begun by name, by their names in the build. */
function entries(program: string): Record<string, string> {
  const found: Record<string, string> = { main: `${program}/main.ts` };
  for (const file of globSync(`${program}/**/*.ts`, { cwd: root })) {
    for (const [, name = ""] of readFileSync(join(root, file), "utf8").matchAll(THREAD)) {
      if (name in found) throw new Error(`two threads are called ${name}`);
      found[name] = join(dirname(file), `${name}.ts`);
    }
  }
  return found;
}
