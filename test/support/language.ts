/**
 * Rules of the language of the sources, as functions of source text: each returns the offences it found, one sentence
 * each, so that a broken sample can be shown to be caught.
 */
import type { Source } from "./architecture.ts";

const WH_WORD = /\/\*\*\s*(?:\*\s*)?(What|How|Where|Who|Whose|Whom|Whether|When|Which|Why)\b/g;

/** Doc comments that begin with a wh-word instead of a verb or a noun. */
export function whComments(sources: readonly Source[]): string[] {
  return sources.flatMap(({ path, text }) =>
    [...text.matchAll(WH_WORD)].map(
      ({ index, 1: word }) => `${path}:${lineOf(text, index)}: begins with ${word}`,
    ),
  );
}

/** Files that do not open with a comment that says what they hold. */
export function withoutHeader(sources: readonly Source[]): string[] {
  return sources
    .filter(
      ({ text }) =>
        !/^(?:#!.*\n)?\s*\/\*\*(?:[^*]|\*(?!\/))*\*\/\s*\n\s*(?:import|export \*|\/\*\*|const|let|type|interface|declare|function|export|class|await|if|try|void|\/\/|process|[a-zA-Z])/.test(
          text,
        ),
    )
    .map(({ path }) => `${path}: no header`);
}

/** Opcodes of the EVM: functions of its stack or machine that have the opcode's name, which says all. */
const OPCODE = /^export function \w+\((?:s: Stack|m: Machine),/;

/** Exports without a doc comment; of an overloaded function the first signature has it. */
export function withoutDoc(sources: readonly Source[]): string[] {
  return sources.flatMap(({ path, text }) => {
    const lines = text.split("\n");
    return lines.flatMap((line, index) => {
      const [, name] = /^export (?:async )?(?:function\*?|const|class|interface|type) (\w+)/.exec(line) ?? [];
      const before = lines[index - 1] ?? "";
      const isOverload = name !== undefined && before.startsWith(`export function ${name}`);
      if (name === undefined || before.trimEnd().endsWith("*/") || isOverload || OPCODE.test(line)) return [];
      return [`${path}:${index + 1}: ${name}`];
    });
  });
}

/** Doc comments that send the reader elsewhere in the same file. */
export function headReferences(sources: readonly Source[]): string[] {
  return sources.flatMap(({ path, text }) =>
    [...text.matchAll(/See the head of this file/g)].map(({ index }) => `${path}:${lineOf(text, index)}`),
  );
}

const IRREGULAR = new Set(
  "bad begun bound broken built caught chosen cut done drawn driven fallen felt found given gone grown held hidden kept known laid left lent lost made meant met paid put read ridden seen sent set shown shut sold spent split spoken taken taught thought told understood worn written".split(
    " ",
  ),
);
/** Verbs, nouns and adjectives that only look like participles. */
const NO_PARTICIPLE = new Set([
  "embed",
  "feed",
  "need",
  "read",
  "seed",
  "set",
  "put",
  "cut",
  "split",
  "bound",
  "shed",
  "speed",
  "bleed",
  "proceed",
  "exceed",
  "succeed",
]);

/** Functions whose whole name is a participle: a verb for an effect or a noun for a value belongs there. */
export function participles(sources: readonly Source[]): string[] {
  return sources.flatMap(({ path, text }) =>
    [
      ...text.matchAll(
        /(?:^|\n)(?:export )?(?:async )?function\*? ([a-z]+)\b|(?:^|\n)(?:export )?const ([a-z]+) = (?:async )?\([^\n]*=>/g,
      ),
    ]
      .map(({ index, 1: declared, 2: assigned }) => ({ index, name: declared ?? assigned ?? "" }))
      .filter(({ name }) => isParticiple(name))
      .map(({ index, name }) => `${path}:${lineOf(text, index + 1)}: ${name}`),
  );
}

/** Methods of classes, members and parameters that are functions; getters and boolean fields read as adjectives. */
const METHOD =
  /^ {2}(?:(?:readonly|static|async|private|override) )*\*?#?([a-z]+)\??(?:(?:<[^>\n]*>)?\((?:$|[^\n]*\): )|: \([^\n]*\) =>)/gm;

/** Methods whose whole name is a participle. */
export function participleMethods(sources: readonly Source[]): string[] {
  return sources.flatMap(({ path, text }) =>
    [...text.matchAll(METHOD)]
      .filter(({ 1: name = "" }) => isParticiple(name))
      .map(({ index, 1: name }) => `${path}:${lineOf(text, index)}: ${name}`),
  );
}

function isParticiple(name: string): boolean {
  return (IRREGULAR.has(name) || /[a-z]ed$/.test(name)) && !NO_PARTICIPLE.has(name);
}

const EXPORTED = /(?:^|\n)export (?:async )?(?:function\*?|const|class|interface|type) (\w+)/g;

/** Exported names that are declared in more than one room of a program. */
export function sharedNames(sources: readonly Source[]): string[] {
  const rooms = new Map<string, Set<string>>();
  for (const { path, text } of sources) {
    const [program = "", room = ""] = path.split("/");
    for (const [, name = ""] of text.matchAll(EXPORTED)) {
      const key = `${program}: ${name}`;
      rooms.set(key, (rooms.get(key) ?? new Set()).add(room));
    }
  }
  return [...rooms]
    .filter(([, all]) => all.size > 1)
    .map(([name, all]) => `${name} in ${[...all].sort().join(", ")}`);
}

/** Pages and source files as comments and pages name them: with their folder, in backticks, or a page by its name alone. */
const MENTION =
  /(?<![\w./@-])(docs\/(?:[\w-]+\/)*[\w.-]+\.md)|`((?:[\w-]+\/)*[\w-]+\.ts)`|(?<![\w/.-])((?:node|operator|test|bench|scripts|wasm)\/[\w./-]+\.ts)|(?<![\w./@%-])([A-Za-z][\w-]*\.md)\b/g;
/** Numbers of sections: the pages of the project have none. */
const FOREIGN_PAGE = /\b([a-z-]+\.md) (?:section )?\d/g;

/** Mentions of pages and files that do not exist. `files` are all paths; `exists` is true for the path of a page. */
export function danglingFiles(
  sources: readonly Source[],
  files: readonly string[],
  exists: (path: string) => boolean,
): string[] {
  const hasFile = (name: string): boolean => files.some((path) => path === name || path.endsWith(`/${name}`));
  return sources.flatMap(({ path, text }) => {
    const mentions = [...text.matchAll(MENTION)].map(({ index, 1: page, 2: quoted, 3: full, 4: bare }) => {
      const name = page ?? quoted ?? full ?? bare ?? "";
      return { index, name, isThere: page === undefined ? hasFile(name) : exists(name) };
    });
    const foreign = [...text.matchAll(FOREIGN_PAGE)].map(({ index, 1: name = "" }) => ({
      index,
      name,
      isThere: false,
    }));
    return [...mentions, ...foreign]
      .filter(({ isThere }) => !isThere)
      .map(({ index, name }) => `${path}:${lineOf(text, index)}: ${name}`);
  });
}

/** Files of the Go node at a tag that are named without their folder, so that nobody finds them. */
export function bareGoFiles(sources: readonly Source[]): string[] {
  return sources.flatMap(({ path, text }) =>
    [...text.matchAll(/(?<![\w/.-])[\w-]+\.go@v\d/g)].map(
      ({ index, 0: mention }) => `${path}:${lineOf(text, index)}: ${mention}`,
    ),
  );
}

const COMMENT = /\/\*[\s\S]*?\*\/|(?<=^|\s)\/\/ [^\n]*/g;
/** A name in backticks: `seal`, `SealedBlock.commit()`. */
const QUOTED_NAME = /`#?([A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*)(?:\(\))?`|\{@link (\w+)/g;
/** Comments about other programs and standards name what is not in these sources. */
const FOREIGN_COMMENT =
  /@v\d|\bGo('s\b| node)|Kubernetes|Istanbul|KIP|EIP|RFC|LevelDB|leveldb|\.rs\b|Unix|npm/;

/** Names in the comments of `sources` that occur nowhere outside comments in `all`, such as those of removed symbols. */
export function danglingNames(sources: readonly Source[], all: readonly Source[]): string[] {
  const words = new Set(all.flatMap(({ text }) => text.replaceAll(COMMENT, "").match(/\w+/g) ?? []));
  return sources.flatMap(({ path, text }) =>
    [...text.matchAll(COMMENT)]
      .filter(([comment]) => !FOREIGN_COMMENT.test(comment))
      .flatMap(({ index, 0: comment }) =>
        [...comment.matchAll(QUOTED_NAME)]
          .map((match) => ({ at: index + match.index, name: match[1] ?? match[2] ?? "" }))
          .filter(({ name }) => name.split(".").some((part) => !words.has(part)))
          .map(({ at, name }) => `${path}:${lineOf(text, at)}: ${name}`),
      ),
  );
}

/** Words that the field has other words for; `docs/glossary.md` has the field's. */
const OLD_WORD =
  /^(?:Board|Electorate|Intake|Surroundings|TrieKeeper|gist|wish|news|foreseen|doubts|triedOut|leftOut|told|recency|letGo|makeWay|wishes|wish[A-Z]\w*|\w+Wish(?:es)?|\w+Anew|(?:MOST|LEAST|LONGEST)(?:_[A-Z_]+)?|[a-z]\w*Seen|[A-Z]\w*(?:Seen|Terms|Surroundings|Board))$/;
const DECLARED = /\b(?:function\*?|const|let|class|interface|type) (\w+)/g;

/** Declared names of the former dialect. */
export function oldWords(sources: readonly Source[]): string[] {
  return sources.flatMap(({ path, text }) =>
    [...text.matchAll(DECLARED)]
      .filter(({ 1: name = "" }) => OLD_WORD.test(name))
      .map(({ index, 1: name }) => `${path}:${lineOf(text, index)}: ${name}`),
  );
}

/** Phrases of the former dialect: delete, release, recreate, yield, available and report are the field's. */
const OLD_PHRASE =
  /\b(?:lets? go of|let go|letting go|(?:made|begins?|began|begun|starts?|started) anew|makes? way|making way|at hand|told|tells of|put aside)\b/gi;

/** Phrases of the former dialect in the comments of sources. */
export function oldPhrases(sources: readonly Source[]): string[] {
  return sources.flatMap(({ path, text }) =>
    [...text.matchAll(COMMENT)].flatMap(({ index, 0: comment }) =>
      [...comment.matchAll(OLD_PHRASE)].map(
        (match) => `${path}:${lineOf(text, index + match.index)}: ${match[0]}`,
      ),
    ),
  );
}

/** The same in the text of pages. */
export function oldPhrasesOfPages(pages: readonly Source[]): string[] {
  return pages.flatMap(({ path, text }) =>
    [...text.matchAll(OLD_PHRASE)].map(({ index, 0: phrase }) => `${path}:${lineOf(text, index)}: ${phrase}`),
  );
}

function lineOf(text: string, index: number): number {
  return text.slice(0, index).split("\n").length;
}
