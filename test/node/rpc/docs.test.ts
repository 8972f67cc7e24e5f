/** Tests of docs/rpc.md and docs/openrpc.json: generated from the registry. */
import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "@jest/globals";
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
  expect(methods.flatMap(({ name, result }) => (hasType(result) ? [] : [name]))).toEqual([
    "debug_traceCall",
    "debug_traceTransaction",
  ]); // whose tracer decides
  for (const { params: list } of methods) {
    const firstOptional = list.findIndex(({ required }) => !required);
    if (firstOptional >= 0) expect(list.slice(firstOptional).every(({ required }) => !required)).toBe(true);
  }
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

function hasType({ schema }: { readonly schema: object }): boolean {
  return ["$ref", "type", "oneOf"].some((key) => key in schema);
}

function documentOf(modules: readonly string[]): {
  readonly methods: readonly { readonly name: string; readonly "x-aliases"?: string[] }[];
} {
  return JSON.parse(documented.view(modules).document()) as ReturnType<typeof documentOf>; // what the view writes
}
