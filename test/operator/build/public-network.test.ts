/** Nodes of a public network: knit has the genesis, discovery finds peers, and its port is open. */
import { describe, expect, test } from "@jest/globals";
import { flags } from "../../../node/cli/flags.ts";
import { kairos, mainnet } from "../../../node/config/presets/networks.ts";
import { readSettings } from "../../../node/options/settings-file.ts";
import { publicNetworkNames, publicNetworks } from "../../../operator/api/public-networks.ts";
import { networkPolicy } from "../../../operator/build/network-policy.ts";
import { externalService, peerService } from "../../../operator/build/services.ts";
import { settingsText } from "../../../operator/build/settings.ts";
import { podTemplate } from "../../../operator/build/stateful-set.ts";
import { aMember, aNode, PARTS } from "../../support/a-member.ts";

const network = { name: "n", genesis: { public: "kairos" } };

test("the hashes are those of knit", () => {
  expect(publicNetworkNames.map((name) => publicNetworks[name].genesisHash)).toEqual([
    kairos.genesisHash,
    mainnet.genesisHash,
  ]);
});

/** The UDP ports of a Node's container, Services and policy. */
function udpPorts(spec: object): readonly unknown[] {
  const p2p = { external: "LoadBalancer", port: 4_000 };
  const member = aMember({ p2p, ...spec });
  const template = podTemplate(member, PARTS);
  const policy = networkPolicy(member.node, { operatorNamespace: "ops" });
  return [
    ...(template.spec?.containers[0]?.ports ?? []).map((each) => [each.protocol, each.containerPort]),
    ...(peerService(member).spec?.ports ?? []).map((each) => [each.protocol, each.port, each.targetPort]),
    ...(externalService(member)?.spec?.ports ?? []).map((each) => [
      each.protocol,
      each.port,
      each.targetPort,
    ]),
    ...policy.spec.ingress.flatMap(({ ports }) => ports.map((each) => [each.protocol, each.port])),
  ].filter(([protocol]) => protocol === "UDP");
}

describe("a Node of a public network", () => {
  test("has no file with a genesis, and nothing that writes one", () => {
    const { spec } = podTemplate(aMember({ network }), PARTS);
    expect(spec?.initContainers?.map(({ name }) => name)).toEqual(["gateway"]);
    expect(spec?.volumes?.map(({ name }) => name)).not.toContain("genesis");
  });

  test("gets the flag of the network and discovery, as knit reads them, and no network id", async () => {
    const texts = await readSettings(flags, settingsText(aMember({ network })), "knit.yaml");
    const found = ["kairos", "nodiscover", "networkid"].map((name) =>
      texts.get(flags.find(name)?.flag ?? ""),
    );
    expect(found).toEqual(["true", "false", undefined]);
    expect(settingsText(aMember())).not.toContain("kairos");
  });

  test("starts from the archive of spec.bootstrap by itself: there is no file with the genesis", () => {
    const creator = `0x${"12".repeat(20)}`;
    const member = aMember({
      network,
      bootstrap: { url: "s3://archive", creator, credentialsSecret: "store" },
    });
    const lines = settingsText(member).split("\n");
    expect(lines).toContain('"bootstrap": "s3://archive"');
    expect(lines).toContain(`"bootstrap.creator": "${creator}"`);
    expect(JSON.stringify(podTemplate(member, PARTS).spec?.containers[0]?.env)).toContain("AWS_REGION");
  });

  test("opens UDP at the port for peers, everywhere on the way", () => {
    const [pod, ...services] = [
      ["UDP", 4_000],
      ["UDP", 4_000, "discovery"],
    ] as const;
    expect(udpPorts({ network })).toEqual([pod, ...services, ...services, pod]);
  });
});

test.each([
  [{}, 0],
  [{ settings: { nodiscover: "false" } }, 4],
  [{ network, settings: { nodiscover: "true" } }, 0],
])("discovery is as %j says", (spec, places) => expect(udpPorts(spec)).toHaveLength(places));

test("an external address is announced", () => {
  const member = aMember({ p2p: { externalAddress: "203.0.113.7" } });
  expect(settingsText(member)).toContain('"nat": "extip:203.0.113.7"\n');
  expect(settingsText({ node: aNode(), name: "first" })).not.toContain("nat");
});

/** Makes the node's container of a member with these parts of its spec. */
const nodeOf = (spec: object) =>
  podTemplate(aMember({ settings: { nodiscover: "false" }, ...spec }), PARTS).spec?.containers[0];

test("a host port is that of the machine, whose address the node announces unless one is set", () => {
  const machine = nodeOf({ p2p: { external: "HostPort", port: 4_000 } });
  const places = machine?.ports?.filter(({ hostPort }) => hostPort !== undefined);
  expect(places?.map(({ hostPort, protocol }) => [hostPort, protocol])).toEqual([
    [4_000, "TCP"],
    [4_000, "UDP"],
  ]);
  const announced = { name: "KNIT_NAT", value: "extip:$(HOST_IP)" };
  expect(machine?.env).toContainEqual(announced);
  const address = nodeOf({ p2p: { external: "HostPort", externalAddress: "203.0.113.7" } });
  const setting = nodeOf({ p2p: { external: "HostPort" }, settings: { nat: "extip:203.0.113.8" } });
  for (const each of [address, setting, nodeOf({})]) expect(each?.env).not.toContainEqual(announced);
});
