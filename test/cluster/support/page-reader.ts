/** A reader of the pages: runs the commands of a chapter in a terminal as they stand, and counts them. */
import { copyFileSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join, resolve } from "node:path";
import { expect } from "@jest/globals";
import { parseAllDocuments } from "yaml";
import { freePorts } from "../../../scripts/network/ports.ts";
import { answerPattern, type PageCommand } from "../../support/page.ts";
import { type Cluster, run } from "./cluster.ts";
import { type Chapter, commandsOf, whyNotRun, withWords } from "./page-chapters.ts";
import { openTerminal } from "./terminal.ts";

/** Acts of the reader beside the commands, by the first words of one. */
export type Asides = Readonly<Record<string, () => Promise<unknown>>>;

/** Beside a chapter. */
export interface ReadOptions {
  /** Namespace of the reader's context; `default` when absent. */
  readonly namespace?: string;
  /** True after the page of the plugin: its program is on the PATH. */
  readonly hasPlugin?: boolean;
  /** Makes true what the page presumes before a command. */
  readonly before?: Asides;
  /** Waits for the effect of a command. */
  readonly after?: Asides;
}

/** The reader, in a checkout of its own. */
export interface PageReader extends Disposable {
  /** Directory in which the commands run. */
  readonly directory: string;
  /** Commands that were run, and those that were not, each once. */
  readonly counts: { readonly run: ReadonlySet<string>; readonly left: ReadonlySet<string> };
  /** Runs the commands of a chapter; each must succeed, and answer as the page shows. */
  read(chapter: Chapter, options?: ReadOptions): Promise<void>;
  /** Resources in the YAML of a page that have a kind and a name. */
  resources(page: string): readonly Resource[];
}

/** A resource of a page. */
export interface Resource {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string };
}

/** The parts of a checkout that commands name. */
const PARTS = ["charts", "examples", "crds", "scripts", "node_modules", "package.json"];

/** Makes the directory, and the shell's ways to the cluster. */
export async function openReader(cluster: Cluster): Promise<PageReader> {
  const directory = mkdtempSync(join(tmpdir(), "knit-reader-"));
  for (const part of PARTS) symlinkSync(resolve(part), join(directory, part));
  const variables = await cluster.shellVariables();
  const counts = { run: new Set<string>(), left: new Set<string>() };

  /** Variables of a shell whose context is in a namespace. */
  async function variablesIn(
    namespace: string,
    hasPlugin: boolean,
  ): Promise<Readonly<Record<string, string>>> {
    const KUBECONFIG = join(directory, `.kube-${namespace}`);
    copyFileSync(variables["KUBECONFIG"] ?? "", KUBECONFIG);
    const env = { ...variables, KUBECONFIG };
    const args = ["config", "set-context", "--current", `--namespace=${namespace}`];
    const { code, stderr } = await run("kubectl", args, { env });
    if (code !== 0) throw new Error(stderr);
    const PATH = `${join(directory, "scripts")}${delimiter}${variables["PATH"]}`;
    return hasPlugin ? { ...env, PATH } : env;
  }

  async function read(chapter: Chapter, options: ReadOptions = {}): Promise<void> {
    const { namespace = "default", hasPlugin = false, before = {}, after = {} } = options;
    await using terminal = openTerminal(directory, await variablesIn(namespace, hasPlugin));
    const asides = { before: new Set(Object.keys(before)), after: new Set(Object.keys(after)) };
    for (const { text, answer } of runnable(chapter, counts)) {
      await takeAside(before, text, asides.before);
      const shown = await terminal.run(await onFreePorts(withWords(text)));
      expect({ text, ...shown }).toMatchObject({ text, code: 0 });
      if (answer !== undefined) expect(shown.output.trimStart()).toMatch(answerPattern(answer));
      await takeAside(after, text, asides.after);
    }
    expect([chapter.page, ...asides.before, ...asides.after]).toEqual([chapter.page]);
  }

  return {
    directory,
    counts,
    read,
    resources,
    [Symbol.dispose]: () => rmSync(directory, { recursive: true, force: true }),
  };
}

/** Commands of a chapter that are run; counts them and the others. */
function runnable(
  chapter: Chapter,
  counts: { readonly run: Set<string>; readonly left: Set<string> },
): readonly PageCommand[] {
  return commandsOf(chapter, readFileSync(chapter.page, "utf8")).filter(({ text }) => {
    const isRun = whyNotRun(chapter.page, text) === undefined;
    (isRun ? counts.run : counts.left).add(`${chapter.page}: ${text}`);
    return isRun;
  });
}

/** Does what belongs to a command, and strikes it off the list. */
async function takeAside(asides: Asides, text: string, open: Set<string>): Promise<void> {
  for (const [start, act] of Object.entries(asides).filter(([words]) => text.startsWith(words))) {
    open.delete(start);
    await act();
  }
}

/** Moves forwarded ports aside, because other programs of the machine may have them. */
async function onFreePorts(text: string): Promise<string> {
  const [, port] = /port-forward \S+ (\d+)/.exec(text) ?? [];
  if (port === undefined) return text;
  const [free = 0] = await freePorts(1);
  return text
    .replace(/(port-forward \S+) \d+/, `$1 ${free}:${port}`)
    .replaceAll(new RegExp(`(127\\.0\\.0\\.1|localhost):${port}\\b`, "g"), `127.0.0.1:${free}`);
}

function resources(page: string): readonly Resource[] {
  const text = readFileSync(page, "utf8").replaceAll("kni://...", `kni://${"ab".repeat(64)}`);
  const blocks = [...text.matchAll(/^```yaml\n(.*?)^```/gms)].map(([, block = ""]) => block);
  return blocks
    .flatMap((block) => parseAllDocuments(block).map((each) => each.toJS() as Partial<Resource>))
    .flatMap(({ apiVersion, kind, metadata, ...rest }) =>
      apiVersion === undefined || kind === undefined || metadata === undefined
        ? []
        : [{ apiVersion, kind, metadata, ...rest }],
    );
}
