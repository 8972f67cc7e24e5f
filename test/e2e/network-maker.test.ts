/** A network as `knit genesis` writes it, started by its own script. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
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

async function blockNumber(port: number): Promise<number> {
  const body = '{"jsonrpc":"2.0","id":1,"method":"eth_blockNumber","params":[]}';
  const headers = { "content-type": "application/json" };
  const answer = await fetch(`http://127.0.0.1:${port}`, { method: "POST", headers, body }).catch(
    () => undefined,
  );
  const { result = "0x0" } = ((await answer?.json()) ?? {}) as { result?: string };
  return Number(result);
}

test("a network of processes starts by its script: the endpoint has the core node's blocks, Ctrl-C ends them all", async () => {
  const directory = mkdtempSync(join(tmpdir(), "knit-made-"));
  try {
    const output = join(directory, "net");
    const first = await portRow(8);
    const ports = ["--p2p-port", `${first}`, "--rpc-port", `${first + 4}`, "--ws-port", `${first + 5}`];
    const made = await runKnit(
      "genesis",
      "--en-num",
      "1",
      ...ports,
      "--output",
      output,
      "--lightkdf",
      "local",
    );
    expect(made.code).toBe(0);
    const program = join(directory, "knit");
    writeFileSync(program, `#!/bin/sh\nexec "${process.execPath}" "${MAIN}" "$@"\n`);
    chmodSync(program, 0o755);
    const network = spawn(join(output, "start.sh"), {
      env: { ...process.env, KNIT: program },
      stdio: "ignore",
    });
    const ended = once(network, "exit") as Promise<[number | null]>;
    try {
      while ((await blockNumber(first + 6)) < 2) await setTimeout(100); // the test's own time is the end
    } finally {
      network.kill("SIGINT");
    }
    expect((await ended)[0]).toBe(0);
    expect(await blockNumber(first + 4)).toBe(0); // nobody answers
  } finally {
    rmSync(directory, { recursive: true });
  }
}, 120_000);
