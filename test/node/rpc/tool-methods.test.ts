/**
 * The methods of the tools for contracts, by name (`crates/anvil/core/src/eth/mod.rs` of Foundry and
 * `crates/edr_provider/src/requests/methods.rs` of EDR, August 2026): each is served, or the page says why not.
 */
import { readFileSync } from "node:fs";
import { expect, test } from "@jest/globals";
import { documented } from "../../../scripts/rpc-docs.ts";

const TOOLS = JSON.parse(readFileSync("test/vectors/tool-methods.json", "utf8")) as Readonly<
  Record<string, readonly string[]>
>;
const PAGE = readFileSync("docs/development-chain.md", "utf8");
const served = new Set([
  ...documented.methods.flatMap(({ name, aliases }) => [name, ...aliases]),
  ...documented.subscriptions.flatMap(({ module }) => [`${module}_subscribe`, `${module}_unsubscribe`]),
]);
/** A row of the page says it of several names at once. */
const BY_FAMILY = /^eth_getBlockAccessList/;

test.each(Object.entries(TOOLS))(
  "every method of %s is served or has its reason in the page",
  (_tool, names) => {
    expect(names.length).toBeGreaterThan(60);
    expect(
      names.filter((name) => !served.has(name) && !BY_FAMILY.test(name) && !PAGE.includes(`\`${name}\``)),
    ).toEqual([]);
  },
);

test("the page names no method of a development chain that is not served", () => {
  const named = [...PAGE.matchAll(/`((?:anvil|evm|hardhat|tenderly|dev)_\w+)`/g)].map(
    ([, name = ""]) => name,
  );
  const absent = new Set(named.filter((name) => !served.has(name)));
  expect([...absent].sort()).toEqual([
    "anvil_classifyTransaction",
    "anvil_dealTIP20",
    "anvil_setFeeAmmLiquidity",
    "anvil_setFeeToken",
    "anvil_setValidatorFeeToken",
    "hardhat_addCompilationResult",
    "hardhat_getStackTraceFailuresCount",
  ]);
});
