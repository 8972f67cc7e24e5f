/** `npm run network` on a terminal: Ctrl-C reaches the whole group of its processes. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { expect, test } from "@jest/globals";
import { agree } from "../../scripts/network/heads.ts";
import { until } from "../support/rpc-client.ts";

test("ended by Ctrl-C it tells the heads of nodes that still run, then ends them", async () => {
  const script = spawn(
    process.execPath,
    ["scripts/network.ts", "--core", "1", "--proxy", "0", "--endpoint", "1"],
    {
      stdio: ["ignore", "pipe", "inherit"],
      detached: true,
    },
  );
  let output = "";
  script.stdout.setEncoding("utf8").on("data", (text: string) => void (output += text));
  const group = -(script.pid ?? Number.NaN);
  const closed = once(script, "close") as Promise<[number | null, NodeJS.Signals | null]>;
  try {
    await until(async () => (/http:\S+\n[^]*http:\S+\n/.test(output) ? true : undefined));
    process.kill(group, "SIGINT"); // the terminal sends it to the group
    expect(await closed).toEqual([0, null]);
  } finally {
    const runs = script.exitCode === null && script.signalCode === null;
    if (runs) process.kill(group, "SIGKILL"); // it would keep the test run alive
  }
  expect(output).not.toContain("does not answer");
  expect(output.match(/ peers$/gm)).toHaveLength(2);
  expect(output).toMatch(/all agree\n$/);
}, 120_000);

test("nodes that do not answer do not agree", async () => {
  expect(await agree([])).toBe(false);
});
