/**
 * Builds `dist/`: what ships and what is measured. Each program becomes one file for its entry, one for each of its
 * threads, and one for all that the same of these and of what the entry loads have in common: read one by one, its
 * modules would take a third of the time until the first answer and 5 MB. The stamp that is written last tells `knit`
 * that the build is whole, and its time whether it is current. An argument names another directory.
 */
import { copyFileSync, globSync, mkdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { basename, dirname, isAbsolute, join } from "node:path";
import { fileURLToPath } from "node:url";
import { type CodeSplittingNameFunction, type Plugin, rolldown } from "rolldown";

const root = fileURLToPath(new URL("..", import.meta.url));
/** The URL expression of a thread's file, which is beside its module in the sources and in the build. */
const THREAD = /new URL\(`\.\/([\w-]+)\$\{extname\(import\.meta\.url\)\}`/g;

/** Names of data files beside the module that reads them; in the build they are beside every file. */
const DATA = /new URL\("\.\/([\w-]+\.br)", import\.meta\.url\)/g;

/**
 * Gives Node.js' own modules by the exports that are used. An `import` of one evaluates all its exports when it begins:
 * web streams, Web Crypto and a fetch client among them, a tenth of the time until the first answer.
 */
const builtins: Plugin = {
  name: "builtins",
  resolveId: (id) => (id.startsWith("node:") ? `\0${id}` : null),
  load: (id) => (id.startsWith("\0node:") ? builtinSource(id.slice(1)) : null),
};

/** Escapes other characters than ASCII: one of them makes the engine decode its file, and keep it in two bytes for each. */
const ascii: Plugin = {
  name: "ascii",
  generateBundle: (_options, files) => {
    for (const file of Object.values(files)) {
      if (file.type === "chunk") file.code = file.code.replace(/[^\0-\x7f]/g, escapeUnit);
    }
  },
};

/** Writes a UTF-16 unit as the escape that means the same in names, strings, templates and regular expressions. */
function escapeUnit(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;
}

const startedAt = new Date();
const target = join(root, process.argv[2] ?? "dist");
rmSync(target, { recursive: true, force: true });
for (const program of ["node", "operator"]) {
  const input = entries(program);
  await using bundle = await rolldown({
    cwd: root,
    input,
    platform: "node",
    plugins: [builtins, ascii],
    external: (id) => !/^(\.|\0?node:)/.test(id) && !isAbsolute(id),
    preserveEntrySignatures: false,
    logLevel: "warn",
  });
  for (const file of dataFiles(program)) {
    mkdirSync(join(target, program), { recursive: true });
    copyFileSync(file, join(target, program, basename(file)));
  }
  await bundle.write({
    dir: join(target, program),
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
writeFileSync(join(target, "built"), `${startedAt.toISOString()}\n`);
utimesSync(join(target, "built"), startedAt, startedAt); // what is saved while this ran counts as newer

function builtinSource(name: string): string {
  const exports = Object.keys(process.getBuiltinModule(name) ?? {}).filter((each) => /^[\w$]+$/.test(each));
  return [
    `const builtin = process.getBuiltinModule("${name}");`,
    "export default builtin;",
    ...exports.map((each) => `export const ${each} = /* @__PURE__ */ (() => builtin.${each})();`),
  ].join("\n");
}

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

/** The data files that the sources read by name. */
function dataFiles(program: string): readonly string[] {
  return globSync(`${program}/**/*.ts`, { cwd: root }).flatMap((file) => {
    const named = readFileSync(join(root, file), "utf8").matchAll(DATA);
    return [...named].map(([, name = ""]) => join(root, dirname(file), name));
  });
}

/**
 * Names the file of a module by who needs it: the threads, and what the entry loads by `import()`. What begins stays in
 * a file of its own, for whoever reads another module of the same file would begin it; so does what the entry needs
 * before all else. What is loaded later still is left to the bundler.
 */
function sharing({ main = "", ...threads }: Readonly<Record<string, string>>): CodeSplittingNameFunction {
  const begun = Object.values(threads);
  let needs: readonly ReadonlySet<string>[] | undefined;
  return (id, bundle) => {
    const needed = (from: string): ReadonlySet<string> => {
      const found = new Set([from]);
      for (const module of found)
        for (const next of bundle.getModuleInfo(module)?.importedIds ?? []) found.add(next);
      return found;
    };
    const loaded = bundle.getModuleInfo(main)?.dynamicallyImportedIds ?? [];
    needs ??= [main, ...loaded, ...begun].map(needed);
    const who = needs.flatMap((modules, place) => (modules.has(id) ? [place] : []));
    if (id.startsWith(`\0node:`) && who[0] === 0) return "part-0"; // one file instead of one for each
    return who.length === 0 || who[0] === 0 || begun.includes(id) ? null : `part-${who.join("-")}`;
  };
}
