/** The script thread: a JavaScript realm with `web3`, which waits synchronously for the node's responses. */
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { createContext, Script } from "node:vm";
import { parentPort, receiveMessageOnPort, workerData } from "node:worker_threads";
import { messageOf } from "../bytes/message-of.ts";
import { bridgeAdmin, bridgePersonal, type Terminal } from "./bridge.ts";
import { completions } from "./completion.ts";
import { failureText, TYPED } from "./failure-text.ts";
import { colours, noColours, pretty } from "./pretty.ts";
import { Requests } from "./requests.ts";
import { chainModule, createWeb3 } from "./web3.ts";
import type { Answer, ScriptData, ScriptMessage, ScriptTask, TerminalRequest } from "./wire.ts";

const data = workerData as ScriptData; // what script-host.ts gives
const palette = data.coloured ? colours : noColours;
const port = parentPort;
const send = (message: ScriptMessage): void => port?.postMessage(message);
const print = (text: string): void => send({ kind: "print", text });

/** Sends a request to the terminal's thread and waits for the response. */
function ask(question: TerminalRequest): string {
  Atomics.store(data.bell, 0, 0);
  send({ kind: "question", question });
  Atomics.wait(data.bell, 0, 0);
  const answer = receiveMessageOnPort(data.answers)?.message as Answer;
  if ("failure" in answer) throw new Error(answer.failure);
  return answer.text;
}

const terminal: Terminal = {
  password: (prompt) => ask({ kind: "password", prompt }),
  print: (line) => print(`${line}\n`),
  clearHistory: () => ask({ kind: "clear-history" }),
};

const context = createContext({});
const globals = new Script("globalThis").runInContext(context) as Record<string, unknown>;

/** Runs a source in the realm of scripts. */
function run(source: string, filename: string): unknown {
  return new Script(source, { filename }).runInContext(context);
}

function runFile(path: string): unknown {
  const file = resolve(data.scripts, path);
  return run(readFileSync(file, "utf8"), file);
}

function loadScript(path: unknown): unknown {
  try {
    return runFile(String(path));
  } catch (error) {
    const isMissing = (error as { syscall?: unknown }).syscall !== undefined;
    const why = isMissing ? `could not read file ${String(path)}` : "error while compiling or running script";
    throw new Error(`${why}: ${messageOf(error)}`, { cause: error });
  }
}

/** Returns a timer function of scripts, which prints errors of its callback. */
function timer(start: typeof setTimeout | typeof setInterval, name: string) {
  return function (...args: unknown[]): unknown {
    const [callback, ms, ...rest] = args;
    if (args.length === 0)
      throw new TypeError(`Failed to execute '${name}': 1 argument required, but only 0 present.`);
    const act = (): void => {
      try {
        if (typeof callback === "function") callback(...rest);
      } catch (error) {
        print(`${palette.error(`${failureText(error, globals)}\n`)}\n`);
      }
    };
    return start(act, Math.max(1, Number(ms) || 0));
  };
}

function output(...values: unknown[]): void {
  print(`${values.map(String).join(" ")}\n`);
}

/** Defines the globals of the realm of scripts. */
function furnish(): void {
  const requests = new Requests((message) => ask({ kind: "rpc", message }), globals["JSON"] as JSON);
  const web3 = createWeb3({ requests, modules: data.modules, endpoint: data.endpoint, units: data.units });
  const served = data.modules.filter((name) => name !== "web3");
  const names = new Set(["chain", "klay", "kaia", "eth", "net", "personal", ...served]);
  const web3Class = function Web3(): unknown {
    return web3;
  };
  Object.assign(globals, {
    web3,
    Web3: web3Class,
    BigNumber: web3["BigNumber"],
    ...Object.fromEntries([...names].map((name) => [name, web3[name]])),
    console: { log: output, error: output },
    inspect: function (...values: unknown[]): void {
      for (const value of values) print(`${pretty(value, palette)}\n`);
    },
    loadScript,
    setTimeout: timer(setTimeout, "setTimeout"),
    setInterval: timer(setInterval, "setInterval"),
    clearTimeout: (given: NodeJS.Timeout) => clearTimeout(given),
    clearInterval: (given: NodeJS.Timeout) => clearTimeout(given),
  });
  const parts = { terminal, requests, chain: chainModule(data.modules) };
  if (served.includes("admin")) bridgeAdmin(web3["admin"] as Record<string, unknown>, parts);
  if (served.includes("personal")) {
    globals["jeth"] = bridgePersonal(web3["personal"] as Record<string, unknown>, parts);
  }
}

/** Prints a result or an error. */
function show(work: () => unknown): void {
  let shown: string;
  try {
    shown = pretty(work(), palette);
  } catch (error) {
    shown = palette.error(`${failureText(error, globals)}\n`);
  }
  print(`${shown}\n`);
}

function evaluate(source: string, shows: boolean): string | undefined {
  if (shows) {
    show(() => run(source, TYPED));
    return undefined;
  }
  return failureOf(() => run(source, TYPED));
}

function failureOf(work: () => unknown): string | undefined {
  try {
    work();
    return undefined;
  } catch (error) {
    return failureText(error, globals);
  }
}

furnish();
port?.on("message", (task: ScriptTask) => {
  if (task.kind === "complete") return send({ kind: "completions", names: completions(task.word, globals) });
  const failure =
    task.kind === "load" ? failureOf(() => runFile(task.path)) : evaluate(task.source, task.shows);
  send({ kind: "done", failure });
});
