import { expect, test } from "@jest/globals";
import { checkForkOrder, forks } from "../../../node/config/forks.ts";
import { parseGenesis } from "../../../node/config/genesis.ts";
import { kairos, mainnet, publicBootNodes } from "../../../node/config/presets/networks.ts";
import { parseNodeUrl } from "../../../node/p2p/node-url.ts";

test.each([mainnet, kairos])(
  "$name: every fork is known and they follow one another",
  ({ forks: numbers }) => {
    expect(Object.keys(numbers).sort()).toEqual(forks.map(({ configKey }) => configKey).sort());
    checkForkOrder({ forks: new Map(Object.entries(numbers)) });
  },
);

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

test("the forks of the test network are those of its genesis", () => {
  const { config } = parseGenesis(JSON.stringify(kairos.genesis));
  expect(config.forks.size).toBeGreaterThan(9);
  for (const [key, number] of config.forks) expect(kairos.forks[key]).toBe(number);
});
