/** The node under test: started, killed, started again on the same data directory. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { freePort } from "../../test/support/go-node.ts";
import { until } from "../../test/support/rpc-client.ts";
import { ask } from "../rpc/ask.ts";
import { BUILT_MAIN } from "../support/built-knit.ts";

/** Start options. */
export interface SubjectOptions {
  readonly datadir: string;
  /** As `--max-memory` takes it. */
  readonly limit: string;
}

/** A stretch of time in which it was down or coming up: milliseconds since 1970. */
export interface Pause {
  readonly from: number;
  readonly to: number;
}

const MODULES = "admin,chain,debug,eth,net,txpool";

/** See the file's header. */
export class Subject {
  readonly #options: SubjectOptions;
  readonly #ports: readonly [http: number, ws: number, metrics: number];
  #child: ChildProcess | undefined;
  readonly pauses: Pause[] = [];
  /** Faults of the process itself. */
  readonly faults: string[] = [];
  /** Changes whenever the process does. */
  generation = 0;
  isUp = false;

  private constructor(options: SubjectOptions, ports: readonly [number, number, number]) {
    this.#options = options;
    this.#ports = ports;
  }

  static async open(options: SubjectOptions): Promise<Subject> {
    const subject = new Subject(options, [await freePort(), await freePort(), await freePort()]);
    await subject.#start(Date.now());
    return subject;
  }

  get http(): string {
    return `http://127.0.0.1:${this.#ports[0]}`;
  }

  get ws(): string {
    return `ws://127.0.0.1:${this.#ports[1]}`;
  }

  get pid(): number {
    return this.#child?.pid ?? Number.NaN;
  }

  /** Ends it with the signal and starts it again. */
  async restart(signal: "SIGKILL" | "SIGTERM"): Promise<void> {
    const from = Date.now();
    await this.stop(signal);
    await this.#start(from);
  }

  async stop(signal: "SIGKILL" | "SIGTERM"): Promise<void> {
    this.isUp = false;
    this.generation++;
    const child = this.#child;
    this.#child = undefined;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const gone = once(child, "exit");
    child.kill(signal);
    const [code] = (await gone) as [number | null];
    if (signal === "SIGTERM" && code !== 0) this.faults.push(`ended with ${code} when it was asked to end`);
  }

  async #start(from: number): Promise<void> {
    const { datadir, limit } = this.#options;
    const [http, ws, metrics] = this.#ports.map(String) as [string, string, string];
    const child = spawn(
      process.execPath,
      [BUILT_MAIN, "dev", "--datadir", datadir, "--max-memory", limit, "--verbosity", "2"]
        .concat(["--rpcport", http, "--rpcapi", MODULES, "--wsport", ws, "--wsapi", MODULES])
        .concat(["--prometheusport", metrics]),
      { stdio: ["ignore", "ignore", "inherit"] },
    );
    this.#child = child;
    child.once("exit", (code, signal) => {
      if (this.#child === child) this.faults.push(`ended by itself with ${code ?? signal}`);
    });
    await until(async () => {
      if (this.faults.length > 0) throw new Error(this.faults.join("; "));
      return ask<string>(this.http, "eth_blockNumber", []).catch(() => undefined);
    });
    this.isUp = true;
    this.pauses.push({ from, to: Date.now() });
  }
}
