/** The requests that are measured. */
import type { Wire } from "./load.ts";

/** One figure of the report. */
export interface Case {
  readonly name: string;
  readonly wire: Wire;
  readonly body: string;
  readonly callsPerBody: number;
  readonly connections: number;
}

const ADDRESS = "0x2222222222222222222222222222222222222222";
const blockNumber = call("eth_blockNumber", []);

/** Every case, in the order they are run. */
export const cases: readonly Case[] = [
  single("http net_version", "http", call("net_version", [])),
  single("http eth_blockNumber", "http", blockNumber),
  single("http eth_getBalance", "http", call("eth_getBalance", [ADDRESS, "latest"])),
  { ...single("http batch of 100", "http", batch(100)), callsPerBody: 100 },
  single("ws eth_blockNumber", "ws", blockNumber),
  single("ipc eth_blockNumber", "ipc", blockNumber),
];

function single(name: string, wire: Wire, body: string): Case {
  return { name, wire, body, callsPerBody: 1, connections: 16 };
}

function call(method: string, params: readonly unknown[], id = 1): string {
  return JSON.stringify({ jsonrpc: "2.0", id, method, params });
}

function batch(size: number): string {
  return `[${Array.from({ length: size }, (_, id) => call("eth_blockNumber", [], id)).join(",")}]`;
}
