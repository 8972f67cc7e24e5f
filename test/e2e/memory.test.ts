/** A node's limit of memory, from its flag to the engine's heap, a live scrape, and the priorities of its threads. */
import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { availableParallelism, getPriority } from "node:os";
import { expect, test } from "@jest/globals";
import { runKnit, startKnit } from "../support/knit-process.ts";
import { lintMetrics } from "../support/metric-lint.ts";
import { until } from "../support/until.ts";

/** Path of Prometheus' own judge; without it ours, which has the same rules, is the only one. */
const PROMTOOL = process.env["KNIT_PROMTOOL"];
/** A chain of somebody who develops may have the usual ones. */
const FREE_PORTS = ["--rpcport", "0", "--wsport", "0", "--prometheusport", "0"];

/** The names that it complains of, sorted. */
function promtoolMinds(text: string): string[] {
  const { status, stderr } = spawnSync(PROMTOOL ?? "", ["check", "metrics"], {
    input: text,
    encoding: "utf8",
  });
  const names = stderr.split("\n").flatMap((line) => line.split(" ")[0] || []);
  expect(status).toBe(names.length === 0 ? 0 : 3);
  return names.toSorted();
}

test("a limit that is too low ends the program with what would do", async () => {
  const { code, output } = await runKnit("dev", "--max-memory", "100MiB");
  expect([code, output]).toEqual([1, "knit: --max-memory 100MiB is too little: a node needs 367MiB\n"]);
});

test("the heap has its share of the limit, in the process that was started; its metrics keep Prometheus' rules", async () => {
  const knit = startKnit("dev", "--max-memory", "400MiB", ...FREE_PORTS);
  const [, metrics = ""] = await knit.waitFor(/Metrics +(http:\S+)\n/);
  const text = await (await fetch(metrics)).text();
  expect(text).toMatch(/^knit_memory_limit_bytes 419430400$/m);
  const own = await (await fetch(`${metrics}/own`)).text();
  expect(lintMetrics(own)).toEqual([]);
  const complaints = lintMetrics(text);
  for (const complaint of complaints) expect(complaint).toMatch(/^klaytn_\w+: no snake_case$/);
  if (PROMTOOL !== undefined) {
    expect(promtoolMinds(own)).toEqual([]);
    expect(promtoolMinds(text)).toEqual(complaints.map((each) => each.replace(/:.*/, "")).toSorted());
  }
  if (process.platform === "linux") {
    expect(readFileSync(`/proc/${knit.child.pid}/cmdline`, "utf8")).toContain("--max-old-space-size=109");
  }
  expect(await knit.stop()).toBe(0);
}, 60_000);

const onCores = process.platform === "linux" && availableParallelism() > 1 ? test : test.skip; // as `thread-priority.ts`

onCores(
  "threads that collect garbage step back behind the one that makes blocks",
  async () => {
    const knit = startKnit("dev", ...FREE_PORTS);
    await knit.waitFor(/HTTP +http/);
    const main = knit.child.pid ?? 0;
    const threads = `/proc/${main}/task`;
    const collectors = readdirSync(threads).filter((thread) =>
      readFileSync(`${threads}/${thread}/comm`, "utf8").startsWith("V8Worker"),
    );
    const lowest = (): number => Math.min(...collectors.map((thread) => getPriority(Number(thread))));
    await until(() => lowest() > getPriority(main));
    expect(await knit.stop()).toBe(0);
  },
  30_000,
);
