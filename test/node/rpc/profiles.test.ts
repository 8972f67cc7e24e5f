/** Rows of the profiles that no other test asks in all three (rpc.md 9; the two lines of the Go node, 2.1 to 2.6). */
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { aSigningNode, refused, type SigningNode } from "./signing-fixture.ts";

let node: SigningNode;

beforeAll(async () => {
  node = await aSigningNode();
});
afterAll(async () => node[Symbol.asyncDispose]());

test.each([
  ["service", { newer: true, gasLimit: "0x1dcd6500", owner: "Klaytn", client: "" }],
  ["klaytn", { newer: false, gasLimit: "0xe8d4a50fff", owner: "Klaytn", client: "Klaytn " }],
  ["kaia", { newer: true, gasLimit: "0x1dcd6500", owner: "Kaia", client: "" }],
] as const)("in profile %s", async (profile, { newer, gasLimit, owner, client }) => {
  const ask = <T = object>(method: string, ...params: readonly unknown[]) =>
    node.call<T>(method, params, profile);
  const info = await ask<{ protocols: { istanbul: { config: object } } }>("admin_nodeInfo");
  expect("kip160ContractAddress" in info.protocols.istanbul.config).toBe(newer);
  expect("blsPublicKeyInfo" in info).toBe(profile !== "service");
  const { account } = await ask<{ account: object }>("chain_getAccount", node.rich, "latest");
  expect("storageRoot" in account).toBe(newer);
  expect(await ask("eth_getBlockByNumber", "latest", false)).toMatchObject({ gasLimit });
  const otherKind = `${"11".repeat(32)}0x010x${"22".repeat(20)}`;
  expect(await ask("personal_importRawKey", otherKind, "p")).toEqual(
    refused(`${owner} wallet key type must be 00.`),
  );
  const zeroV = `0x${"11".repeat(64)}00`;
  expect(await ask("personal_ecRecover", "0x01", zeroV)).toEqual(
    refused(`invalid ${client}signature (V is not 27 or 28)`),
  );
  const isThere = async (name: string) =>
    (await node.call<{ code: number }>(name, {}, profile)).code === -32602;
  expect(await Promise.all(["gaslessInfo", "isGaslessTx"].map((name) => isThere(`debug_${name}`)))).toEqual([
    newer,
    newer,
  ]);
  expect(await isThere("admin_saveTrieNodeToDisk")).toBe(profile === "service");
  expect(await isThere("admin_saveTrieNodeCacheToDisk")).toBe(true);
});
