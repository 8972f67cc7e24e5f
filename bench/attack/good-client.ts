/**
 * A client as any other: 20 requests a second over HTTP, each sent at its time whether the one before was answered or
 * not. A request that is not answered counts with the time that it has waited.
 */
import { Agent, request as post } from "node:http";
import { request } from "../rpc/ask.ts";
import { quantile } from "../support/figures.ts";

/** Figures of the responses. */
export interface GoodFigures {
  readonly answered: number;
  readonly failed: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly maxMs: number;
}

const EVERY_MS = 50;
const TIMEOUT_MS = 10_000;

const BODIES = [
  request("eth_blockNumber", []),
  request("eth_getBalance", ["0x0000000000000000000000000000000000000001", "latest"]),
  request("eth_getBlockByNumber", ["latest", true]),
];

/** Begins at once; `stop` ends it and tells. */
export function startGoodClient(url: string): { stop(): GoodFigures } {
  const agent = new Agent({ keepAlive: true });
  const times: number[] = [];
  const waiting = new Set<number>();
  let failed = 0;
  let sent = 0;
  const timer = setInterval(() => {
    const body = BODIES[sent++ % BODIES.length] ?? "";
    const startedAt = performance.now();
    waiting.add(startedAt);
    void isAnswered(agent, url, body).then((isGood) => {
      if (!waiting.delete(startedAt)) return;
      times.push(performance.now() - startedAt);
      if (!isGood) failed++;
    });
  }, EVERY_MS);
  return {
    stop: () => {
      clearInterval(timer);
      const now = performance.now();
      const all = [...times, ...[...waiting].map((startedAt) => now - startedAt)];
      waiting.clear();
      agent.destroy();
      const at = (share: number): number => Math.round((quantile(all, share) || 0) * 10) / 10;
      return {
        answered: times.length - failed,
        failed,
        p50Ms: at(0.5),
        p99Ms: at(0.99),
        maxMs: at(1),
      };
    },
  };
}

function isAnswered(agent: Agent, url: string, body: string): Promise<boolean> {
  return new Promise((resolve) => {
    const headers = { "content-type": "application/json", "content-length": Buffer.byteLength(body) };
    const sent = post(url, { method: "POST", agent, headers, timeout: TIMEOUT_MS }, (response) => {
      response.on("error", () => resolve(false));
      response.on("end", () => resolve(response.statusCode === 200));
      response.resume();
    });
    sent.on("timeout", () => sent.destroy(new Error("timeout")));
    sent.on("error", () => resolve(false));
    sent.end(body);
  });
}
