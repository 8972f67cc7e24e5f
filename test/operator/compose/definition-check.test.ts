/** The definitions in the cluster against those of this version: older ones are reported, newer ones are not. */
import { afterEach, beforeEach, expect, jest, test } from "@jest/globals";
import { definitions } from "../../../operator/api/definition.ts";
import { missingFields, openDefinitionCheck } from "../../../operator/compose/definition-check.ts";
import { applyDefinitions } from "../../../operator/compose/upgrade-definitions.ts";
import { silentLog } from "../../../operator/observe/log.ts";

beforeEach(() => {
  jest.useFakeTimers();
});
afterEach(() => {
  jest.useRealTimers();
});

interface Schema {
  properties?: Record<string, Schema>;
  items?: Schema;
}

/** The document of an API server that has these definitions; `change` edits the spec of a Node. */
function documentWith(change: (spec: Record<string, Schema>) => void = () => undefined) {
  const schemas = definitions.map(({ spec }) => {
    const schema = structuredClone(spec.versions[0]?.schema.openAPIV3Schema) as Schema;
    if (spec.names.kind === "Node") change(schema.properties?.["spec"]?.properties ?? {});
    return [
      `dev.knit.${spec.names.kind}`,
      { ...schema, "x-kubernetes-group-version-kind": [{ kind: spec.names.kind }] },
    ];
  });
  return { components: { schemas: Object.fromEntries(schemas) } };
}

test("the same and newer definitions lack nothing", () => {
  expect(missingFields(documentWith())).toEqual([]);
  expect(missingFields(documentWith((spec) => (spec["further"] = {})))).toEqual([]);
});

test("older definitions are named by the outermost field that they lack, items of lists included", () => {
  const older = documentWith((spec) => {
    delete spec["podTemplate"];
    delete spec["networkPolicy"]?.properties?.["metricsClients"];
    delete spec["scheduling"]?.properties?.["tolerations"]?.items?.properties?.["effect"];
  });
  expect(missingFields(older)).toEqual([
    "Node.spec.podTemplate",
    "Node.spec.scheduling.tolerations[].effect",
    "Node.spec.networkPolicy.metricsClients",
  ]);
  expect(missingFields({})).toEqual(["Node.spec", "Node.status", "Network.spec", "Network.status"]);
});

test("the check repeats, so that an upgrade of the definitions is seen, and keeps its figure while nobody answers", async () => {
  let answer: () => unknown = () => documentWith((spec) => delete spec["podTemplate"]);
  const client = { openApi: async () => answer() };
  await using check = await openDefinitionCheck({ client, intervalMs: 1_000, log: silentLog });
  expect(check.missing()).toBe(1);
  answer = () => {
    throw new Error("away");
  };
  await jest.advanceTimersByTimeAsync(1_000);
  expect(check.missing()).toBe(1);
  answer = documentWith;
  await jest.advanceTimersByTimeAsync(1_000);
  expect(check.missing()).toBe(0);
});

test("an upgrade applies both definitions", async () => {
  const applied: string[] = [];
  const applyDefinition = async ({ metadata }: { metadata: { name: string } }) => applied.push(metadata.name);
  await applyDefinitions({ applyDefinition }, silentLog);
  expect(applied).toEqual(["nodes.knit.dev", "networks.knit.dev"]);
});
