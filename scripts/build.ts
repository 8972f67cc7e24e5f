/**
 * Builds `dist/`: what ships and what is measured. Each program becomes one file for its entry, one for each of its
 * threads, and one for all that the same of these and of what the entry loads have in common: read one by one, its
 * modules would take a third of the time until the first answer and 5 MB. The stamp that is written last tells `knit`
 * that the build is whole, and its time whether it is current.
 */
import { globSync, readFileSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { dirname, isAbsolute, join } from "node:path";
import { fileURLToPath } from "node:url";
import { type CodeSplittingNameFunction, rolldown } from "rolldown";

const root = fileURLToPath(new URL("..", import.meta.url));
/** How a module names the file of a thread, which is beside it among the sources and beside every file of the build. */
const THREAD = /new URL\(`\.\/([\w-]+)\$\{extname\(import\.meta\.url\)\}`/g;

const startedAt = new Date();
rmSync(`${root}dist`, { recursive: true, force: true });
for (const program of ["node", "operator"]) {
  const input = entries(program);
  await using bundle = await rolldown({
    cwd: root,
    input,
    platform: "node",
    external: (id) => !id.startsWith(".") && !isAbsolute(id),
    preserveEntrySignatures: false,
    logLevel: "warn",
  });
  await bundle.write({
    dir: `dist/${program}`,
    format: "esm",
    comments: false,
    entryFileNames: "[name].js",
    chunkFileNames: "[name]-[hash].js",
    codeSplitting: {
      includeDependenciesRecursively: false,
      groups: [{ name: sharing(input), debugName: "parts" }],
    },
  });
}
writeFileSync(`${root}dist/built`, `${startedAt.toISOString()}\n`);
utimesSync(`${root}dist/built`, startedAt, startedAt); // what is saved while this ran counts as newer

/** The sources that are begun by name, by their names in the build. */
function entries(program: string): Record<string, string> {
  const found: Record<string, string> = { main: join(root, program, "main.ts") };
  for (const file of globSync(`${program}/**/*.ts`, { cwd: root })) {
    for (const [, name = ""] of readFileSync(join(root, file), "utf8").matchAll(THREAD)) {
      if (name in found) throw new Error(`two threads are called ${name}`);
      found[name] = join(root, dirname(file), `${name}.ts`);
    }
  }
  return found;
}

/**
 * Names the file of a module by who needs it: the threads, and what the entry loads by `import()`. What the entry
 * needs before that stays with it, and what is loaded later still is left to the bundler.
 */
function sharing({ main = "", ...threads }: Readonly<Record<string, string>>): CodeSplittingNameFunction {
  let needs: readonly ReadonlySet<string>[] | undefined;
  return (id, bundle) => {
    const needed = (from: string): ReadonlySet<string> => {
      const found = new Set([from]);
      for (const module of found)
        for (const next of bundle.getModuleInfo(module)?.importedIds ?? []) found.add(next);
      return found;
    };
    const loaded = bundle.getModuleInfo(main)?.dynamicallyImportedIds ?? [];
    needs ??= [main, ...loaded, ...Object.values(threads)].map(needed);
    const who = needs.flatMap((modules, place) => (modules.has(id) ? [place] : []));
    return who.length === 0 || who[0] === 0 ? null : `part-${who.join("-")}`;
  };
}
