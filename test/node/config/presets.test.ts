/** Tests of the presets of public networks. */
import { readFileSync } from "node:fs";
import { describe, expect, test } from "@jest/globals";
import { toHex } from "../../../node/bytes/hex.ts";
import { parseChainConfig } from "../../../node/config/chain-config.ts";
import { exactJsonText, parseExactJson } from "../../../node/config/exact-json.ts";
import { checkForkOrder, forks } from "../../../node/config/forks.ts";
import { kairos, mainnet, publicBootNodes } from "../../../node/config/presets/networks.ts";
import { parseNodeUrl } from "../../../node/p2p/node-url.ts";

/** `config` of `kcn dumpgenesis` and `params/bootnodes.go`, both of Kaia v2.2.2. */
function recording(network: string): { readonly config: unknown; readonly bootNodes: readonly string[] } {
  const text = readFileSync(`test/vectors/presets/${network}.json`, "utf8");
  return parseExactJson(text) as ReturnType<typeof recording>; // a file of this repository
}

describe.each([
  ["mainnet", mainnet],
  ["kairos", kairos],
])("the preset of %s", (name, preset) => {
  test("has every member of the Go node's configuration: fork numbers, contracts, registry, governance", () => {
    expect(parseExactJson(exactJsonText(preset.config))).toEqual(recording(name).config);
    expect(Object.keys(preset.config)).toEqual(Object.keys(Object(recording(name).config)));
  });

  test("names a contract wherever a fork calls one", () => {
    const config = parseChainConfig(parseExactJson(exactJsonText(preset.config)));
    expect([...config.forks.keys()].sort()).toEqual(forks.map(({ configKey }) => configKey).sort());
    checkForkOrder(config);
    expect(toHex(config.kip103ContractAddress)).not.toBe(`0x${"00".repeat(20)}`);
    expect(toHex(config.kip160ContractAddress)).not.toBe(`0x${"00".repeat(20)}`);
    expect(config.randaoRegistry?.records.map((record) => record.name)).toEqual(["KIP113"]);
  });

  test("has the Go node's boot nodes", () => {
    expect(preset.bootNodes).toEqual(recording(name).bootNodes);
  });
});

test.each([mainnet, kairos])("$name: boot nodes have whole URLs of their type", ({ bootNodes }) => {
  expect(bootNodes.length).toBeGreaterThan(0);
  for (const url of bootNodes) {
    expect(parseNodeUrl(url)).toMatchObject({
      type: "bn",
      tcpPort: 32_323,
      host: expect.stringContaining(".kaia.io"),
    });
  }
});

test("a proxy or endpoint of a public network has its boot nodes, a core node and other chains none", () => {
  expect(publicBootNodes(kairos.genesisHash, "endpoint")).toBe(kairos.bootNodes);
  expect(publicBootNodes(mainnet.genesisHash, "proxy")).toBe(mainnet.bootNodes);
  expect(publicBootNodes(mainnet.genesisHash, "core")).toEqual([]);
  expect(publicBootNodes(`0x${"00".repeat(32)}`, "endpoint")).toEqual([]);
});
