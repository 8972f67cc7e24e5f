/** Tests of the views of the registry. */
import { expect, test } from "@jest/globals";
import { rpcProfiles } from "../../../node/compat/profiles.ts";
import { text } from "../../../node/jsonrpc/codecs/plain.ts";
import { method } from "../../../node/jsonrpc/method.ts";
import { createRegistry } from "../../../node/jsonrpc/registry.ts";

const rows = ["chain_getLogs", "eth_getLogs", "chain_chainID"].map((name) =>
  method({ name, summary: "", params: {}, result: text, handle: () => "answer" }),
);

function aRegistry() {
  const registry = createRegistry(rpcProfiles.service.options.interfaces);
  registry.add(rows);
  registry.seal();
  return registry;
}

/** The names of three methods that are served although some are withheld. */
function namesWithout(withheld: readonly string[]): string[] {
  const view = aRegistry().view(["chain", "eth"], { withheld });
  const names = ["chain_getLogs", "klay_getLogs", "kaia_getLogs", "eth_getLogs", "chain_chainID"];
  return names.filter((name) => view.find(name) !== undefined);
}

test("a withheld method is served under none of the names of its module, and those of others stay", () => {
  expect(namesWithout([])).toEqual([
    "chain_getLogs",
    "klay_getLogs",
    "kaia_getLogs",
    "eth_getLogs",
    "chain_chainID",
  ]);
  expect(namesWithout(["klay_getLogs"])).toEqual(["eth_getLogs", "chain_chainID"]);
  expect(namesWithout(["eth_getLogs"])).not.toContain("eth_getLogs");
});

test.each(["eth_getLog", "getLogs", "foo_bar", ""])("there is no method %j to withhold", (name) => {
  expect(() => aRegistry().view(["eth"], { withheld: [name] })).toThrow(`no method ${name} to withhold`);
});
