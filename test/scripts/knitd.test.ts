/** The daemon script, with a program in place of the node that does what it is told. */
import { spawnSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { until } from "../support/until.ts";

const SCRIPT = join(import.meta.dirname, "../../scripts/knitd");
let directory = "";

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "knit-daemon-"));
  play({});
});

afterEach(() => {
  daemon("stop");
  rmSync(directory, { recursive: true });
});

/** Writes the program: its data directory, and how it runs. */
function play({ data = directory, run = 'trap "exit 0" TERM; while :; do sleep 0.05; done' }): void {
  const program = `#!/bin/sh
case $1 in
  config) echo "${data}"; echo ;;
  run) echo "$@" >>"${directory}/runs"; ${run} ;;
esac
`;
  writeFileSync(join(directory, "knit"), program);
  chmodSync(join(directory, "knit"), 0o755);
}

function daemon(word: string, script = SCRIPT, properties = "") {
  const conf = join(directory, "node.conf");
  if (properties !== "" || !existsSync(conf)) writeFileSync(conf, properties);
  const env = { ...process.env, KNIT: join(directory, "knit"), KNITD_CONF: conf, KNITD_STOP_SECONDS: "1" };
  const { stdout, status } = spawnSync(script, [word], { encoding: "utf8", env });
  return [stdout, status];
}

function runs(): string[] {
  return readFileSync(join(directory, "runs"), "utf8").trimEnd().split("\n");
}

test("a node is started once, is running until it is stopped, and starts anew", () => {
  expect(daemon("status")).toEqual(["knitd is down\n", 3]);
  expect(daemon("start")).toEqual(["Starting knitd: Success to start node.\n", 0]);
  const pid = readFileSync(join(directory, "knitd.pid"), "utf8").trim();
  expect(daemon("start")).toEqual([`knitd already running...[${pid}]\n`, 0]);
  expect(daemon("status")).toEqual(["knitd is running\n", 0]);
  const again = "Shutting down knitd:  OK\nStarting knitd: Success to start node.\n";
  expect(daemon("restart")).toEqual([again, 0]);
  expect(daemon("stop")).toEqual(["Shutting down knitd:  OK\n", 0]);
  expect(daemon("stop")).toEqual(["knitd is not running\n", 0]);
  expect(runs()).toEqual(Array(2).fill(`run --properties ${join(directory, "node.conf")}`));
  expect(existsSync(join(directory, "knitd.pid"))).toBe(false);
});

test("a node that ends at once has failed, and its last word is told", () => {
  play({ run: 'echo "knit: no such port" >&2; exit 1' });
  expect(daemon("start")).toEqual(["Starting knitd: Fail to start node.\nknit: no such port\n", 1]);
  expect(daemon("status")).toEqual(["knitd is down\n", 3]);
});

test("a node that does not end is killed", () => {
  play({ run: 'trap "" TERM; while :; do sleep 0.05; done' });
  daemon("start");
  expect(daemon("stop")).toEqual(["Shutting down knitd:  Killed\n", 0]);
});

test("a node that ended is started again when the properties say so, until it is stopped", async () => {
  const end = join(directory, "end");
  play({ run: `while [ ! -e "${end}" ]; do sleep 0.05; done` });
  daemon("start", SCRIPT, "AUTO_RESTART_NODE=1\nAUTO_RESTART_INTERVAL=0.1\n");
  writeFileSync(end, "");
  await until(() => runs().length > 1);
  daemon("stop");
  const { length } = runs();
  expect(daemon("status")).toEqual(["knitd is down\n", 3]);
  expect(runs()).toHaveLength(length);
});

test("under a Go daemon's name the node is of its type, here in the foreground", () => {
  play({ run: "exit 0" });
  const link = join(directory, "kcnd");
  symlinkSync(SCRIPT, link);
  const line = `run --type core --properties ${join(directory, "node.conf")}`;
  expect(daemon("start-docker", link)).toEqual([`${join(directory, "knit")} ${line}\n`, 0]);
  expect(runs()).toEqual([line]);
});

test("what is missing is said in one line", () => {
  const conf = join(directory, "node.conf");
  play({ data: "" });
  expect(daemon("start")).toEqual([`  [ERROR] : DATA_DIR in ${conf} is not defined.\n`, 1]);
  play({ data: "/nowhere/at/all" });
  const missing = `  [ERROR] : Genesis block is not initiated: [${conf} - DATA_DIR=/nowhere/at/all]\n`;
  expect(daemon("start")).toEqual([missing, 1]);
  expect(daemon("begin")).toEqual(["Usages: knitd {start|start-docker|stop|restart|status}\n", 1]);
});
