/** Profiling and inspection of the process: files are never overwritten, one profile runs at a time. */
import { mkdtemp, readFile, rm, stat, symlink, writeFile } from "node:fs/promises";
import { get } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { createMetrics } from "../../../node/observe/metrics.ts";
import { openProfiler, type Profiler } from "../../../node/observe/profiler.ts";
import { goRuntimeMethods } from "../../../node/rpc/debug-go-runtime.ts";
import { debugProcessMethods } from "../../../node/rpc/debug-process.ts";
import { createPprofServer, type PprofServer } from "../../../node/transport/pprof-server.ts";
import { askRow } from "../../support/ask-row.ts";
import { freePort } from "../../support/go-node.ts";
import { until } from "../../support/rpc-client.ts";

let directory: string;
let profiler: Profiler;
let pprofServer: PprofServer;
const levels: string[] = [];
let compactions = 0;
const metrics = createMetrics();
metrics.gauge({ name: "blockchain/head/blocknumber", help: "Head." }).set(1_234_567);

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "debug-process-"));
  profiler = openProfiler();
  pprofServer = createPprofServer({ profiler, metrics });
});
afterAll(async () => {
  await pprofServer[Symbol.asyncDispose]();
  await profiler[Symbol.asyncDispose]();
  await rm(directory, { recursive: true });
});

function ask(name: string, ...params: unknown[]): Promise<unknown> {
  const rows = debugProcessMethods({
    profiler,
    metrics,
    pprofServer,
    setLogLevel: (level) => void levels.push(level),
    store: {
      property: (each) => (each === "leveldb.stats" ? "Compactions" : undefined),
      compact: async () => void compactions++,
    },
  });
  return askRow(rows, name, ...params);
}

test("every method is privileged", () => {
  const rows = [...debugProcessMethods({} as never), ...goRuntimeMethods()]; // nothing is called
  expect(rows.filter(({ privilege }) => privilege === undefined)).toEqual([]);
});

test("a CPU profile is a new file for its owner only, and one runs at a time", async () => {
  const file = join(directory, "cpu.cpuprofile");
  await ask("debug_startCPUProfile", file);
  await expect(ask("debug_cpuProfile", join(directory, "other"), 1)).rejects.toMatchObject({
    message: "CPU profiling already in progress",
  });
  await ask("debug_stopCPUProfile");
  expect(JSON.parse(await readFile(file, "utf8"))).toMatchObject({ nodes: expect.any(Array) });
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  await expect(ask("debug_stopCPUProfile")).rejects.toMatchObject({
    message: "CPU profiling not in progress",
  });
});

test("a trace of the runtime's events is a new file, and one runs at a time", async () => {
  const file = join(directory, "events.trace");
  await ask("debug_startGoTrace", file);
  await expect(ask("debug_goTrace", join(directory, "other"), 1)).rejects.toMatchObject({
    message: "trace already in progress",
  });
  profiler.collect();
  await ask("debug_stopGoTrace");
  const { traceEvents } = JSON.parse(await readFile(file, "utf8")) as { traceEvents: { name: string }[] };
  expect(traceEvents.map(({ name }) => name)).toContain("MajorGC");
  await expect(ask("debug_stopGoTrace")).rejects.toMatchObject({ message: "trace not in progress" });
});

test("delays of the event loop are written, with none while no samples are taken", async () => {
  const [none, some] = ["none.block", "some.block"].map((name) => join(directory, name));
  await ask("debug_writeBlockProfile", none);
  expect(JSON.parse(await readFile(String(none), "utf8"))).toEqual({ unit: "nanoseconds", count: 0 });
  await ask("debug_blockProfile", some, 1);
  const { count, min, max } = JSON.parse(await readFile(String(some), "utf8")) as Record<string, number>;
  expect(count).toBeGreaterThan(0);
  expect(max).toBeGreaterThanOrEqual(Number(min));
  await expect(ask("debug_writeBlockProfile", some)).rejects.toMatchObject({
    message: `open ${some}: file exists`,
  });
});

test("the profiling server serves profiles to this machine's names until it is stopped", async () => {
  await expect(ask("debug_stopPProf")).rejects.toMatchObject({ message: "pprof server is not running" });
  const port = await freePort();
  await ask("debug_startPProf", "", port);
  await expect(ask("debug_startPProf")).rejects.toMatchObject({ message: "pprof server is already running" });
  const base = `http://127.0.0.1:${port}/debug`;
  expect(await (await fetch(`${base}/pprof/profile?seconds=0`)).json()).toHaveProperty("nodes");
  expect(await (await fetch(`${base}/pprof/trace?seconds=0`)).json()).toHaveProperty("traceEvents");
  expect(await (await fetch(`${base}/pprof/goroutine`)).text()).toContain("[main]");
  expect(await (await fetch(`${base}/metrics`)).text()).toContain(
    "klaytn_blockchain_head_blocknumber 1234567",
  );
  expect((await fetch(`${base}/pprof/heap`)).status).toBe(404);
  expect((await fetch(base, { method: "POST" })).status).toBe(404);
  expect(await ask("debug_isPProfRunning")).toBe(true);
  await ask("debug_stopPProf");
  expect(await ask("debug_isPProfRunning")).toBe(false);
  await expect(fetch(base)).rejects.toThrow();
});

test("a profiling server refuses other host names and a busy address", async () => {
  const port = await freePort();
  await ask("debug_startPProf", "127.0.0.1", port);
  const other = createPprofServer({ profiler, metrics });
  await expect(other.start({ host: "127.0.0.1", port })).rejects.toMatchObject({ code: "EADDRINUSE" });
  expect(other.isRunning).toBe(false);
  const status = await new Promise((resolve) => {
    get({ port, path: "/debug/metrics", headers: { host: "stranger.example" } }, ({ statusCode }) =>
      resolve(statusCode),
    );
  });
  expect(status).toBe(403);
  await ask("debug_stopPProf");
});

test("stacks name the function that asks and the native frames below it", async () => {
  const stacks = await ask("debug_stacks");
  expect(stacks).toMatch(/^thread 0 \[main\]:\n\tat .*threadStacks|getReport/);
  expect(stacks).toContain("native node::");
});

test("metrics are numbers or rounded text with a unit, by exported name", async () => {
  const name = "klaytn_blockchain_head_blocknumber";
  expect(await ask("debug_metrics", true)).toMatchObject({ [name]: { Overall: 1_234_567 } });
  expect(await ask("debug_metrics", false)).toMatchObject({ [name]: { Overall: "1.23M" } });
  await expect(ask("debug_metrics", "x")).rejects.toMatchObject({
    message: "invalid argument 0: json: cannot unmarshal string into Go value of type bool",
  });
});

test.each(["debug_startCPUProfile", "debug_writeMemProfile"])(
  "%s leaves a file alone that is there",
  async (name) => {
    const file = join(directory, `${name}.mine`);
    await writeFile(file, "mine");
    await expect(ask(name, file)).rejects.toMatchObject({
      code: -32000,
      message: `open ${file}: file exists`,
    });
    expect(await readFile(file, "utf8")).toBe("mine");
    const nowhere = join(directory, "no", "where");
    await expect(ask(name, nowhere)).rejects.toMatchObject({
      message: `open ${nowhere}: no such file or directory`,
    });
    await ask("debug_cpuProfile", join(directory, `${name}.after`), 0); // nothing was left running
  },
);

test("system errors of files are returned to the caller", async () => {
  const loop = join(directory, "loop");
  await symlink(loop, loop);
  for (const [file, words] of [
    [join(loop, "x"), "too many levels of symbolic links"],
    [join(directory, "x".repeat(256)), "file name too long"],
    [directory, "file exists"],
    ["/dev/null/x", "not a directory"],
    ["no\0name", "invalid argument"],
  ]) {
    await expect(ask("debug_startCPUProfile", file)).rejects.toMatchObject({
      code: -32000,
      message: `open ${file?.slice(0, 256)}: ${words}`,
    });
  }
});

test("a profile that runs when the node closes is written", async () => {
  const own = openProfiler();
  const file = join(directory, "closing");
  const profile = own.cpu.record(file, 300);
  while (!(await stat(file).catch(() => undefined))) await new Promise(setImmediate);
  await own[Symbol.asyncDispose]();
  await profile;
  expect(JSON.parse(await readFile(file, "utf8"))).toMatchObject({ nodes: expect.any(Array) });
});

test("log level, memory and database methods return results", async () => {
  await ask("debug_verbosity", 0);
  await ask("debug_verbosity", 5);
  expect(levels).toEqual(["silent", "debug"]);
  await expect(ask("debug_verbosity", 6)).rejects.toMatchObject({ message: "insert log level less than 6" });
  expect(await ask("debug_memStats")).toMatchObject({ process: { rss: expect.any(Number) } });
  expect(await ask("debug_freeOSMemory")).toBeNull();
  expect(await ask("debug_chaindbProperty", "")).toBe("Compactions");
  expect(await ask("debug_chaindbProperty", "leveldb.nothing")).toBe("");
  await ask("debug_chaindbCompact");
  await ask("debug_chaindbCompact", { preset: "allbutstate" });
  const range = { start: "0x48", step: "0x01", end: "0x49", db: ["header"], interval: "1s" };
  await ask("debug_chaindbCompact", { preset: "custom", ranges: [range] });
  expect(compactions).toBe(3);
});

test.each([
  ["debug_chaindbCompact", [{ preset: "strange" }], "unknown preset: strange"],
  ["debug_chaindbCompact", [{ preset: "" }], "unknown preset: "],
  ["debug_chaindbCompact", [{ preset: "custom" }], "no ranges provided for custom preset"],
  ["debug_chaindbCompact", [{ preset: "custom", ranges: [] }], "no ranges provided for custom preset"],
  ["debug_stopWarmUp", [], "not in warm up"],
  ["debug_startWarmUp", [90], "there is nothing to warm up: this node reads states without their tries"],
])("%s of %j returns an error", async (name, params, message) => {
  await expect(ask(name, ...params)).rejects.toMatchObject({ code: -32000, message });
});

test.each([
  ["debug_verbosityByName", ["common", 6], "insert log level less than 6"],
  ["debug_verbosityByID", [3, -1], "insert log level greater than or equal to 0"],
  ["debug_verbosityByID", [3, 3], "this node has one log level; debug_verbosity sets it"],
  ["debug_vmodule", ["x"], "expect comma-separated list of filename=N"],
  ["debug_vmodule", ["x=3,y/*=4"], "this node has one log level; debug_verbosity sets it"],
  ["debug_backtraceAt", ["x"], "expect file.go:234"],
  ["debug_setVMLogTarget", [4], "target should be between 0 and 3"],
  [
    "debug_setGCPercent",
    ["x"],
    "invalid argument 0: json: cannot unmarshal string into Go value of type int",
  ],
  ["debug_mutexProfile", ["x"], "missing value for required argument 1"],
])("%s of %j, a method of the Go runtime, returns an error", async (name, params, message) => {
  await expect(askRow(goRuntimeMethods(), name, ...params)).rejects.toMatchObject({ message });
});

test("methods of the Go runtime with a counterpart return results", async () => {
  const rows = goRuntimeMethods();
  expect(await askRow(rows, "debug_setVMLogTarget", 0)).toBe("no output");
  profiler.collect();
  await expect(until(async () => (await collections(rows)) || undefined)).resolves.toBeGreaterThan(0);
});

async function collections(rows: ReturnType<typeof goRuntimeMethods>): Promise<number> {
  const { NumGC, Pause } = (await askRow(rows, "debug_gcStats")) as { NumGC: number; Pause: number[] };
  expect(Pause).toHaveLength(Math.min(NumGC, 256));
  return NumGC;
}
