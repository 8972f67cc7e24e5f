/** Tests of docs/rpc.md and docs/openrpc.json: generated from the registry. */
import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "@jest/globals";
import { openRpcDocument } from "../../../node/jsonrpc/open-rpc.ts";
import { SUBSCRIPTION_METHODS } from "../../../node/jsonrpc/subscription.ts";
import { unsupported } from "../../../node/rpc/unsupported.ts";
import { documented, OPEN_RPC, openRpc, RPC_DOCS, rpcDocs } from "../../../scripts/rpc-docs.ts";

test("docs/rpc.md is that of the registry; node scripts/rpc-docs.ts generates it", () => {
  expect(readFileSync(RPC_DOCS, "utf8")).toBe(rpcDocs());
});

test("no method in the list of unsupported ones exists", () => {
  const names = documented.methods.flatMap(({ name, aliases }) => [name, ...aliases]);
  expect(unsupported.flatMap((row) => row.names).filter((name) => names.includes(name))).toEqual([]);
});

test("every method name and alias is a literal in the sources", () => {
  const files = ["node/rpc", "node/jsonrpc"].flatMap((room) =>
    readdirSync(room).flatMap((name) => (name.endsWith(".ts") ? [`${room}/${name}`] : [])),
  );
  const sources = files.map((path) => readFileSync(path, "utf8")).join("\n");
  const methods = documented.methods.flatMap(({ name, aliases }) => [name, ...aliases]);
  const names = [...methods, ...Object.values(SUBSCRIPTION_METHODS).flat()];
  expect(names.length).toBeGreaterThan(200);
  expect(names.filter((name) => !sources.includes(`"${name}"`))).toEqual([]);
});

test("docs/openrpc.json is that of the registry, with a schema for every parameter and result", () => {
  const text = openRpc();
  expect(readFileSync(OPEN_RPC, "utf8")).toBe(text);
  const { methods, components } = JSON.parse(text) as {
    methods: {
      name: string;
      params: { name: string; required: boolean; schema: object }[];
      result: { schema: object };
    }[];
    components: { schemas: Record<string, unknown> };
  };
  const names = methods.map(({ name }) => name);
  expect(new Set(names).size).toBe(names.length);
  expect(names).toEqual(
    expect.arrayContaining(["admin_startHTTP", "chain_getBalance", "chain_subscribe", "rpc_discover"]),
  );
  for (const [, named = ""] of text.matchAll(/"#\/components\/schemas\/([^"]*)"/g)) {
    expect(Object.keys(components.schemas)).toContain(named);
  }
  const { params = [] } = methods.find(({ name }) => name === "chain_getBalance") ?? {};
  expect(params).toEqual([
    { name: "address", required: true, schema: { $ref: "#/components/schemas/address" } },
    { name: expect.any(String), required: true, schema: { $ref: "#/components/schemas/block" } },
  ]);
  for (const { params: list } of methods) {
    const firstOptional = list.findIndex(({ required }) => !required);
    if (firstOptional >= 0) expect(list.slice(firstOptional).every(({ required }) => !required)).toBe(true);
  }
});

/** Results and named schemas with parts that others decide. */
const OPEN_PARTS: Readonly<Record<string, string>> = {
  admin_nodeConfig: "the structure of the Go node's own settings changes with its versions",
  rpc_discover: "OpenRPC publishes the schema of its documents itself",
  anchoredData: "the data of another chain, which nobody checks",
  trace: "a tracer that a caller writes returns anything",
};

/** Parameters with parts that the caller decides. */
const OPEN_PARAMETERS: Readonly<Record<string, string>> = {
  "eth_signTypedData_v4.typedData": "the types in the parameter say the members of the message",
};

test("every parameter has a schema with members, down to scalars, but for what the caller decides", () => {
  const { methods } = JSON.parse(readFileSync(OPEN_RPC, "utf8")) as {
    methods: { name: string; params: { name: string; schema: JsonSchema }[] }[];
  };
  const parts = methods.flatMap(({ name, params }) =>
    params.map((each) => [`${name}.${each.name}`, each.schema] as const),
  );
  expect(parts.length).toBeGreaterThan(300);
  expect(parts.flatMap(([name, schema]) => looseParts(schema, name))).toEqual([]);
  const open = parts.filter(([, schema]) => JSON.stringify(schema).includes('schemas/anyValue"'));
  expect(open.map(([name]) => name)).toEqual(Object.keys(OPEN_PARAMETERS));
});

test("every result has a schema with members, down to scalars, but for what others decide", () => {
  const document = openRpcDocument({ methods: documented.methods, subscriptions: [] });
  const { methods, components } = JSON.parse(JSON.stringify(document)) as {
    methods: { name: string; result: { schema: JsonSchema } }[];
    components: { schemas: Record<string, JsonSchema> };
  };
  const { anyValue, ...named } = components.schemas;
  expect(anyValue).toEqual({ description: expect.any(String) });
  const parts = [
    ...methods.map(({ name, result }) => [name, result.schema] as const),
    ...Object.entries(named),
  ];
  expect(parts.length).toBeGreaterThan(400);
  expect(parts.flatMap(([name, schema]) => looseParts(schema, name))).toEqual([]);
  const open = parts.filter(([, schema]) => JSON.stringify(schema).includes('schemas/anyValue"'));
  expect(open.map(([name]) => name).sort()).toEqual(Object.keys(OPEN_PARTS).sort());
});

test.each<[string, JsonSchema, string[]]>([
  ["nothing", {}, ["x"]],
  ["an object without members", { type: "object" }, ["x"]],
  ["an object whose members are open", { type: "object", additionalProperties: true }, ["x"]],
  ["a list of anything", { type: "array", items: {} }, ["x[]"]],
  ["a list without items", { type: "array" }, ["x"]],
  ["a choice of anything", { oneOf: [{ type: "null" }, {}] }, ["x"]],
  ["a member of anything", { type: "object", properties: { a: {} } }, ["x.a"]],
  ["a map of objects", { type: "object", additionalProperties: { type: "object" } }, ["x.*"]],
  ["a list of numbers", { type: "array", items: { type: ["integer", "null"] } }, []],
  ["a tuple with anything", { type: "array", items: [{ type: "string" }, {}] }, ["x[1]"]],
  ["a reference, a choice and a constant", { anyOf: [{ $ref: "a" }, { enum: [1] }, { const: 2 }] }, []],
])("the part of a schema that says too little is found: %s", (_what, schema, expected) => {
  expect(looseParts(schema, "x")).toEqual(expected);
});

test("the document of an interface tells of what it serves, under the names it serves", () => {
  const eth = documentOf(["eth"]).methods;
  expect(new Set(eth.map(({ name }) => name.split("_")[0]))).toEqual(new Set(["eth", "rpc"]));
  expect(eth.flatMap((row) => row["x-aliases"] ?? [])).not.toContainEqual(expect.stringMatching(/^chain_/));
  expect(eth.map(({ name }) => name)).toEqual(expect.arrayContaining(["eth_getBalance", "eth_subscribe"]));
  const net = documentOf(["net"]).methods.map(({ name }) => name);
  expect(net).toEqual(expect.arrayContaining(["net_version", "rpc_modules"]));
  expect(net.some((name) => name.startsWith("admin_"))).toBe(false);
});

interface JsonSchema {
  readonly $ref?: string;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly oneOf?: readonly JsonSchema[];
  readonly anyOf?: readonly JsonSchema[];
  readonly type?: string | readonly string[];
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly additionalProperties?: boolean | JsonSchema;
  readonly items?: JsonSchema | readonly JsonSchema[];
}

/** Returns the places of a schema that accept values of which it says nothing. */
function looseParts(schema: JsonSchema, at: string): string[] {
  const { type, items } = schema;
  if (schema.$ref !== undefined || schema.enum !== undefined || schema.const !== undefined) return [];
  const choices = schema.oneOf ?? schema.anyOf;
  if (choices !== undefined) return choices.flatMap((each) => looseParts(each, at));
  if (type === "array") return looseItems(items, at);
  if (type === "object") return looseMembers(schema, at);
  return type === undefined || type.includes("object") ? [at] : [];
}

function looseItems(items: JsonSchema["items"], at: string): string[] {
  if (items === undefined) return [at];
  if (!Array.isArray(items)) return looseParts(items as JsonSchema, `${at}[]`);
  return items.flatMap((each: JsonSchema, index) => looseParts(each, `${at}[${index}]`));
}

function looseMembers({ properties, additionalProperties: others }: JsonSchema, at: string): string[] {
  const members = Object.entries(properties ?? {});
  const all: [string, JsonSchema][] = typeof others === "object" ? [...members, ["*", others]] : members;
  if (properties === undefined && typeof others !== "object") return [at];
  return all.flatMap(([key, each]) => looseParts(each, `${at}.${key}`));
}

function documentOf(modules: readonly string[]): {
  readonly methods: readonly { readonly name: string; readonly "x-aliases"?: string[] }[];
} {
  return JSON.parse(documented.view(modules).document()) as ReturnType<typeof documentOf>; // what the view writes
}
