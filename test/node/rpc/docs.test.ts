import { readFileSync } from "node:fs";
import { expect, test } from "@jest/globals";
import { RPC_DOCS, rpcDocs } from "../../../scripts/rpc-docs.ts";

test("the page about JSON-RPC says what the registry holds; node scripts/rpc-docs.ts writes it anew", () => {
  expect(readFileSync(RPC_DOCS, "utf8")).toBe(rpcDocs());
});
