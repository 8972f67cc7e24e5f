/** `knit rpc METHOD [PARAMS...]`: calls a method of a running node and prints the result. */

import { nodeOptions } from "../compose/options.ts";
import { exactJsonText, parseExactJson } from "../config/exact-json.ts";
import { OptionError } from "../options/error.ts";
import { optionValues } from "../options/resolve.ts";
import { timeoutSignal } from "../runtime/clock.ts";
import { askNode } from "../transport/client.ts";
import type { CommandJob } from "./chain-commands.ts";
import { callingOptions } from "./options.ts";
import { openQuietShutdown } from "./signals.ts";

/** Resolves to the exit code: 0 with a result, 2 with the node's error. Throws without a response. */
export async function callNode(job: CommandJob): Promise<number> {
  const { shell, resolved } = job;
  const [method = "", ...words] = job.arguments;
  const { timeoutMs, raw } = optionValues(callingOptions, resolved);
  const params = paramsOf(words);
  const message = `{"jsonrpc":"2.0","id":1,"method":${JSON.stringify(method)},"params":${params}}`;
  using shutdown = openQuietShutdown(shell.signals);
  const deadline = timeoutSignal(timeoutMs);
  const text = await askNode(endpointOf(job), message, AbortSignal.any([shutdown.signal, deadline])).catch(
    (error: unknown) => {
      if (!deadline.aborted) throw error;
      throw new Error(`no answer within ${timeoutMs / 1000} s`, { cause: error });
    },
  );
  const { result, error } = parseResponse(text);
  if (error === undefined) {
    shell.stdout.write(`${raw ? exactJsonText(result) : readable(result)}\n`);
    return 0;
  }
  const data = error.data === undefined ? "" : `\n${readable(error.data)}`;
  shell.stderr.write(`error ${error.code}: ${error.message}${data}\n${hintOf(error, words)}`);
  return 2;
}

/**
 * Returns a hint for a text that was parsed as JSON; the value is not repeated, because it may be a
 * passphrase.
 */
function hintOf({ message }: NonNullable<NodeResponse["error"]>, words: readonly string[]): string {
  const isText = /^invalid argument \d+: json: cannot unmarshal \w+ into Go value of type string$/.test(
    message,
  );
  return isText && !isArray(words) ? `a text that is JSON needs quotes of its own: '"5"'\n` : "";
}

/** Returns the URL or socket of `--endpoint`, or else the data directory's socket. Throws `OptionError`. */
export function endpointOf({ shell, resolved }: Pick<CommandJob, "shell" | "resolved">): string {
  const { endpoint } = optionValues(callingOptions, resolved);
  if (endpoint !== undefined && endpoint !== "") return endpoint;
  const { ipc } = nodeOptions("rpc", resolved, shell.host).options;
  if (ipc === undefined)
    throw new OptionError("clash", "without a socket (--ipcdisable) say where: --endpoint URL");
  return ipc.path;
}

/** Returns parameters as JSON: one JSON array, or one word for each parameter. Numbers keep all digits. */
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

/** The response of a node. */
export interface NodeResponse {
  readonly result?: unknown;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
}

/** Parses a response; numbers keep all digits. Throws when it is not JSON. */
export function parseResponse(text: string): NodeResponse {
  try {
    return parseExactJson(text) as NodeResponse; // a node's answer; members are printed, never trusted
  } catch (cause) {
    throw new Error(`the answer is not JSON: ${JSON.stringify(text.slice(0, 200))}`, { cause });
  }
}

/** Formats a result: text unchanged, other values as indented JSON. */
function readable(value: unknown): string {
  return typeof value === "string" ? value : exactJsonText(value, 2);
}
