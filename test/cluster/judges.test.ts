/** Alerts as promtool judges and fires them, workflows as actionlint reads them, and the bundle as operator-verify judges it. */
import { spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "@jest/globals";
import { dashboards } from "../../scripts/dashboards.ts";
import { toolPath } from "./support/tools.ts";

function run(command: string, ...args: string[]) {
  const { status, stdout, stderr } = spawnSync(command, args, { encoding: "utf8" });
  return { status, text: `${stdout}${stderr}` };
}

const promtool = toolPath("promtool");
const actionlint = toolPath("actionlint");
const verify = toolPath("operator-verify");
const whenBuilt = (path: string) => (path === "" ? describe.skip : describe);
const note = (path: string, tool: string) =>
  path === "" ? ` (skipped: test/cluster/tools.sh build ${tool})` : "";

whenBuilt(promtool)(`promtool${note(promtool, "promtool")}`, () => {
  test("finds nothing wrong with the alerts", () => {
    expect(run(promtool, "check", "rules", "charts/knit-operator/files/alerts.yaml")).toMatchObject({
      status: 0,
    });
  });

  test("fires each alert on its own fault, and none in a healthy network", () => {
    expect(run(promtool, "test", "rules", "test/alerts/alerts.yaml")).toEqual({
      status: 0,
      text: expect.stringContaining("SUCCESS"),
    });
  });

  test("reads every query of the dashboards", () => {
    const directory = mkdtempSync(join(tmpdir(), "knit-panels-"));
    const exprs = dashboards.flatMap(({ panels }) =>
      panels.flatMap(({ queries }) => queries.map(([expr]) => expr)),
    );
    const rules = exprs.map((expr, index) => ({ record: `panel:query:${index}`, expr }));
    const file = join(directory, "panels.json");
    writeFileSync(file, JSON.stringify({ groups: [{ name: "panels", rules }] }));
    const { status, text } = run(promtool, "check", "rules", file);
    rmSync(directory, { recursive: true });
    expect([status, text]).toEqual([0, expect.stringContaining("SUCCESS")]);
  });
});

whenBuilt(actionlint)(`actionlint${note(actionlint, "actionlint")}`, () => {
  test("finds nothing wrong with the workflows", () => {
    const files = readdirSync(".github/workflows").map((name) => `.github/workflows/${name}`);
    expect(files.length).toBeGreaterThan(1);
    expect(run(actionlint, "-no-color", "-shellcheck=", "-pyflakes=", ...files)).toEqual({
      status: 0,
      text: "",
    });
  });
});

/** Lines of the verdict on the bundle in a directory: errors and warnings. operator-verify ends with 0 in any case. */
const verdictOn = (directory: string, flag = "--object_validate"): readonly string[] =>
  run(verify, "manifests", flag, directory)
    .text.split("\n")
    .filter((line) => /level=(error|warning|fatal)/.test(line));

whenBuilt(verify)(`operator-verify${note(verify, "operator-verify")}`, () => {
  test("finds nothing wrong with the bundle", () => {
    expect(verdictOn("bundle")).toEqual([]);
  });

  test("finds nothing that operatorhub.io would refuse", () => {
    const lines = verdictOn("bundle", "--operatorhub_validate");
    expect(lines.filter((line) => !line.includes("level=warning"))).toEqual([]);
  });

  test("finds a definition that the bundle lacks", () => {
    const directory = mkdtempSync(join(tmpdir(), "knit-bundle-"));
    cpSync("bundle", directory, { recursive: true });
    const file = join(directory, "manifests/knit-operator.clusterserviceversion.yaml");
    writeFileSync(file, readFileSync(file, "utf8").replace("kind: Node\n", "kind: Other\n"));
    const lines = verdictOn(directory);
    rmSync(directory, { recursive: true });
    expect(lines.join("\n")).toContain("level=error");
  });
});
