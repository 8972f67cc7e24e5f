/** `npm start` as a person types it and as a supervisor ends it: by the process id of npm alone. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { connect } from "node:net";
import { afterEach, expect, test } from "@jest/globals";
import { MAIN } from "../support/knit-process.ts";
import { until } from "../support/until.ts";

const FREE_PORTS = ["--rpcport", "0", "--wsport", "0", "--prometheusport", "0"];
const left: ChildProcess[] = [];
const pids = new Set<number>();

afterEach(() => {
  for (const child of left.splice(0)) child.kill("SIGKILL");
  for (const pid of pids) {
    try {
      process.kill(pid, "SIGKILL");
    } catch {
      // it has ended, as it should
    }
  }
  pids.clear();
});

/** Port of a development chain's JSON-RPC, read from its banner. */
async function portOf({ stdout }: ChildProcess): Promise<number> {
  let text = "";
  stdout?.setEncoding("utf8").on("data", (chunk: string) => {
    text += chunk;
  });
  const pattern = /HTTP +http:\S+:(\d+)/;
  await until(() => pattern.test(text));
  return Number(pattern.exec(text)?.[1]);
}

async function isOpen(port: number): Promise<boolean> {
  const socket = connect(port, "127.0.0.1");
  const open = await Promise.race([
    once(socket, "connect").then(() => true),
    once(socket, "error").then(() => false),
  ]).catch(() => false);
  socket.destroy();
  return open;
}

test.each([
  ["npm start --", "SIGTERM"],
  ["npm start --", "SIGINT"],
  ["npm start --", "SIGHUP"],
  ["npm start --", "SIGKILL"],
  ["npx knit dev", "SIGTERM"],
  ["npx knit dev", "SIGKILL"],
] as const)(
  "the node of `%s` does not stay on its ports when npm alone gets %s",
  async (typed, signal) => {
    const [command = "", ...args] = typed.split(" ");
    const npm = spawn(command, [...args, ...FREE_PORTS], { stdio: ["ignore", "pipe", "ignore"] });
    left.push(npm);
    const port = await portOf(npm);
    expect(await isOpen(port)).toBe(true);
    npm.kill(signal);
    await until(async () => !(await isOpen(port)));
  },
  60_000,
);

test("a node ends with the launcher that looked for a newer Node.js, however that ends", async () => {
  const source = `
    const { spawn } = require("node:child_process");
    const env = { ...process.env, KNIT_LAUNCHER: String(process.pid) };
    const node = spawn(process.execPath, ${JSON.stringify([MAIN, "dev", ...FREE_PORTS])}, { stdio: "inherit", env });
    process.stderr.write(String(node.pid));`;
  const launcher = spawn(process.execPath, ["-e", source], { stdio: ["ignore", "pipe", "pipe"] });
  left.push(launcher);
  const [pid] = (await once(launcher.stderr.setEncoding("utf8"), "data")) as [string];
  pids.add(Number.parseInt(pid, 10));
  const port = await portOf(launcher);
  launcher.kill("SIGKILL");
  await until(async () => !(await isOpen(port)));
}, 60_000);
