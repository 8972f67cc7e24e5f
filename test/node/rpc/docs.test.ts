import { readFileSync } from "node:fs";
import { expect, test } from "@jest/globals";
import { OPEN_RPC, openRpc, RPC_DOCS, rpcDocs } from "../../../scripts/rpc-docs.ts";

test("the page about JSON-RPC says what the registry holds; node scripts/rpc-docs.ts writes it anew", () => {
  expect(readFileSync(RPC_DOCS, "utf8")).toBe(rpcDocs());
});

test("the OpenRPC document is the registry's, and says of every parameter and result what it looks like", () => {
  const text = openRpc();
  expect(readFileSync(OPEN_RPC, "utf8")).toBe(text);
  const { methods, components } = JSON.parse(text) as {
    methods: {
      name: string;
      params: { name: string; required: boolean; schema: object }[];
      result: object;
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
