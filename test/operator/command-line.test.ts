/** The program's own texts, and what it refuses. */
import { execFileSync, spawnSync } from "node:child_process";
import { expect, test } from "@jest/globals";

const MAIN = "operator/main.ts";
const NAMES = ["run", "gateway", "release", "graph", "kubectl", "upgrade-crds", "crds", "version"];

test("the help lists all commands, and each has its own", () => {
  const help = execFileSync(process.execPath, [MAIN, "--help"], { encoding: "utf8" });
  expect([...help.matchAll(/^ {2}knit-operator ([\w-]+)/gm)].map(([, name]) => name)).toEqual(NAMES);
  const gateway = execFileSync(process.execPath, [MAIN, "gateway", "--help"], { encoding: "utf8" });
  expect(gateway).toMatch(/^knit-operator gateway: .*\n\n( {4}--.*\n)+$/);
  expect(help).toContain(gateway.split("\n").slice(2).join("\n"));
});

test.each<[readonly string[], string]>([
  [["run", "--node-image=a"], "Fatal: --gateway-image is missing"],
  [["gateway", "--nothing"], "Fatal: Unknown option '--nothing'"],
  [["release"], "Fatal: --namespace is missing"],
])("%j is refused with a sentence", (args, said) => {
  const { status, stderr } = spawnSync(process.execPath, [MAIN, ...args], { encoding: "utf8" });
  expect([status, stderr]).toEqual([64, expect.stringContaining(said)]);
});
