/**
 * Readable log of a development chain, as Anvil and Hardhat Network print it: each method as it is called, its failure
 * with the reason, and each transaction of a block with its gas, its failure and the `console.log` lines of contracts.
 * Traces come from the node's own methods, after the answer, so a node whose log is off does nothing for it.
 */
import { fromBareHex } from "../bytes/hex.ts";
import { boolean } from "../jsonrpc/codecs/plain.ts";
import type { RpcEndpoint } from "../jsonrpc/dispatch.ts";
import { type Method, method } from "../jsonrpc/method.ts";
import { printable } from "../presenters/abi-values.ts";
import { consoleLines, type TracedCall } from "../presenters/console-log.ts";
import type { CustomErrors } from "../presenters/custom-errors.ts";
import { type Ask, askOf, type Message, messagesIn, type RpcFault } from "./own-calls.ts";

/** Parts of the log. */
export interface RequestLogDeps {
  readonly isOn: boolean;
  readonly errors: Pick<CustomErrors, "describe">;
  readonly write: (text: string) => unknown;
}

/** Entries that wait for their traces; the log leaves out what comes beyond. */
const MAX_WAITING = 1_000;
/** Console lines of one transaction or call. */
const MAX_LINES = 1_000;
const MAX_LINE_LENGTH = 10_000;
const CALL_TRACER = { tracer: "callTracer" };

/** The log; it is written in the order of calls and blocks. */
export class RequestLog {
  isOn: boolean;
  readonly #deps: RequestLogDeps;
  #ask: Ask | undefined;
  #last: Promise<void> = Promise.resolve();
  #waiting = 0;

  constructor(deps: RequestLogDeps) {
    this.#deps = deps;
    this.isOn = deps.isOn;
  }

  /** Sets the endpoint of all methods, from which traces come. */
  traceWith(endpoint: RpcEndpoint): void {
    this.#ask = askOf(endpoint);
  }

  /** Returns an endpoint that logs what it is asked. */
  follow(endpoint: RpcEndpoint): RpcEndpoint {
    const logged = <T>(text: string, answer: T): T => {
      if (this.isOn) this.#addCalls(text, answer);
      return answer;
    };
    return {
      view: endpoint.view,
      unsent: endpoint.unsent,
      time: endpoint.time,
      retire: () => endpoint.retire(),
      answer: (text, session) => logged(text, endpoint.answer(text, session)),
      answerInParts: (text, session) => logged(text, endpoint.answerInParts(text, session)),
    };
  }

  /** Logs the transactions of a new block. */
  addBlock(number: number): void {
    if (this.isOn) this.#add(() => this.#blockText(number));
  }

  #add(text: () => Promise<string>): void {
    if (this.#waiting >= MAX_WAITING) return;
    this.#waiting++;
    this.#last = this.#last
      .then(text)
      .catch((error: unknown) => `  (not described: ${String(error)})\n`)
      .then((found) => {
        this.#waiting--;
        if (found !== "") this.#deps.write(found);
      });
  }

  /** A batch is logged call by call; answers of batches have the order of their calls but may be fewer. */
  #addCalls(text: string, answer: unknown): void {
    const calls = messagesIn(text);
    this.#add(async () => {
      const answers = messagesIn(await answer);
      const byId = new Map(answers.map((each) => [JSON.stringify(each.id), each]));
      const texts = calls.map((call) => this.#callText(call, byId.get(JSON.stringify(call.id))));
      return (await Promise.all(texts)).join("");
    });
  }

  async #callText({ method: name = "", params }: Message, answer: Message | undefined): Promise<string> {
    const lines = [printable(name)];
    const isCall = CALLS.has(name);
    const error = answer?.error;
    if (error !== undefined) lines.push(`  Error: ${await this.#errorText(error, isCall)}`);
    if (isCall && (error !== undefined || !name.endsWith("estimateGas")))
      lines.push(...(await this.#callLines(params)));
    return `${lines.join("\n")}\n`;
  }

  async #errorText({ message, data }: RpcFault, isCall: boolean): Promise<string> {
    const isRevert = isCall && typeof data === "string" && data.startsWith("0x");
    return isRevert ? this.#revert(data) : printable(message);
  }

  async #callLines(params: unknown): Promise<readonly string[]> {
    const [call, block = "latest"] = Array.isArray(params) ? params : [];
    const frame = await this.#ask?.("debug_traceCall", call, block, CALL_TRACER).catch(() => undefined);
    return consoleText(frame as TracedCall | undefined); // of callTracer
  }

  async #blockText(number: number): Promise<string> {
    const at = `0x${number.toString(16)}`;
    const receipts = (await this.#ask?.("eth_getBlockReceipts", at)) as readonly Receipt[] | undefined;
    if (receipts === undefined || receipts.length === 0) return "";
    const traces = (await this.#ask?.("debug_traceBlockByNumber", at, CALL_TRACER)) as readonly Trace[];
    const texts = receipts.map((receipt, i) => this.#transactionText(receipt, traces[i]?.result));
    return (await Promise.all(texts)).join("");
  }

  async #transactionText(receipt: Receipt, frame: TracedCall | undefined): Promise<string> {
    const { to, contractAddress, status } = receipt;
    const rows: (readonly [name: string, value: string])[] = [
      ["Transaction", receipt.transactionHash],
      ["From", receipt.from],
      to === null ? ["Created", contractAddress ?? "nothing"] : ["To", to],
      ["Gas used", Number(receipt.gasUsed).toLocaleString("en")],
      ["Block", String(Number(receipt.blockNumber))],
    ];
    if (Number(status) !== 1) rows.push(["Error", await this.#failure(frame)]);
    const lines = rows.map(([name, value]) => `  ${`${name}:`.padEnd(13)}${value}`);
    return `${[...lines, ...consoleText(frame)].join("\n")}\n`;
  }

  #failure(frame: TracedCall | undefined): Promise<string> | string {
    if (frame?.error === "execution reverted") return this.#revert(frame.output ?? "0x");
    return frame?.error ?? "failed";
  }

  #revert(output: string): Promise<string> {
    return this.#deps.errors.describe(fromBareHex(output.slice(2)));
  }
}

/** Methods that run a call without a transaction. */
const CALLS: ReadonlySet<string> = new Set(
  ["eth", "klay", "kaia", "chain"].flatMap((module) => [`${module}_call`, `${module}_estimateGas`]),
);

interface Receipt {
  readonly transactionHash: string;
  readonly from: string;
  readonly to: string | null;
  readonly contractAddress: string | null;
  readonly gasUsed: string;
  readonly blockNumber: string;
  readonly status: string;
}

interface Trace {
  readonly result?: TracedCall;
}

function consoleText(frame: TracedCall | undefined): string[] {
  const lines = frame === undefined ? [] : consoleLines(frame);
  if (lines.length === 0) return [];
  const shown = lines.slice(0, MAX_LINES).flatMap((line) => line.slice(0, MAX_LINE_LENGTH).split("\n"));
  return ["  console.log:", ...shown.map((line) => `    ${line}`)];
}

/** The method that turns the log on and off. */
export function requestLogMethods(log: RequestLog): Method[] {
  return [
    method({
      name: "dev_setLoggingEnabled",
      aliases: ["anvil_setLoggingEnabled", "hardhat_setLoggingEnabled"],
      summary: "Begins or ends the readable log of requests and transactions on standard output.",
      params: { enabled: boolean },
      result: boolean,
      handle: ({ enabled }) => {
        log.isOn = enabled;
        return true;
      },
    }),
  ];
}
