/** The sources speak one language: its rules, proved on every file, and shown to catch what breaks them. */
import { existsSync, globSync, readFileSync } from "node:fs";
import { describe, expect, test } from "@jest/globals";
import type { Source } from "./support/architecture.ts";
import {
  bareGoFiles,
  danglingFiles,
  danglingNames,
  headReferences,
  oldPhrases,
  oldPhrasesOfPages,
  oldWords,
  participleMethods,
  participles,
  sharedNames,
  whComments,
  withoutDoc,
  withoutHeader,
} from "./support/language.ts";

const sources = read("{node,operator}/**/*.ts");
const helpers = read("{test,bench,scripts}/**/*.ts").filter(
  ({ path }) => !path.includes("/vectors/") && path !== "test/language.test.ts",
);
/** Tests with samples that name invented files. */
const SAMPLES = new Set(["test/architecture.test.ts", "test/scripts/artifact-hub.test.ts"]);
/** Kernels, in the same language. */
const kernels = read("wasm/**/*.ts").filter(({ path }) => !path.includes("/node_modules/"));
/** The page of a node, and programs that Node.js runs before anything is installed or built. */
const others = ["page/*.ts", "*.js", "{scripts,bench,test}/**/*.js"]
  .flatMap(read)
  .filter(({ path }) => !path.includes("/vectors/"));
const all = [...sources, ...helpers, ...kernels, ...others];

function read(pattern: string): Source[] {
  return globSync(pattern).map((path) => ({ path, text: readFileSync(path, "utf8") }));
}

test("no doc comment begins with a wh-word", () => {
  expect(whComments(all)).toEqual([]);
});

test("every file opens with a header, and none sends the reader back to it", () => {
  expect(withoutHeader(all)).toEqual([]);
  expect(headReferences(all.filter(({ path }) => path !== "test/support/language.ts"))).toEqual([]);
});

test("every export has a doc comment", () => {
  expect(withoutDoc(sources)).toEqual([]);
});

test("no function's name is a bare participle", () => {
  expect(participles(all)).toEqual([]);
});

test("no method's name is a bare participle", () => {
  expect(participleMethods(sources)).toEqual([]);
});

test("an exported name belongs to one room", () => {
  expect(sharedNames(sources)).toEqual([]);
});

test("pages and files that comments and docs name are there", () => {
  const pages = ["*.md", "docs/**/*.md", "wasm/README.md", "test/**/README.md"].flatMap(read);
  const files = globSync([
    "*.md",
    "{node,operator,page,test,bench,scripts,wasm,docs,charts,crds,examples}/**/*",
  ]).map((path) => path.replaceAll("\\", "/"));
  const named = [...sources, ...helpers.filter(({ path }) => !SAMPLES.has(path)), ...pages];
  // The site renames README.md to index.md.
  expect(danglingFiles(named, [...files, "index.md"], existsSync)).toEqual([]);
});

test("files of the Go node are named with their folder", () => {
  expect(bareGoFiles(all.filter(({ path }) => path !== "test/language.test.ts"))).toEqual([]);
});

test("names in comments are there", () => {
  const every = [...sources, ...helpers];
  expect(danglingNames(every, [...every, ...read("wasm/**/*.ts")])).toEqual([]);
});

test("no name is of the former dialect", () => {
  expect(oldWords([...sources, ...helpers])).toEqual([]);
});

test("no comment and no page speaks the former dialect", () => {
  expect(oldPhrases([...sources, ...read("page/*.ts")])).toEqual([]);
  const pages = ["{README,CONTRIBUTING,SECURITY}.md", "docs/**/*.md", "wasm/README.md"].flatMap(read);
  expect(oldPhrasesOfPages(pages)).toEqual([]);
});

function source(text: string): Source[] {
  return [{ path: "node/a/b.ts", text }];
}

describe("the rules catch", () => {
  test("a comment that begins with a wh-word, on one line or several", () => {
    expect(
      whComments(source("/** What it is. */\n/**\n * How it works.\n */\n/** Whatever it is. */")),
    ).toEqual(["node/a/b.ts:1: begins with What", "node/a/b.ts:2: begins with How"]);
  });

  test("a file without a header", () => {
    expect(withoutHeader(source('import { a } from "./a.ts";'))).toEqual(["node/a/b.ts: no header"]);
    expect(withoutHeader(source('/** Adds. */\nimport { a } from "./a.ts";'))).toEqual([]);
  });

  test("an export without a doc comment, and neither an overload nor an opcode", () => {
    const text =
      "/** A. */\nexport const A = 1;\nexport const B = 2;\n/** Adds. */\nexport function add(a: 1): 1;\n" +
      "export function add(a: 2): 2 {}\n\nexport function mul(s: Stack, sp: number): void {}";
    expect(withoutDoc(source(text))).toEqual(["node/a/b.ts:3: B"]);
  });

  test("a file of the Go node without its folder", () => {
    expect(bareGoFiles(source("/** As `core/a.go@v2.2.2`, b_c.go@v2.2.2 and `d.go`. */"))).toEqual([
      "node/a/b.ts:1: b_c.go@v2",
    ]);
  });

  test("a participle, and not a verb that looks like one", () => {
    const text =
      "function shown(): void {}\nexport async function seed(): void {}\nconst bad = (a: string) => a;";
    expect(participles(source(text))).toEqual(["node/a/b.ts:1: shown", "node/a/b.ts:3: bad"]);
  });

  test("a method that is a participle, and neither a getter nor a verb", () => {
    const text = [
      "class A {",
      "  written(number: number): Block {",
      "  async #synced(): Promise<void> {",
      "  get failed(): boolean {",
      "  feed(bytes: Uint8Array): void {",
      "}",
      "interface B {",
      "  readonly exposed: () => number;",
      "  readonly trusted: boolean;",
      "}",
      "function c(): void {",
      "  seal(a);",
      "}",
    ].join("\n");
    expect(participleMethods(source(text))).toEqual([
      "node/a/b.ts:2: written",
      "node/a/b.ts:3: synced",
      "node/a/b.ts:8: exposed",
    ]);
  });

  test("a phrase of the former dialect, in comments alone", () => {
    const text = '/** Lets go of a block. */\nlog("let go");\n// told before';
    expect(oldPhrases(source(text))).toEqual(["node/a/b.ts:1: Lets go of", "node/a/b.ts:3: told"]);
    expect(oldPhrasesOfPages([{ path: "docs/a.md", text: "It begins anew." }])).toEqual([
      "docs/a.md:1: begins anew",
    ]);
  });

  test("a name that two rooms export", () => {
    const other = { path: "node/c/d.ts", text: "export interface Job {}" };
    const elsewhere = { path: "operator/c/d.ts", text: "export interface Job {}" };
    expect(sharedNames([...source("export const Job = 1;"), other, elsewhere])).toEqual([
      "node: Job in a, c",
    ]);
  });

  test("a name that is in no source, unless it is another program's", () => {
    const text =
      "/** Calls `seal` and `block.gone`; see {@link lost}. */\n/** As `Seal` of the Go node. */\nconst block = seal();";
    expect(danglingNames(source(text), source(text))).toEqual([
      "node/a/b.ts:1: block.gone",
      "node/a/b.ts:1: lost",
    ]);
  });

  test("a name of the former dialect", () => {
    expect(
      oldWords(
        source("const MOST_ROUNDS = 1;\nconst told = most;\ninterface PodSeen {}\nfunction wishSender() {}"),
      ),
    ).toEqual([
      "node/a/b.ts:1: MOST_ROUNDS",
      "node/a/b.ts:2: told",
      "node/a/b.ts:3: PodSeen",
      "node/a/b.ts:4: wishSender",
    ]);
  });

  test("a page and a file that are not there, and not those of other projects", () => {
    const text =
      "/** See docs/nowhere.md, `state/gone.ts`, leveldb `doc/log_format.md` and kaia/common.go@v2.2.2. */\n" +
      "/** See docs/operator/nowhere.md, encoding.md, rpc.md and rpc.md 9. */";
    expect(danglingFiles(source(text), ["node/state/here.ts", "docs/rpc.md"], () => false)).toEqual([
      "node/a/b.ts:1: docs/nowhere.md",
      "node/a/b.ts:1: state/gone.ts",
      "node/a/b.ts:2: docs/operator/nowhere.md",
      "node/a/b.ts:2: encoding.md",
      "node/a/b.ts:2: rpc.md",
    ]);
  });
});
