/** `knit rpc METHOD [PARAMS...]`: asks a running node one thing and prints the answer. */
import { exactJsonText, parseExactJson } from "../config/exact-json.ts";
import { nodeOptions } from "../config/options-check.ts";
import { OptionError } from "../config/options-error.ts";
import { timeoutSignal } from "../runtime/clock.ts";
import { askNode } from "../transport/client.ts";
import type { Job } from "./chain-commands.ts";
import { openQuietShutdown } from "./signals.ts";

/** Resolves to the exit code: 0 with a result, 2 with the node's error. Throws when there is no answer. */
export async function callNode(job: Job): Promise<number> {
  const { shell, resolved } = job;
  const [method = "", ...words] = job.arguments;
  const params = paramsOf(words);
  const message = `{"jsonrpc":"2.0","id":1,"method":${JSON.stringify(method)},"params":${params}}`;
  using shutdown = openQuietShutdown(shell.signals);
  const deadline = timeoutSignal(resolved.values.timeout);
  const text = await askNode(endpointOf(job), message, AbortSignal.any([shutdown.signal, deadline])).catch(
    (error: unknown) => {
      if (!deadline.aborted) throw error;
      throw new Error(`no answer within ${resolved.values.timeout / 1000} s`, { cause: error });
    },
  );
  const { result, error } = answerOf(text);
  if (error === undefined) {
    shell.stdout.write(`${resolved.values.raw ? exactJsonText(result) : readable(result)}\n`);
    return 0;
  }
  const data = error.data === undefined ? "" : `\n${readable(error.data)}`;
  shell.stderr.write(`error ${error.code}: ${error.message}${data}\n${hintOf(error, words)}`);
  return 2;
}

/** What to do about a text that was read as a number and the like; it may be a passphrase, so it is not repeated. */
function hintOf({ message }: NonNullable<Answer["error"]>, words: readonly string[]): string {
  const isText = /^invalid argument \d+: json: cannot unmarshal \w+ into Go value of type string$/.test(
    message,
  );
  return isText && !isArray(words) ? `a text that is JSON needs quotes of its own: '"5"'\n` : "";
}

/** Where the node is: the URL or socket that is named, else the data directory's socket. Throws `OptionError`. */
export function endpointOf({ shell, resolved }: Pick<Job, "shell" | "resolved">): string {
  const { endpoint } = resolved.values;
  if (endpoint !== undefined && endpoint !== "") return endpoint;
  const { ipc } = nodeOptions("rpc", resolved, shell.host).options;
  if (ipc === undefined)
    throw new OptionError("clash", "without a socket (--ipcdisable) say where: --endpoint URL");
  return ipc.path;
}

/** One JSON array, or a word for each parameter. Numbers keep all their digits. */
function paramsOf(words: readonly string[]): string {
  const [only = ""] = words;
  if (isArray(words)) {
    if (jsonOf(only) === undefined)
      throw new OptionError("bad-value", `the parameters are not JSON: ${only}`);
    return only;
  }
  return `[${words.map((word) => jsonOf(word) ?? JSON.stringify(word)).join(",")}]`;
}

function isArray(words: readonly string[]): boolean {
  return words.length === 1 && words[0]?.trimStart().startsWith("[") === true;
}

function jsonOf(word: string): string | undefined {
  try {
    JSON.parse(word);
    return word;
  } catch {
    return undefined;
  }
}

/** What a node answers. */
export interface Answer {
  readonly result?: unknown;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
}

/** Reads an answer; numbers keep all their digits. Throws when it is not JSON. */
export function answerOf(text: string): Answer {
  try {
    return parseExactJson(text) as Answer; // a node's answer; members are printed, never trusted
  } catch (cause) {
    throw new Error(`the answer is not JSON: ${JSON.stringify(text.slice(0, 200))}`, { cause });
  }
}

/** A text as it is, all else as indented JSON. */
function readable(value: unknown): string {
  return typeof value === "string" ? value : exactJsonText(value, 2);
}
