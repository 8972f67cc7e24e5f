/** Tests of the chain configuration and its JSON. */
import { readFileSync } from "node:fs";
import { expect, test } from "@jest/globals";
import { toHex } from "../../../node/bytes/hex.ts";
import { chainConfigJson, DEFAULT_KIP71, parseChainConfig } from "../../../node/config/chain-config.ts";
import { jsonInteger, parseExactJson } from "../../../node/config/exact-json.ts";

const reward = { mintingAmount: 0, minimumStake: 0 };

test("a configuration that a Go node printed comes back to the byte", () => {
  const url = new URL("../../vectors/samples/chain-config-prague.json", import.meta.url);
  const text = readFileSync(url, "utf8").trim();
  const config = parseChainConfig(parseExactJson(text));
  expect(config.governance.reward.mintingAmount).toBe(9_600_000_000_000_000_000n);
  // Version 2.2.1 printed it; 2.2.2 adds the threshold's default.
  const printed = text.replace(/"minimumStake":\d+/, '$&,"stakingRewardThreshold":5000000');
  expect(JSON.stringify(chainConfigJson(config))).toBe(printed);
});

test("what is absent has the Go node's defaults", () => {
  const config = parseChainConfig({ chainId: 5 });
  expect(config).toMatchObject({
    chainId: 5n,
    istanbul: { epoch: 604_800, policy: 0, sub: 21 },
    unitPrice: 0n,
    deriveShaImpl: 0,
    given: { kip71: false, kip82Ratio: false },
    governance: {
      governanceMode: "none",
      kip71: DEFAULT_KIP71,
      reward: {
        mintingAmount: 0n,
        ratio: "100/0/0",
        kip82Ratio: "20/80",
        deferredTxFee: false,
        stakingUpdateInterval: 86_400,
        proposerUpdateInterval: 3_600,
        minimumStake: 2_000_000n,
      },
    },
  });
  expect(toHex(config.governance.governingNode)).toBe(`0x${"00".repeat(20)}`);
  expect(config.forks.size).toBe(0);
});

test("a governance without a mode keeps none", () => {
  expect(parseChainConfig({ chainId: 5, governance: { reward } }).governance.governanceMode).toBe("");
});

test("intervals of zero mean the defaults, fork numbers of null mean never", () => {
  const config = parseChainConfig({
    chainId: 5,
    istanbulCompatibleBlock: 0,
    londonCompatibleBlock: null,
    governance: { reward: { ...reward, stakingUpdateInterval: 0, proposerUpdateInterval: 7 } },
  });
  expect(config.governance.reward).toMatchObject({
    stakingUpdateInterval: 86_400,
    proposerUpdateInterval: 7,
  });
  expect([...config.forks]).toEqual([["istanbulCompatibleBlock", 0]]);
});

test("members kept for later are shown where the Go node shows them", () => {
  const json = {
    chainId: 5,
    osakaCompatibleBlock: 3,
    blobSchedule: { osaka: { target: 1 } },
    kip103CompatibleBlock: 2,
    randaoCompatibleBlock: 1,
    randaoRegistry: { owner: `0x${"00".repeat(20)}` },
  };
  expect(Object.keys(chainConfigJson(parseChainConfig(json)))).toEqual([
    "chainId",
    "osakaCompatibleBlock",
    "kip103CompatibleBlock",
    "kip103ContractAddress",
    "kip160ContractAddress",
    "randaoCompatibleBlock",
    "randaoRegistry",
    "istanbul",
    "blobSchedule",
    "unitPrice",
    "deriveShaImpl",
    "governance",
  ]);
});

test.each<[string, unknown]>([
  ["config must be an object", 5],
  ["config must be an object", []],
  ["chainID is not specified", {}],
  ["DEPRECATED: 'clique' consensus engine configuration", { chainId: 1, clique: {} }],
  ["DEPRECATED: 'gxhash' consensus engine configuration", { chainId: 1, gxhash: {} }],
  ["reward is not set", { chainId: 1, governance: { reward: {} } }],
  ["chainId must be an unsigned integer", { chainId: "1" }],
  ["chainId must be an unsigned integer", { chainId: -1 }],
  ["chainId must be an unsigned integer", { chainId: 1.5 }],
  ["magmaCompatibleBlock must be an integer", { chainId: 1, magmaCompatibleBlock: -3 }],
  ["magmaCompatibleBlock must be an integer", { chainId: 1, magmaCompatibleBlock: 2n ** 60n }],
  ["epoch must be an integer", { chainId: 1, istanbul: { epoch: "30" } }],
  ["governingNode is not an address: 0x12", { chainId: 1, governance: { governingNode: "0x12", reward } }],
  ["governanceMode must be a text", { chainId: 1, governance: { governanceMode: 1, reward } }],
  [
    "useGiniCoeff must be true or false",
    { chainId: 1, governance: { reward: { ...reward, useGiniCoeff: 1 } } },
  ],
])("refused: %s", (message, json) => {
  expect(() => parseChainConfig(json)).toThrow(
    expect.objectContaining({ code: "bad-chain-config", message: expect.stringContaining(message) }),
  );
});

test("inherited members are not read", () => {
  expect(() => parseChainConfig(Object.create({ chainId: 1 }))).toThrow("chainID is not specified");
  expect(parseChainConfig(parseExactJson('{"chainId":1,"__proto__":{"clique":{}}}')).chainId).toBe(1n);
});

test("integers of any size are read exactly and written bare", () => {
  const big = 10n ** 30n + 7n;
  expect(parseExactJson(`{"a":${big},"b":-${big},"c":1.5,"d":3,"e":1e400}`)).toEqual({
    a: big,
    b: -big,
    c: 1.5,
    d: 3,
    e: Number.POSITIVE_INFINITY,
  });
  expect(JSON.stringify([jsonInteger(big), jsonInteger(5n), jsonInteger(-big)])).toBe(`[${big},5,-${big}]`);
  expect(() => parseExactJson("{")).toThrow(expect.objectContaining({ code: "bad-json" }));
});

test("scheduled forks without rules here are known by their member", () => {
  const given = {
    chainId: 5,
    osakaCompatibleBlock: 7,
    nextCompatibleBlock: 9,
    oddCompatibleBlock: null,
    next: 1,
  };
  const config = parseChainConfig(given);
  expect([...config.unknownForks]).toEqual([["nextCompatibleBlock", 9]]);
  expect(chainConfigJson(config)).not.toHaveProperty("nextCompatibleBlock");
});
