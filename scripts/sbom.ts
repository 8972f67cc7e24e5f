/**
 * Prints the bill of materials of a program as CycloneDX 1.6: the packages that its sources import and all that these
 * need, as package-lock.json has them. `node scripts/sbom.ts node` or `operator`. The same lock file gives the same text.
 */
import { globSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** A package in a lock file. */
export interface LockedPackage {
  readonly version: string;
  readonly license?: string;
  readonly integrity?: string;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

/** Packages of a lock file by path, such as `node_modules/ws`. */
export type LockedPackages = Readonly<Record<string, LockedPackage>>;

const root = fileURLToPath(new URL("..", import.meta.url));

/** Returns the names of the packages that the sources of a program import, sorted; imports of types alone do not count. */
export function importedPackages(program: string): readonly string[] {
  const names = globSync(`${program}/**/*.ts`, { cwd: root }).flatMap((file) => {
    const text = readFileSync(`${root}${file}`, "utf8");
    const found = text.matchAll(
      /(?:^import (?!type\b)[^;]*?from |\bimport\(|\bimport |\bcreateRequire\(import\.meta\.url\)\()"([@\w][^"]*)"/gm,
    );
    return [...found].flatMap(([, name = ""]) => (name.startsWith("node:") ? [] : [packageOf(name)]));
  });
  return [...new Set(names)].sort();
}

function packageOf(specifier: string): string {
  const parts = specifier.split("/");
  return parts.slice(0, specifier.startsWith("@") ? 2 : 1).join("/");
}

/** Returns the paths of packages and of all that they need, with the paths that each needs directly. */
export function closureOf(
  packages: LockedPackages,
  names: readonly string[],
): ReadonlyMap<string, readonly string[]> {
  const needs = new Map<string, readonly string[]>();
  const open = names.map((name) => resolvePackage(packages, "", name)).filter((path) => path !== undefined);
  for (const path of open) {
    if (needs.has(path)) continue;
    const { dependencies, optionalDependencies } = packages[path] ?? {};
    const wanted = Object.keys({ ...dependencies, ...optionalDependencies });
    const found = wanted
      .map((name) => resolvePackage(packages, path, name))
      .filter((each) => each !== undefined);
    needs.set(path, found);
    open.push(...found);
  }
  return needs;
}

/** Finds a package as Node.js does: beside the one that needs it, then in the folders above. */
function resolvePackage(packages: LockedPackages, from: string, name: string): string | undefined {
  for (let place = from; ; place = place.slice(0, Math.max(0, place.lastIndexOf("/node_modules/")))) {
    const path = `${place === "" ? "" : `${place}/`}node_modules/${name}`;
    if (packages[path] !== undefined) return path;
    if (place === "") return undefined;
  }
}

/** Returns the bill of materials of a program. */
export function billOf(program: string, packages: LockedPackages, names: readonly string[]): object {
  const { version = "0" } = packages[""] ?? {};
  const needs = closureOf(packages, names);
  const own = `pkg:generic/knit-${program}@${version}`;
  const refs = new Map([...needs.keys()].map((path) => [path, purlOf(path, packages)]));
  const refsOf = (paths: readonly string[]) =>
    [...new Set(paths.map((path) => refs.get(path)))].filter((ref) => ref !== undefined).sort();
  const roots = names.map((name) => `node_modules/${name}`);
  const components = new Map([...needs.keys()].map((path) => [refs.get(path), componentOf(path, packages)]));
  return {
    bomFormat: "CycloneDX",
    specVersion: "1.6",
    version: 1,
    metadata: {
      component: { type: "application", "bom-ref": own, name: `knit-${program}`, version, purl: own },
    },
    components: [...components.values()].sort((a, b) => (a.purl < b.purl ? -1 : 1)),
    dependencies: [
      { ref: own, dependsOn: refsOf(roots) },
      ...[...needs].map(([path, direct]) => ({ ref: refs.get(path), dependsOn: refsOf(direct) })),
    ],
  };
}

function nameOf(path: string): string {
  return path.slice(path.lastIndexOf("node_modules/") + "node_modules/".length);
}

function purlOf(path: string, packages: LockedPackages): string {
  return `pkg:npm/${nameOf(path).replace("@", "%40")}@${packages[path]?.version}`;
}

function componentOf(path: string, packages: LockedPackages) {
  const { version, license, integrity = "" } = packages[path] ?? { version: "" };
  const purl = purlOf(path, packages);
  const [, sha512] = /^sha512-(\S+)/.exec(integrity) ?? [];
  return {
    type: "library",
    "bom-ref": purl,
    name: nameOf(path),
    version,
    purl,
    licenses: license === undefined ? [] : [{ expression: license }],
    hashes:
      sha512 === undefined
        ? []
        : [{ alg: "SHA-512", content: Buffer.from(sha512, "base64").toString("hex") }],
  };
}

/** Reads the packages of the repository's lock file. */
export function readLock(): LockedPackages {
  const text = readFileSync(`${root}package-lock.json`, "utf8");
  return (JSON.parse(text) as { readonly packages: LockedPackages }).packages;
}

/** Returns the program of an argument. Throws for another name. */
export function programOf(argument: string | undefined): "node" | "operator" {
  if (argument === "node" || argument === "operator") return argument;
  throw new Error("name a program: node or operator");
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const program = programOf(process.argv[2]);
  const bill = billOf(program, readLock(), importedPackages(program));
  process.stdout.write(`${JSON.stringify(bill, undefined, 2)}\n`);
}
