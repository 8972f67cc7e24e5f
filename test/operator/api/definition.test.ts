/** The definition of Node: in step with its copies, and the same judge here as in the API server. */
import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, test } from "@jest/globals";
import { parse, parseAllDocuments } from "yaml";
import { conform } from "../../../operator/api/conform.ts";
import { definitionFiles, definitions } from "../../../operator/api/definition.ts";
import { networkSpec } from "../../../operator/api/network-spec.ts";
import { networkStatus } from "../../../operator/api/network-status.ts";
import { nodeSpec } from "../../../operator/api/node-spec.ts";
import { nodeStatus } from "../../../operator/api/node-status.ts";
import { readNode } from "../../../operator/api/resource.ts";
import type { JsonSchema } from "../../../operator/api/schema.ts";
import { resourceDocs } from "../../../scripts/resource-docs.ts";

const SMALLEST = { type: "endpoint", network: { name: "demo" } };

test.each([
  ...definitionFiles().flatMap(([name, text]) => [
    [`crds/${name}`, text],
    [`charts/knit-operator/crds/${name}`, text],
    [`bundle/manifests/${name}`, text],
  ]),
  ["docs/node-resource.md", resourceDocs()],
])("%s is what npm run generate writes", (file, text) => {
  expect(readFileSync(file, "utf8")).toBe(text);
});

test.each(definitionFiles())("%s is far below what the API server takes", (_name, text) => {
  expect(Buffer.byteLength(text)).toBeLessThan(256 * 1024);
});

test("no page asks kubectl for a Node by a name that Kubernetes has for its machines", () => {
  const pages = ["docs", "examples", "charts", "operator"]
    .flatMap((room) =>
      readdirSync(room, { recursive: true, encoding: "utf8" }).map((file) => `${room}/${file}`),
    )
    .filter((file) => /\.(md|yaml|txt|ts)$/.test(file));
  expect(pages.length).toBeGreaterThan(100);
  const offences = pages.filter((file) =>
    /kubectl( -n \S+)? (get|describe|edit|patch|delete|annotate|wait)( -\S+)* nodes?[\s/`]/.test(
      readFileSync(file, "utf8"),
    ),
  );
  expect(offences).toEqual([]);
});

test("every pattern in a spec is said in words", () => {
  const bare: string[] = [];
  const visit = (schema: JsonSchema, path: string): void => {
    if (schema.pattern !== undefined && schema.says === undefined) bare.push(path);
    for (const [name, member] of Object.entries(schema.properties ?? {})) visit(member, `${path}.${name}`);
    for (const inner of [schema.items, schema.additionalProperties]) if (inner) visit(inner, `${path}[]`);
  };
  visit(nodeSpec.schema, "Node");
  visit(networkSpec.schema, "Network");
  expect(bare).toEqual([]);
});

test("every field says what it is, and every text, list and map has a limit", () => {
  const offences: string[] = [];
  const visit = (schema: JsonSchema, path: string, described: boolean): void => {
    if ((described && !schema.description) || !isBounded(schema)) offences.push(path);
    const members = Object.entries(schema.properties ?? {});
    for (const [name, member] of members) visit(member, `${path}.${name}`, true);
    for (const inner of [schema.items, schema.additionalProperties].filter((each) => each !== undefined)) {
      visit(inner, `${path}[]`, false);
    }
  };
  visit(nodeSpec.schema, "spec", true);
  visit(nodeStatus.schema, "status", true);
  visit(networkSpec.schema, "network spec", true);
  visit(networkStatus.schema, "network status", true);
  expect(offences).toEqual([]);
});

function isBounded(schema: JsonSchema): boolean {
  if (schema.type === "string" || schema.type === "int-or-string")
    return schema.maxLength !== undefined || schema.enum !== undefined;
  if (schema.type === "array") return schema.maxItems !== undefined;
  return schema.additionalProperties === undefined || schema.maxProperties !== undefined;
}

test.each(definitions)("the columns of $metadata.name read fields that there are", ({ spec }) => {
  const { additionalPrinterColumns: columns = [], schema } = spec.versions[0] ?? {};
  const known = JSON.stringify(schema);
  for (const { jsonPath } of columns) {
    const [, last = ""] = /\.(\w+)$/.exec(jsonPath) ?? [];
    expect([last, last === "creationTimestamp" || known.includes(`"${last}"`)]).toEqual([last, true]);
  }
});

test("the example kairos fits", () => {
  const [network, node] = parseAllDocuments(readFileSync("examples/kairos.yaml", "utf8")).map(
    (document) => document.toJS() as { spec: object },
  );
  expect(conform(networkSpec, network?.spec, "spec").genesis.public).toBe("kairos");
  expect(conform(nodeSpec, node?.spec, "spec")).toMatchObject({
    type: "endpoint",
    network: { name: "kairos" },
  });
});

test.each(["network", "network-full"])("the example %s fits, and names validators that it has", (name) => {
  const objects = parseAllDocuments(readFileSync(`examples/${name}.yaml`, "utf8")).map(
    (document) => document.toJS() as { kind: string; metadata: { name: string }; spec: object },
  );
  const [network, ...nodes] = objects;
  expect(network?.kind).toBe("Network");
  const { genesis } = conform(networkSpec, network?.spec, "spec");
  const core = nodes
    .filter(({ spec }) => conform(nodeSpec, spec, "spec").type === "core")
    .map(({ metadata }) => metadata.name);
  expect(genesis.create?.validators).toEqual(core);
  expect(
    nodes.every(({ spec }) => conform(nodeSpec, spec, "spec").network.name === network?.metadata.name),
  ).toBe(true);
});

test("the example of one resource has eight nodes in thirty lines", () => {
  const text = readFileSync("examples/network-nodes.yaml", "utf8");
  const lines = text.split("\n").filter((line) => line !== "" && !line.startsWith("#"));
  expect(lines.length).toBeLessThanOrEqual(30);
  const document = parse(text) as { spec: object };
  const { nodes = [], genesis } = conform(networkSpec, document.spec, "spec");
  expect(nodes.reduce((sum, { replicas = 1 }) => sum + replicas, 0)).toBe(8);
  const core = nodes.filter(({ type }) => type === "core").map(({ name }) => name);
  expect(genesis.create?.validators).toEqual(core);
});

describe("a spec that is read", () => {
  test("has all defaults filled in", () => {
    expect(conform(nodeSpec, SMALLEST, "spec")).toMatchObject({
      api: { http: { enabled: true, port: 8551 }, ws: { enabled: false }, privileged: false, hosts: [] },
      p2p: { port: 32_323, maxPeers: 50 },
      peers: { urls: [] },
      storage: { size: "10Gi" },
      resources: { requests: {}, limits: {} },
      settings: {},
      whenDeleted: "Retain",
    });
  });

  test("has amounts and settings as text, also when they are numbers", () => {
    const spec = { ...SMALLEST, resources: { limits: { cpu: 2 } }, settings: { verbosity: 5 } };
    expect(conform(nodeSpec, spec, "spec")).toMatchObject({
      resources: { limits: { cpu: "2" } },
      settings: { verbosity: "5" },
    });
  });

  test("loses members that nobody knows", () => {
    expect(conform(nodeSpec, { ...SMALLEST, colour: "red" }, "spec")).not.toHaveProperty("colour");
  });

  test.each([
    [{ ...SMALLEST, type: "king" }, "spec.type must be one of core, proxy, endpoint"],
    [{ type: "core" }, "spec.network is missing"],
    [{ ...SMALLEST, network: [] }, "spec.network must be an object"],
    [{ ...SMALLEST, network: { name: "x".repeat(41) } }, "spec.network.name must be of 0 to 40 characters"],
    [{ ...SMALLEST, p2p: { port: 80 } }, "spec.p2p.port must be an integer from 1024 to 65535"],
    [{ ...SMALLEST, p2p: { port: 2000.5 } }, "spec.p2p.port must be an integer"],
    [{ ...SMALLEST, api: { privileged: "yes" } }, "spec.api.privileged must be true or false"],
    [{ ...SMALLEST, peers: { urls: ["http://x"] } }, "spec.peers.urls[0] must be a node URL: kni://"],
    [{ ...SMALLEST, peers: { urls: Array(33).fill("") } }, "spec.peers.urls must have at most 32 items"],
    [{ ...SMALLEST, peers: { urls: "kni" } }, "spec.peers.urls must be a list"],
    [{ ...SMALLEST, settings: { a: 1.5 } }, "spec.settings.a must be a string or an integer"],
    [{ ...SMALLEST, settings: { a: true } }, "spec.settings.a must be a string or an integer"],
    ["text", "spec must be an object"],
  ])("is refused when it does not fit: %j", (spec, message) => {
    expect(() => conform(nodeSpec, spec, "spec")).toThrow(message);
  });
});

const membersOf = (schema: JsonSchema | undefined, name: string) =>
  Object.keys(schema?.properties?.[name]?.properties ?? {});

test("the defaults of a Network have no field that deletes volumes, and its own Nodes have them", () => {
  const { defaults, nodes } = networkSpec.schema.properties ?? {};
  expect(membersOf(defaults, "storage")).toEqual(["size", "storageClassName", "className", "autoGrow"]);
  expect(defaults?.properties).not.toHaveProperty("whenDeleted");
  expect(membersOf(nodes?.items, "storage")).toContain("whenScaled");
});

test("a status that does not fit counts as none, a spec that does not is an error", () => {
  const metadata = { name: "a", namespace: "b", uid: "c", resourceVersion: "1" };
  const broken = { metadata, spec: SMALLEST, status: { height: "high" } };
  expect(readNode(broken).status.height).toBeUndefined();
  expect(readNode({ ...broken, status: { height: 7 } }).status.height).toBe(7);
  expect(() => readNode({ metadata, spec: {} })).toThrow("spec.type is missing");
  expect(() => readNode({ spec: SMALLEST })).toThrow("not a Kubernetes object");
});
