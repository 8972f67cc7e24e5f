/** The page on Argo CD and Flux: its scripts name conditions that exist, and judge Nodes and Networks by Lua, where there is one. */
import { execFileSync, spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { describe, expect, test } from "@jest/globals";
import { parseAllDocuments } from "yaml";
import { conditionTypes, networkConditionTypes, phases } from "../../../operator/api/names.ts";
import { networkReasons } from "../../../operator/api/reasons.ts";

const page = readFileSync("docs/operator/gitops.md", "utf8");
const blocks = [...page.matchAll(/^```yaml\n(.*?)^```/gms)].map(([, text = ""]) => text);
const manifests = blocks.flatMap((text) => parseAllDocuments(text).map((each) => each.toJS() as Manifest));

interface Manifest {
  readonly kind: string;
  readonly data?: Readonly<Record<string, string>>;
  readonly spec?: { readonly healthCheckExprs?: readonly Readonly<Record<string, string>>[] };
}

const scriptOf = (kind: string): string =>
  manifests.find((each) => each.kind === "ConfigMap")?.data?.[
    `resource.customizations.health.knit.dev_${kind}`
  ] ?? "";

test("the scripts and the expressions name conditions, reasons and phases that exist", () => {
  const ofNode = [...scriptOf("Node").matchAll(/(?:is|say)\("(?:Suspended", "|)(\w+)"/g)];
  const known = [...Object.keys(conditionTypes), "Healthy", "Progressing", "Suspended"];
  expect(ofNode.length).toBeGreaterThan(5);
  expect(ofNode.map(([, name]) => name).filter((name) => !known.includes(name ?? ""))).toEqual([]);
  expect(Object.keys(phases)).toContain(/phase == "(\w+)"/.exec(scriptOf("Node"))?.[1]);
  const reasons = [...scriptOf("Network").matchAll(/(\w+) = true/g)].map(([, reason]) => reason ?? "");
  expect(reasons.length).toBeGreaterThan(2);
  expect(reasons.filter((reason) => !(reason in networkReasons.Ready))).toEqual([]);
  expect(networkConditionTypes).toHaveProperty("Ready");
  const [flux] = manifests.flatMap((each) => each.spec?.healthCheckExprs ?? []);
  const types = [...JSON.stringify(flux).matchAll(/each\.type == '(\w+)'/g)].map(([, name]) => name);
  expect(types).toEqual(["Ready", "Degraded"]);
});

/** A value as a Lua literal. */
function luaText(value: unknown): string {
  if (Array.isArray(value)) return `{${value.map(luaText).join(",")}}`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  return `{${Object.entries(value)
    .map(([name, each]) => `[${JSON.stringify(name)}]=${luaText(each)}`)
    .join(",")}}`;
}

const lua = ["lua5.1", "lua5.4", "lua"].find((name) => spawnSync(name, ["-v"]).status === 0);
if (lua === undefined) process.stderr.write("the scripts of Argo CD are not run: lua is not installed\n");

function healthOf(kind: string, object: object): string {
  const script = `obj = ${luaText(object)}\nlocal health = (function()\n${scriptOf(kind)}\nend)()\nio.write(health.status, " ", health.message)`;
  return execFileSync(lua ?? "", ["-e", script], { encoding: "utf8" });
}

const condition = (type: string, status: string, reason = "Any") => ({
  type,
  status,
  reason,
  message: `says ${type}`,
});

const node = (conditions: readonly object[], more: object = {}, generation = 2) => ({
  metadata: { generation },
  status: { observedGeneration: 2, conditions, ...more },
});

(lua === undefined ? describe.skip : describe)("run by Lua", () => {
  test.each<[string, object]>([
    ["Progressing the operator has not applied the spec yet", { metadata: { generation: 1 } }],
    ["Progressing the operator has not applied the spec yet", node([condition("Ready", "True")], {}, 3)],
    ["Suspended says Paused", node([condition("Paused", "True")], {}, 3)],
    ["Suspended says Ready", node([condition("Ready", "False")], { phase: "Suspended" })],
    ["Degraded says Degraded", node([condition("Ready", "True"), condition("Degraded", "True")])],
    ["Progressing says Progressing", node([condition("Ready", "True"), condition("Progressing", "True")])],
    ["Healthy says Ready", node([condition("Ready", "True"), condition("Degraded", "False")])],
    ["Progressing says Ready", node([condition("Ready", "False")])],
  ])("a Node is %s", (health, object) => expect(healthOf("Node", object)).toBe(health));

  test.each<[string, object]>([
    ["Progressing the operator has not reported yet", { metadata: {} }],
    ["Healthy says Ready", { status: { conditions: [condition("Ready", "True")] } }],
    ["Degraded says Ready", { status: { conditions: [condition("Ready", "False", "ChainStalled")] } }],
    ["Progressing says Ready", { status: { conditions: [condition("Ready", "False", "NodesNotReady")] } }],
  ])("a Network is %s", (health, object) => expect(healthOf("Network", object)).toBe(health));
});
