/** The JavaScript console of any node (docs/console.md). It uses only the node's RPC. */
import { messageOf } from "../bytes/message-of.ts";
import { untilAborted, untilDoneOrAborted } from "../runtime/until-aborted.ts";
import { RpcClientError } from "../transport/client.ts";
import { wordStart } from "./completion.ts";
import type { CommandHistory } from "./history.ts";
import { type ConsoleStreams, Lines } from "./lines.ts";
import { ScriptHost } from "./script-host.ts";
import type { UnitNames } from "./units.ts";
import type { TerminalRequest } from "./wire.ts";

/** Parts of a console. */
export interface ConsoleDeps extends ConsoleStreams {
  /** Sends a JSON-RPC message to the node; resolves to the text of the response. */
  readonly ask: (message: string) => Promise<string>;
  readonly endpoint: string;
  readonly history: CommandHistory;
  /** Directory of scripts. */
  readonly scripts: string;
  /** Scripts to run first. */
  readonly preload: readonly string[];
  /** Ends the console when it aborts. */
  readonly signal: AbortSignal;
}

/** A console whose preloaded scripts have run. */
export interface Console extends AsyncDisposable {
  /** Runs one statement and prints its result. */
  execute(source: string): Promise<void>;
  /** Prints a greeting and runs statements until the user leaves. */
  interact(): Promise<void>;
}

const METHOD_NOT_FOUND = -32601;
/** Modules of a node that does not list its modules. */
const DEFAULT_MODULES: Readonly<Record<string, string>> = { eth: "1.0", net: "1.0", debug: "1.0" };

interface ModulesAnswer {
  readonly result?: Readonly<Record<string, string>>;
  readonly error?: { readonly code?: number; readonly message?: string };
}

/** Returns the modules of the node. Rejects when it does not respond. */
async function servedModules({ ask, output }: ConsoleDeps): Promise<Readonly<Record<string, string>>> {
  const text = await ask('{"jsonrpc":"2.0","id":1,"method":"rpc_modules","params":[]}');
  const { result, error } = JSON.parse(text) as ModulesAnswer; // a node's answer: names are only looked up
  if (error?.code === METHOD_NOT_FOUND) {
    output.write("Server does not support method rpc_modules, using default API list.\n");
    return DEFAULT_MODULES;
  }
  if (typeof result !== "object" || result === null)
    throw new Error(error?.message ?? "no modules in the answer");
  return result;
}

/** Opens a console. Rejects with the messages of the Go node's console. */
export async function openConsole(deps: ConsoleDeps): Promise<Console> {
  try {
    const versions = await servedModules(deps);
    const opened = new Session(deps, versions);
    await opened.preload();
    return opened;
  } catch (error) {
    const isFar = error instanceof RpcClientError && !deps.endpoint.startsWith("http");
    const what = isFar ? "Unable to attach to remote node" : "Failed to start the JavaScript console";
    throw new Error(`${what}: ${messageOf(error)}`, { cause: error });
  }
}

/** Returns the unit names of the node: Kaia has other names for its coin and its console. */
function unitsOf(versions: Readonly<Record<string, string>>): UnitNames {
  return "kaia" in versions ? { coin: "KAIA", peb: "kei" } : { coin: "KLAY", peb: "peb" };
}

class Session implements Console {
  readonly #deps: ConsoleDeps;
  readonly #versions: Readonly<Record<string, string>>;
  readonly #units: UnitNames;
  readonly #host: ScriptHost;
  #lines: Lines | undefined;

  constructor(deps: ConsoleDeps, versions: Readonly<Record<string, string>>) {
    this.#deps = deps;
    this.#versions = versions;
    this.#units = unitsOf(versions);
    const { endpoint, output, scripts } = deps;
    this.#host = new ScriptHost({
      modules: Object.keys(versions),
      endpoint,
      units: this.#units,
      coloured: output.isTTY === true,
      scripts,
      print: (text) => void output.write(text),
      answer: (question) => this.#answer(question),
    });
  }

  #answer(question: TerminalRequest): Promise<string> {
    const { ask, history } = this.#deps;
    if (question.kind === "rpc") return ask(question.message);
    if (question.kind === "clear-history") return history.clear();
    return this.#openLines().secret(question.prompt);
  }

  /** Opens standard input at the first read. */
  #openLines(): Lines {
    this.#lines ??= new Lines(
      this.#deps,
      async (line) => {
        const word = line.slice(wordStart(line));
        return [word === "" ? [] : [...(await this.#host.completions(word))], word];
      },
      () => this.#interrupted.abort(),
    );
    return this.#lines;
  }

  readonly #interrupted = new AbortController();

  async preload(): Promise<void> {
    for (const path of this.#deps.preload) await this.#host.load(path);
  }

  async execute(source: string): Promise<void> {
    const { signal } = this.#deps;
    await untilDoneOrAborted(this.#host.evaluate(source), signal);
  }

  async interact(): Promise<void> {
    const { output, history, signal } = this.#deps;
    const stop = AbortSignal.any([signal, this.#interrupted.signal]);
    try {
      if (!stop.aborted) await Promise.race([untilAborted(stop), this.#read()]);
      if (stop.aborted) output.write("caught interrupt, exiting\n");
    } finally {
      await history.save();
    }
  }

  async #read(): Promise<void> {
    await this.#greet();
    const lines = this.#openLines();
    const { history } = this.#deps;
    let input = "";
    let open = 0;
    for (;;) {
      const prompt = open > 0 ? `${".".repeat(3 * open)} ` : "> ";
      const typed = await lines.next(prompt, history.commands);
      if (typed.kind === "end" || (typed.kind === "line" && open <= 0 && EXIT.test(typed.text))) return;
      input = typed.kind === "aborted" ? "" : input + (typed.text.trim() === "" ? "" : `${typed.text}\n`);
      open = openBrackets(input);
      if (open > 0 || input === "") continue;
      history.add(input);
      await this.#host.evaluate(input);
      input = "";
    }
  }

  async #greet(): Promise<void> {
    const { output } = this.#deps;
    const { coin } = this.#units;
    output.write(`Welcome to the ${coin === "KAIA" ? "Kaia" : "Klaytn"} JavaScript console!\n\n`);
    const indent = coin === "KAIA" ? "" : " "; // each family's banner as it is
    await this.#host.attempt(`console.log("${indent}instance: " + web3.version.node);
console.log("${indent} datadir: " + admin.datadir)`);
    const listed = Object.entries(this.#versions).map(([name, version]) => `${name}:${version}`);
    output.write(`  modules: ${listed.sort().join(" ")}\n\n`);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#lines?.[Symbol.dispose]();
    await this.#host[Symbol.asyncDispose]();
  }
}

const EXIT = /^\s*exit\s*;*\s*$/;

/** Number of brackets that an input leaves open, outside its texts; a line with such goes on in the next. */
export function openBrackets(input: string): number {
  const bare = input.replaceAll(TEXTS, "");
  return count(bare, /[{(]/g) - count(bare, /[})]/g);
}

/** A quoted text; the closing quote may be missing. */
const TEXTS = /(["'])(?:\\.|(?!\1)[^\\])*(?:\1|$)/gs;

function count(text: string, pattern: RegExp): number {
  return text.match(pattern)?.length ?? 0;
}
