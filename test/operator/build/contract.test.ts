/** Contract between the two programs: knit's own readers read the operator's files. */
import { describe, expect, test } from "@jest/globals";
import { bareHex, fromBareHex, toHex } from "../../../node/bytes/hex.ts";
import { flags } from "../../../node/cli/flags.ts";
import { checkGenesis, parseGenesis } from "../../../node/config/genesis.ts";
import { parseExtra } from "../../../node/model/istanbul-extra.ts";
import { optionValues, resolveFlags } from "../../../node/options/resolve.ts";
import { readSettings } from "../../../node/options/settings-file.ts";
import { nodeKeyOf } from "../../../node/p2p/node-key.ts";
import { parseNodeUrl } from "../../../node/p2p/node-url.ts";
import { nodeAddressOptions } from "../../../node/p2p/options.ts";
import { conform } from "../../../operator/api/conform.ts";
import { managedSettings } from "../../../operator/api/managed-settings.ts";
import { networkSpec } from "../../../operator/api/network-spec.ts";
import { readNode } from "../../../operator/api/resource.ts";
import { genesisFile } from "../../../operator/build/genesis.ts";
import { identityOf, nodeUrl, randomKey } from "../../../operator/build/identity.ts";
import { settingsText } from "../../../operator/build/settings.ts";
import { podTemplate } from "../../../operator/build/stateful-set.ts";
import { PARTS } from "../../support/a-member.ts";

function aMember(spec: object) {
  const metadata = { name: "first", namespace: "demo", uid: "u", resourceVersion: "1" };
  const node = readNode({ metadata, spec: { network: { name: "n" }, ...spec } });
  return { node, name: "first" };
}

function terms(create: object) {
  const whole = { chainId: 2_018, validators: ["core"], ...create };
  const { genesis } = conform(networkSpec, { genesis: { create: whole } }, "spec");
  if (genesis.create === undefined) throw new Error("no terms");
  return genesis.create;
}

test("the operator and knit derive the same identity from a key", () => {
  for (let round = 0; round < 20; round++) {
    const key = randomKey();
    const { id, address } = nodeKeyOf(fromBareHex(key));
    expect(identityOf(`${key}\n`)).toEqual({ id: bareHex(id), address: toHex(address) });
  }
});

test("knit reads the address that its key must have from the pod, whose template names it", () => {
  const { address = "" } = identityOf("1".repeat(64)) ?? {};
  const { spec } = podTemplate(aMember({ type: "core" }), { ...PARTS, address });
  const env = spec?.containers.find(({ name }) => name === "node")?.env ?? [];
  const environment = Object.fromEntries(env.map(({ name, value }) => [name, value]));
  const given = { command: "run", environment, commandLine: new Map<string, string>() } as const;
  const { nodeAddress } = optionValues(nodeAddressOptions, resolveFlags(flags, given));
  expect(nodeAddress && toHex(nodeAddress)).toBe(address);
});

test.each(["", "no key", "0".repeat(64), "f".repeat(64), "1".repeat(63)])("%j is no key", (text) => {
  expect(identityOf(text)).toBeUndefined();
});

test.each([
  ["core-peer.demo.svc", "cn"],
  ["10.1.2.3", "cn"],
  ["fd00::1", "cn"],
])("knit reads the URL of a node at %s", (host, type) => {
  const identity = identityOf("1".repeat(64)) ?? { id: "", address: "" };
  const url = parseNodeUrl(nodeUrl(identity, host, 32_323, "core"));
  expect({ ...url, id: bareHex(url.id) }).toMatchObject({
    id: identity.id,
    host,
    tcpPort: 32_323,
    udpPort: 0,
    type,
  });
});

test("knit takes the genesis that the operator makes, and finds the balances in it", () => {
  const address = `0x${"Ab".repeat(20)}`;
  const balances = [{ address, peb: "1000000000000000000000000" }];
  const text = genesisFile(terms({ balances }), [`0x${"12".repeat(20)}`], 1_700_000_000);
  const genesis = parseGenesis(text);
  expect(() => checkGenesis(genesis)).not.toThrow();
  expect(genesis.config.chainId).toBe(2_018n);
  expect(
    JSON.stringify(genesis.alloc, (_key, value: unknown) =>
      typeof value === "bigint" ? String(value) : value,
    ),
  ).toContain("1000000000000000000000000");
  expect(text).toContain('"mintingAmount": 9600000000000000000,');
});

test.each([1, 2, 3, 4, 13, 64])(
  "knit finds %d validators in the genesis that the operator makes",
  (count) => {
    const addresses = Array.from({ length: count }, () => identityOf(randomKey())?.address ?? "");
    const { extraData } = parseGenesis(genesisFile(terms({}), addresses, 1_700_000_000));
    expect(parseExtra(extraData).validators.map(toHex)).toEqual(addresses);
  },
);

test("the terms of a Network are those that knit reads", () => {
  const given = {
    consensus: { epoch: 3_600, policy: "WeightedRandom", committeeSize: 13 },
    governance: {
      mode: "ballot",
      unitPrice: 250_000_000_000,
      mintingAmount: "123456789012345678901",
      ratio: "34/54/12",
      minimumStake: 5_000_000,
      deferredTxFee: false,
      stakingUpdateInterval: 60,
      proposerUpdateInterval: 30,
    },
  };
  const { config } = parseGenesis(genesisFile(terms(given), [`0x${"12".repeat(20)}`], 0));
  expect(config).toMatchObject({
    istanbul: { epoch: 3_600, policy: 2, sub: 13 },
    unitPrice: 250_000_000_000n,
    governance: {
      governanceMode: "ballot",
      reward: {
        mintingAmount: 123_456_789_012_345_678_901n,
        ratio: "34/54/12",
        minimumStake: 5_000_000n,
        deferredTxFee: false,
        stakingUpdateInterval: 60,
        proposerUpdateInterval: 30,
      },
    },
  });
});

describe("the settings", () => {
  test("are flags that knit knows, and arrive as they were meant", async () => {
    const node = aMember({
      type: "core",
      rewardAddress: `0x${"12".repeat(20)}`,
      api: { http: { modules: ["eth", "net"] }, hosts: ["rpc.example"] },
      settings: { verbosity: "4", "txpool.lifetime": "1h" },
    });
    const texts = await readSettings(flags, settingsText(node), "knit.yaml");
    const found = (name: string): string | undefined => {
      const row = flags.find(name);
      return row && texts.get(row.flag);
    };
    expect(found("rpcvhosts")).toBe(
      "localhost,first,first.demo,first.demo.svc,first.demo.svc.cluster.local,rpc.example",
    );
    expect([
      found("type"),
      found("rpcapi"),
      found("ws"),
      found("verbosity"),
      found("txpool.lifetime"),
      found("rewardbase"),
    ]).toEqual(["core", "eth,net", "false", "4", "1h", `0x${"12".repeat(20)}`]);
  });

  test.each([
    [false, "true"],
    [true, "false"],
  ])(
    "with privileged: %s keep methods that use keys or write files to the socket: %s",
    async (privileged, kept) => {
      const settings = { "rpc.ipc-only-privileges": String(privileged) };
      const texts = await readSettings(
        flags,
        settingsText(aMember({ type: "proxy", api: { privileged }, settings })),
        "x",
      );
      expect(texts.get("rpc.ipc-only-privileges")).toBe(kept);
    },
  );

  test("that the operator manages are those that the schema refuses, and no others", () => {
    const names = (settings: Record<string, string>): readonly string[] =>
      settingsText(aMember({ type: "core", settings }))
        .split("\n")
        .flatMap((line) => /^"(.*?)": /.exec(line)?.[1] ?? []);
    const own = new Set(["identity", "log.format", "nodiscover"]); // a Node may set these
    const known = new Set<string>(managedSettings);
    expect(names({}).filter((name) => !own.has(name) && !known.has(name))).toEqual([]);
    const given = Object.fromEntries(managedSettings.map((name) => [name, "overruled"]));
    expect(settingsText(aMember({ type: "core", settings: given }))).not.toContain("overruled");
  });

  test("that a Node gives cannot replace what the pod relies on", () => {
    const settings = {
      ipcpath: "/elsewhere",
      rpcapi: "admin",
      nodekeyhex: "11",
      identity: "mine",
      'x"\n': "a: b\nc",
    };
    const text = settingsText(aMember({ type: "proxy", settings }));
    expect(text).not.toContain("/elsewhere");
    expect(text).not.toContain("admin");
    expect(text).not.toContain("nodekeyhex");
    expect(text).toContain('"identity": "mine"');
    expect(text).toContain('"x\\"\\n": "a: b\\nc"\n');
  });
});
