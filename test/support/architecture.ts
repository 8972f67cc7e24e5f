/**
 * Rules of the architecture test as functions of source text: each returns the offences it found, one sentence each,
 * so that a broken sample can be shown to be caught.
 */
import { posix } from "node:path";
import { parseSync } from "@swc/core";

/** A source file: its path from the repository's root and what it says. */
export interface Source {
  readonly path: string;
  readonly text: string;
}

/** A source file and what of it matters here. */
export interface Module {
  readonly path: string;
  readonly imports: readonly Import[];
  /** Language features that are not used here, such as `enum Colour`. */
  readonly oddities: readonly string[];
}

/** One import. `typeOnly` ones leave no trace when the program runs. */
export interface Import {
  readonly from: string;
  readonly typeOnly: boolean;
}

/** Rooms by floor, lowest first; and which room each library enters through. */
export interface Plan {
  readonly program: string;
  readonly floors: Readonly<Record<string, number>>;
  /** Files beside the rooms, and the room they count as. */
  readonly files: Readonly<Record<string, string>>;
  readonly libraries: Readonly<Record<string, string>>;
}

type Tree = Readonly<Record<string, unknown>>;

/** Parses a file. Throws when it is not TypeScript. */
export function parseModule({ path, text }: Source): Module {
  const program = parseSync(text, { syntax: "typescript", target: "es2024" });
  const imports: Import[] = [];
  const oddities: string[] = [];
  visit(program, (tree) => {
    const found = importOf(tree);
    if (found) imports.push(found);
    const oddity = oddityOf(tree);
    if (oddity) oddities.push(oddity);
  });
  return { path, imports, oddities };
}

function visit(value: unknown, see: (tree: Tree) => void): void {
  if (Array.isArray(value)) for (const each of value) visit(each, see);
  else if (typeof value === "object" && value !== null) {
    const tree = value as Tree; // any object may be looked at by its keys
    see(tree);
    for (const each of Object.values(tree)) visit(each, see);
  }
}

function importOf(tree: Tree): Import | undefined {
  const source = tree["source"] as Tree | null | undefined; // a string literal wherever the parser has it
  const from = source?.["value"];
  if (tree["type"] === "ImportDeclaration" && typeof from === "string") {
    const specifiers = tree["specifiers"] as readonly Tree[]; // always an array
    const allTypes = specifiers.length > 0 && specifiers.every((each) => each["isTypeOnly"] === true);
    return { from, typeOnly: tree["typeOnly"] === true || allTypes };
  }
  return tree["type"] === "CallExpression" ? callImport(tree) : undefined;
}

/** `import("x")`, `require("x")` and `createRequire(here)("x")`. */
function callImport(tree: Tree): Import | undefined {
  const callee = tree["callee"] as Tree; // every call has one
  const [argument] = tree["arguments"] as readonly { readonly expression: Tree }[]; // and a list of these
  const maker = callee["callee"] as Tree | undefined; // there when what is called is the result of a call
  const loads =
    callee["type"] === "Import" || callee["value"] === "require" || maker?.["value"] === "createRequire";
  const from = argument?.expression["value"];
  return loads && typeof from === "string" ? { from, typeOnly: false } : undefined;
}

function oddityOf(tree: Tree): string | undefined {
  const name = (key: string): string => {
    const inner = tree[key] as Tree | null | undefined;
    return typeof inner?.["value"] === "string" ? inner["value"] : "something";
  };
  switch (tree["type"]) {
    case "TsEnumDeclaration":
      return `enum ${name("id")}`;
    case "ExportDefaultDeclaration":
    case "ExportDefaultExpression":
      return "a default export";
    case "ExportAllDeclaration":
      return `a re-export of ${name("source")}`;
    case "ExportNamedDeclaration":
      return tree["source"] ? `a re-export of ${name("source")}` : undefined;
    case "Decorator":
      return "a decorator";
    case "ClassDeclaration":
    case "ClassExpression":
      return tree["superClass"] && name("superClass") !== "Error"
        ? `a class that extends ${name("superClass")}`
        : undefined;
    default:
      return undefined;
  }
}

/** Features of the language that this project does without. */
export function oddityOffences(modules: readonly Module[]): string[] {
  return modules.flatMap(({ path, oddities }) => oddities.map((oddity) => `${path}: ${oddity}`));
}

/** Imports that go sideways or up, leave the program, or come from a room that is on no floor. */
export function floorOffences(modules: readonly Module[], plan: Plan): string[] {
  return modules.flatMap(({ path, imports }) => {
    const room = roomOf(path, plan);
    const floor = plan.floors[room];
    if (floor === undefined) return [`${path}: ${room} is on no floor`];
    return imports
      .filter(({ from }) => from.startsWith("."))
      .flatMap(({ from }) => {
        const target = posix.join(posix.dirname(path), from);
        if (!target.startsWith(`${plan.program}/`)) return [`${path}: ${from} is outside the program`];
        const other = roomOf(target, plan);
        if (other === room || (plan.floors[other] ?? Number.POSITIVE_INFINITY) < floor) return [];
        return [`${path}: ${room} (floor ${floor}) imports ${other} (floor ${plan.floors[other]})`];
      });
  });
}

/** Libraries that are used outside their room, or that no room answers for. */
export function libraryOffences(modules: readonly Module[], plan: Plan): string[] {
  return modules.flatMap(({ path, imports }) => {
    const room = roomOf(path, plan);
    return libraryNames(imports)
      .filter((library) => plan.libraries[library] !== room)
      .map((library) => `${path}: ${library} enters through ${plan.libraries[library] ?? "no room"}`);
  });
}

/** Packages whose code the modules run, each once. */
export function librariesUsed(modules: readonly Module[]): string[] {
  return [...new Set(modules.flatMap(({ imports }) => libraryNames(imports)))].sort();
}

function libraryNames(imports: readonly Import[]): string[] {
  return imports
    .filter(({ from, typeOnly }) => !typeOnly && !from.startsWith(".") && !from.startsWith("node:"))
    .map(({ from }) => (/^(@[^/]+\/)?[^/]+/.exec(from) ?? [from])[0]);
}

/** Circles of imports, each named once by the files on it. */
export function cycles(modules: readonly Module[]): string[] {
  const edges = new Map(modules.map((module) => [module.path, targets(module)]));
  const finished = new Set<string>();
  const found: string[] = [];
  const walk = (path: string, trail: readonly string[]): void => {
    const at = trail.indexOf(path);
    if (at >= 0) found.push([...trail.slice(at), path].join(" -> "));
    if (at >= 0 || finished.has(path)) return;
    for (const next of edges.get(path) ?? []) walk(next, [...trail, path]);
    finished.add(path);
  };
  for (const path of edges.keys()) walk(path, []);
  return found;
}

function targets({ path, imports }: Module): string[] {
  return imports
    .filter(({ from }) => from.startsWith("."))
    .map(({ from }) => posix.join(posix.dirname(path), from));
}

/** The room a file belongs to; files beside the rooms are listed in the plan. */
function roomOf(path: string, { program, files }: Plan): string {
  const [first = "", ...rest] = path.slice(program.length + 1).split("/");
  return rest.length > 0 ? first : (files[first] ?? files["*"] ?? first);
}

const HOMES = ["work", "root", "home", "Users", "mnt"].join("|");
const MACHINE_PATH = new RegExp(`(?<![\\w.$}/~-])/(?:${HOMES})/[\\w.-]+|\\b[A-Z]:\\\\Users\\\\`);

/** Lines that name a place on somebody's machine. */
export function machinePathOffences(sources: readonly Source[]): string[] {
  return sources.flatMap(({ path, text }) =>
    text.split("\n").flatMap((line, index) => {
      const found = MACHINE_PATH.exec(line);
      return found ? [`${path}:${index + 1}: ${found[0]}`] : [];
    }),
  );
}
