/**
 * Rows of the profiles, asked in all three (docs/rpc.md). The lines of the Go node have `api/api_ethereum.go@v1.12.1` and
 * `api/api_eth.go@v2.2.2`.
 */
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import type { ProfileName } from "../../../node/compat/profiles.ts";
import { type ControlRow, controlMethods } from "../../../operator/control/methods.ts";
import { registryOf } from "../../../scripts/rpc-docs.ts";
import { aSigningNode, refusalOf, type SigningNode } from "../rpc/signing-fixture.ts";

let node: SigningNode;

beforeAll(async () => {
  node = await aSigningNode();
  await node.call("chain_sendTransaction", [{ from: node.rich, to: node.filed, value: "0x1" }]);
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
    refusalOf(`${owner} wallet key type must be 00.`),
  );
  const zeroV = `0x${"11".repeat(64)}00`;
  expect(await ask("personal_ecRecover", "0x01", zeroV)).toEqual(
    refusalOf(`invalid ${client}signature (V is not 27 or 28)`),
  );
  const unplaced = await node.call<object>("chain_recoverFromMessage", [node.rich, "0x01", zeroV], profile);
  const isRequired = JSON.stringify(unplaced).includes("missing value for required argument 3");
  expect(isRequired).toBe(profile !== "service");
  const isThere = async (name: string) =>
    (await node.call<{ code: number }>(name, {}, profile)).code === -32602;
  expect(await Promise.all(["gaslessInfo", "isGaslessTx"].map((name) => isThere(`debug_${name}`)))).toEqual([
    newer,
    newer,
  ]);
  expect(await isThere("admin_saveTrieNodeToDisk")).toBe(profile === "service");
  expect(await isThere("admin_saveTrieNodeCacheToDisk")).toBe(true);
  expect(await isThere("klay_getBlockByNumber")).toBe(true);
  expect(await isThere("kaia_getBlockByNumber")).toBe(newer);
});

test.each(["service", "klaytn", "kaia"] as const)(
  "profile %s serves what `knit save-cache` and the operator call",
  (profile) => {
    const view = registryOf(profile).view("all", { isLocal: true });
    const rows: [string, ControlRow][] = Object.entries(controlMethods);
    const names = rows.flatMap(([name, { by, alias = name }]) => (by === "node" ? [alias] : []));
    expect(names).toContain("admin_saveTrieNodeCacheToDisk");
    expect(names.filter((name) => view.find(name) === undefined)).toEqual([]);
  },
);

const URL_OF_USB = "ledger://1";

/** A call, and the answer of each profile: service, klaytn, kaia. */
test.each<[string, (profile: ProfileName) => Promise<unknown>, readonly [unknown, unknown, unknown]]>([
  [
    "the chain's module",
    async (profile) => modules(await askProfile(profile, "rpc_modules")),
    ["chain", "klay", "kaia"],
  ],
  [
    "the pool's unit",
    async (profile) => unitOf(await askProfile(profile, "txpool_inspect")),
    ["peb", "peb", "kei"],
  ],
  [
    "an entry's txHash",
    async (profile) => JSON.stringify(await askProfile(profile, "txpool_content")).includes('"txHash"'),
    [true, false, false],
  ],
  [
    "the total score",
    async (profile) => scoreKey(await askProfile(profile, "admin_nodeInfo")),
    ["difficulty", "blockscore", "blockscore"],
  ],
  [
    "isBFT",
    async (profile) => JSON.stringify(await askProfile(profile, "admin_nodeInfo")).includes('"isBFT":true'),
    [true, false, false],
  ],
  [
    "the port of discovery in the URL",
    async (profile) =>
      (await askProfile<{ kni: string }>(profile, "admin_nodeInfo")).kni.includes("?discport="),
    [true, false, false],
  ],
  ["the network's number", (profile) => askProfile(profile, "net_networkID"), ["1", 1, 1]],
  ["a node that does not listen", (profile) => askProfile(profile, "net_listening"), [false, true, true]],
  [
    "a wrong passphrase",
    async (profile) =>
      (await askProfile<unknown>(profile, "personal_unlockAccount", node.filed, "no")) === false,
    [true, false, false],
  ],
  [
    "a new account without a passphrase",
    async (profile) => typeof (await askProfile(profile, "personal_newAccount")),
    ["string", "object", "object"],
  ],
  [
    "a USB wallet",
    async (profile) =>
      (await askProfile<{ message: string }>(profile, "personal_openWallet", URL_OF_USB)).message,
    [expect.stringContaining("USB wallets are not supported"), "unknown wallet", "unknown wallet"],
  ],
])("%s", async (_what, ask, [service, klaytn, kaia]) => {
  expect([await ask("service"), await ask("klaytn"), await ask("kaia")]).toEqual([service, klaytn, kaia]);
});

function askProfile<T = object>(
  profile: ProfileName,
  method: string,
  ...params: readonly unknown[]
): Promise<T> {
  return node.call<T>(method, params, profile);
}

function modules(named: object): string | undefined {
  return Object.keys(named).find((name) => ["chain", "klay", "kaia"].includes(name));
}

function unitOf(pool: object): string | undefined {
  return /: 1 (\w+) \+/.exec(JSON.stringify(pool))?.[1];
}

function scoreKey(info: object): string | undefined {
  return Object.keys((info as { protocols: { istanbul: object } }).protocols.istanbul).find((key) =>
    ["difficulty", "blockscore"].includes(key),
  );
}
