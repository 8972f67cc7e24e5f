/** Pods of Nodes whose volumes are filled from an archive or by siblings. */
import { expect, test } from "@jest/globals";
import { pod } from "../../../operator/api/names.ts";
import { networkPolicy } from "../../../operator/build/network-policy.ts";
import { SIBLINGS_FILE, settingsMap, settingsText } from "../../../operator/build/settings.ts";
import { podTemplate } from "../../../operator/build/stateful-set.ts";
import { aMember, aNode, PARTS } from "../../support/a-member.ts";

/** A container of the pod of a Node. */
function containerOf(spec: object, name: string) {
  const { initContainers = [], containers = [] } = podTemplate(aMember(spec), PARTS).spec ?? {};
  return [...initContainers, ...containers].find((each) => each.name === name);
}

test("an empty volume is filled from the archive of spec.bootstrap, with the credentials of its Secret alone", () => {
  const creator = `0x${"12".repeat(20)}`;
  const bootstrap = { url: "s3://archive/chain", creator, credentialsSecret: "store" };
  const genesis = containerOf({ bootstrap }, "genesis");
  expect(genesis?.args?.join(" ")).toMatch(
    `--bootstrap s3://archive/chain --bootstrap.creator ${creator} ${pod.genesisDirectory}/genesis.json`,
  );
  expect(genesis?.env).toContainEqual({
    name: "AWS_SECRET_ACCESS_KEY",
    valueFrom: { secretKeyRef: { name: "store", key: "AWS_SECRET_ACCESS_KEY", optional: true } },
  });
  expect(JSON.stringify(containerOf({ bootstrap }, "node"))).not.toContain("AWS_");
  expect(containerOf({}, "genesis")?.args).not.toContain("--bootstrap");
});

const mountsOf = (spec: object, name: string) =>
  containerOf(spec, name)?.volumeMounts?.map((mount) => [mount.name, mount.subPath]) ?? [];

const facts = { peers: [], hadBlocks: false };
const gateway = { host: "first-peer.demo.svc", port: 7_443, name: "first.demo.gateway.knit.dev" };

test("an empty volume is filled by siblings, whose gateways are in a file and not in the pod template", () => {
  const spec = { bootstrap: { from: "Sibling" } };
  const genesis = containerOf(spec, "genesis");
  expect(genesis?.args?.join(" ")).toContain(
    `--bootstrap.siblings ${pod.settingsDirectory}/${SIBLINGS_FILE} ${pod.genesisDirectory}/genesis.json`,
  );
  expect(mountsOf(spec, "genesis")).toEqual([
    ...["data", "genesis", "settings"].map((name) => [name, undefined]),
    ...["reader.crt", "reader.key", "ca.crt"].map((file) => ["certificates", file]),
  ]);
  expect(JSON.stringify(mountsOf(spec, "node"))).not.toContain("reader");
  const { data } = settingsMap(aMember(spec), "", { ...facts, siblings: [gateway] });
  expect(JSON.parse(data?.[SIBLINGS_FILE] ?? "")).toEqual({
    siblings: [gateway],
    credentials: pod.readerDirectory,
  });
  expect(settingsText(aMember(spec))).not.toContain("siblings");
  expect(settingsMap(aMember(), "", { ...facts, siblings: [gateway] }).data).not.toHaveProperty([
    SIBLINGS_FILE,
  ]);
});

test("on a public network the node itself asks the siblings", () => {
  const network = { name: "n", genesis: { public: "kairos" } };
  const spec = { network, bootstrap: { node: "first" } };
  expect(settingsText(aMember(spec))).toContain(
    `"bootstrap.siblings": "${pod.settingsDirectory}/${SIBLINGS_FILE}"`,
  );
  expect(mountsOf(spec, "node")).toContainEqual(["certificates", "reader.key"]);
});

/** Clients of the gateway in the policy. */
const sourcesOf = (givesCopies: boolean): string =>
  JSON.stringify(networkPolicy(aNode(), { operatorNamespace: "ops", givesCopies }).spec.ingress.at(-1));

/** Failed checks that a start may have. */
const checksOf = (spec: object) => containerOf(spec, "node")?.startupProbe?.failureThreshold;

test("a node that fills its volume itself has hours to start, and others five minutes", () => {
  const network = { name: "n", genesis: { public: "kairos" } };
  const archive = { url: "s3://archive" };
  expect([
    checksOf({ network, bootstrap: { from: "Sibling" } }),
    checksOf({ network, bootstrap: archive }),
    checksOf({ network }),
    checksOf({ bootstrap: archive }),
  ]).toEqual([21_600, 21_600, 150, 150]);
});

test("the policy lets pods of the network to the gateway of a Node that gives copies", () => {
  expect(sourcesOf(false)).not.toContain("knit.dev/network");
  expect(sourcesOf(true)).toContain('{"app.kubernetes.io/name":"knit","knit.dev/network":"n"}');
});
