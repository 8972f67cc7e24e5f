/** Networks as `knit genesis` writes them, started as they say. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { expect, test } from "@jest/globals";
import { parse } from "yaml";
import { freePorts } from "../../scripts/network/ports.ts";
import { MAIN, runKnit } from "../support/knit-process.ts";

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

async function numberOverWs(port: number): Promise<unknown> {
  const socket = new WebSocket(`ws://127.0.0.1:${port}`);
  await once(socket, "open");
  socket.send(JSON.stringify({ jsonrpc: "2.0", id: 1, method: "eth_blockNumber" }));
  const [{ data }] = (await once(socket, "message")) as [{ readonly data: string }];
  socket.close();
  return (JSON.parse(data) as { readonly result?: unknown }).result;
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
      expect(await numberOverWs(endpoint + 1)).toMatch(/^0x/);
      expect(committee.map((each) => each.toLowerCase()).toSorted()).toEqual(addresses.toSorted());
    } finally {
      network.kill("SIGINT");
    }
    expect((await ended)[0]).toBe(0);
    for (const place of [0, 1, 2, 3, 4]) expect(await blockNumber(first + 5 + 2 * place)).toBe(0); // nobody answers
  } finally {
    rmSync(directory, { recursive: true });
  }
}, 240_000);

interface Service {
  readonly entrypoint: readonly string[];
  readonly command: readonly string[];
  readonly volumes: readonly string[];
  readonly ports: readonly string[];
  readonly networks: { readonly app_net: { readonly ipv4_address: string } };
}

/** Ports inside every container. */
const INSIDE = { peers: 32_323, http: 8551, ws: 8552, metrics: 61_001 };

/** Starts what a container would: its volumes are directories, its ports those that the file gives it outside. */
function startService(output: string, { entrypoint, command, volumes, ports }: Service): ChildProcess {
  const inside = new Map(ports.map((each) => each.split(":").slice(1).toReversed() as [string, string]));
  const [program = "", ...rest] = entrypoint;
  let [text = ""] = command;
  for (const volume of volumes) {
    const [outside = "", place = ""] = volume.split(":");
    expect(existsSync(join(output, outside))).toBe(true);
    text = text.replaceAll(place, join(output, outside));
  }
  for (const port of [INSIDE.peers, INSIDE.http, INSIDE.ws])
    text = text.replaceAll(`port ${port}`, `port ${inside.get(String(port))}`);
  text = text.replaceAll("node /app/dist/node/main.js", `"${process.execPath}" "${MAIN}"`);
  const env = { ...process.env, KNIT_PROMETHEUSPORT: "0" };
  return spawn(program, [...rest, text], { env, stdio: "ignore" });
}

/** Asks all to end, and resolves with the exit code and the signal of each. */
async function endAll(children: readonly ChildProcess[]): Promise<unknown[]> {
  const gone = children.map((child) => once(child, "exit"));
  for (const child of children) child.kill("SIGTERM");
  return Promise.all(gone);
}

test("a compose file's services run as they stand: block 0 from the file, peers, blocks; and again when they start anew", async () => {
  const output = join(mkdtempSync(join(tmpdir(), "knit-composed-")), "net");
  const running: ChildProcess[] = [];
  try {
    const first = await portRow(6);
    const ports = ["--p2p-port", `${first}`, "--rpc-port", `${first + 2}`, "--ws-port", `${first + 3}`];
    const made = await runKnit(
      "genesis",
      "--en-num",
      "1",
      ...ports,
      "--output",
      output,
      "--lightkdf",
      "compose",
    );
    expect(made.code).toBe(0);
    const { services } = parse(readFileSync(join(output, "docker-compose.yml"), "utf8")) as {
      services: { readonly cn1: Service; readonly en1: Service };
    };
    const list = join(output, "data/en1/static-nodes.json"); // addresses of the network in there become this machine's
    const { ipv4_address: address } = services.cn1.networks.app_net;
    const urls = readFileSync(list, "utf8");
    expect(urls).toContain(`@${address}:${INSIDE.peers}?`);
    writeFileSync(list, urls.replace(`${address}:${INSIDE.peers}`, `127.0.0.1:${first}`));
    running.push(startService(output, services.cn1), startService(output, services.en1));
    while ((await blockNumber(first + 4)) < 2) await setTimeout(100);
    expect(await endAll(running.splice(0, 1))).toEqual([[0, null]]);
    const before = await blockNumber(first + 4);
    running.push(startService(output, services.cn1));
    while ((await blockNumber(first + 4)) <= before) await setTimeout(100);
  } finally {
    await endAll(running);
    rmSync(join(output, ".."), { recursive: true });
  }
}, 240_000);
