/** A network as `knit genesis` writes it, started by its own script. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { expect, test } from "@jest/globals";
import { freePorts } from "../../scripts/network/ports.ts";
import { runKnit } from "../support/knit-process.ts";

const MAIN = join(import.meta.dirname, "../../node/main.ts");

/** The first of `count` ports that follow one another. */
async function portRow(count: number): Promise<number> {
  const ports = await freePorts(count);
  const [first = 0] = ports;
  return ports.every((port, i) => port === first + i) ? first : portRow(count);
}

/** The result of a call, `undefined` when there is none. */
async function ask(port: number, method: string, ...params: unknown[]): Promise<unknown> {
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
  const headers = { "content-type": "application/json" };
  const answer = await fetch(`http://127.0.0.1:${port}`, { method: "POST", headers, body }).catch(
    () => undefined,
  );
  return ((await answer?.json()) as { result?: unknown } | undefined)?.result;
}

async function blockNumber(port: number): Promise<number> {
  return Number((await ask(port, "eth_blockNumber")) ?? 0);
}

interface Agreed {
  readonly committee: readonly string[];
}

test("four validators and an endpoint start by their script: they agree on blocks, the endpoint has them, Ctrl-C ends all", async () => {
  const directory = mkdtempSync(join(tmpdir(), "knit-made-"));
  try {
    const output = join(directory, "net");
    const first = await portRow(15);
    const ports = ["--p2p-port", `${first}`, "--rpc-port", `${first + 5}`, "--ws-port", `${first + 6}`];
    const size = ["--cn-num", "4", "--en-num", "1"];
    const made = await runKnit("genesis", ...size, ...ports, "--output", output, "--lightkdf", "local");
    expect(made.code).toBe(0);
    const program = join(directory, "knit");
    writeFileSync(program, `#!/bin/sh\nexec "${process.execPath}" "${MAIN}" "$@"\n`);
    chmodSync(program, 0o755);
    const network = spawn(join(output, "start.sh"), {
      env: { ...process.env, KNIT: program },
      stdio: "ignore",
    });
    const ended = once(network, "exit") as Promise<[number | null]>;
    const endpoint = first + 5 + 2 * 4;
    try {
      while ((await blockNumber(endpoint)) < 3) await setTimeout(100); // the test's own time is the end
      const { committee } = (await ask(endpoint, "klay_getBlockWithConsensusInfoByNumber", "0x3")) as Agreed;
      const addresses = [1, 2, 3, 4].map((i) => `0x${readFileSync(join(output, `keys/reward${i}`), "utf8")}`);
      expect(committee.map((each) => each.toLowerCase()).toSorted()).toEqual(addresses.toSorted());
    } finally {
      network.kill("SIGINT");
    }
    expect((await ended)[0]).toBe(0);
    for (const place of [0, 1, 2, 3, 4]) expect(await blockNumber(first + 5 + 2 * place)).toBe(0); // nobody answers
  } finally {
    rmSync(directory, { recursive: true });
  }
}, 120_000);
