/** Tests of the pod template: the part of a Node, and the part of its Network. */
import { describe, expect, test } from "@jest/globals";
import { nodeSpec } from "../../../operator/api/node-spec.ts";
import { readNetwork } from "../../../operator/api/resource.ts";
import type { JsonSchema } from "../../../operator/api/schema.ts";
import { withNetworkDefaults } from "../../../operator/build/network-defaults.ts";
import { settingsText } from "../../../operator/build/settings.ts";
import { podTemplate, statefulSet } from "../../../operator/build/stateful-set.ts";
import { inputDigest, lastAppliedTemplate, templateDigest } from "../../../operator/build/template.ts";
import { aMember, aNode, META, PARTS } from "../../support/a-member.ts";

const digest = (spec: object, id = "k"): string => inputDigest(aMember(spec), id);

describe("the template", () => {
  test.each([
    ["image", { image: "mine:2" }],
    ["a setting", { settings: { verbosity: "4" } }],
    ["the port for peers", { p2p: { port: 4000 } }],
    ["the gateway's image", { gateway: { image: "g:2" } }],
    ["where the pod goes", { scheduling: { spread: "None" } }],
    ["pull policy", { imagePullPolicy: "Always" }],
    ["pull secret", { imagePullSecrets: [{ name: "registry" }] }],
    ["pull policy of the gateway", { gateway: { imagePullPolicy: "Always" } }],
    ["label of the pod", { podTemplate: { labels: { team: "chain" } } }],
    ["host of an Ingress", { ingress: { hosts: ["rpc.example"] } }],
    ["host of a route", { route: { hosts: ["rpc.example"], parents: [{ name: "public" }] } }],
    ["origin of pages", { api: { origins: ["*"] } }],
    ["archive of a first start", { bootstrap: { url: "s3://archive/node" } }],
  ])("has another digest for another %s", (_what, spec) => {
    expect(digest(spec)).not.toBe(digest({}));
  });

  test.each([
    ["size", { storage: { size: "20Gi" } }],
    ["peers", { peers: { urls: [], types: ["core"] } }],
    ["schedule", { maintenance: { trieCache: { schedule: "0 3 * * *" } } }],
    ["pause", { suspend: true }],
    ["number of replicas", { replicas: 3 }],
    ["monitoring", { monitoring: { intervalSeconds: 5 } }],
    ["type of Service", { serviceTemplate: { type: "NodePort" } }],
    ["snapshot of new volumes", { bootstrap: { volumeSnapshot: "s" } }],
    ["Prometheus", { networkPolicy: { metricsClients: ["monitoring"] } }],
  ])("has the same digest for another %s", (_what, spec) => {
    expect(digest(spec)).toBe(digest({}));
  });

  test("has another digest for another key", () => {
    expect(digest({}, "other")).not.toBe(digest({}));
  });

  test("is found again in the StatefulSet that was written", () => {
    const template = podTemplate(aMember(), PARTS);
    const written = lastAppliedTemplate(statefulSet(aMember(), template));
    expect(written).toEqual(template);
    expect(templateDigest(written)).toBe("d");
    expect(lastAppliedTemplate({ metadata: { annotations: { "knit.dev/template": "{" } } })).toBeUndefined();
  });
});

/** Texts for fields with a pattern; the first that the field accepts is its sample. */
const TEXTS = [
  "9",
  "other",
  "PreferClose",
  "2Gi",
  "1m",
  "30 3 * * 0",
  "08:30",
  "10.9.0.0/16",
  `0x${"12".repeat(20)}`,
  `kni://${"12".repeat(64)}@10.0.0.9:32323`,
  "s3://archive/node",
  "/rpc",
];

/** Returns a value that a field accepts and that is not its default. */
function sampleOf(schema: JsonSchema): unknown {
  const { type, default: standard, items } = schema;
  if (type === "boolean") return standard !== true;
  if (type === "integer") return [schema.minimum, schema.maximum].find((bound) => bound !== standard);
  if (type === "array") return items === undefined ? [] : [sampleOf(items)];
  if (type === "object") return objectSample(schema);
  const texts = schema.enum ?? TEXTS.filter((text) => new RegExp(schema.pattern ?? "").test(text));
  const found = texts.find((text) => text !== standard);
  if (found === undefined) throw new RangeError(`TEXTS has no sample for ${schema.description}`);
  return found;
}

function objectSample({ additionalProperties, properties = {}, required = [] }: JsonSchema): object {
  if (additionalProperties !== undefined) return { sample: sampleOf(additionalProperties) };
  const members = Object.entries(properties).filter(([name]) => required.includes(name));
  return Object.fromEntries(members.map(([name, member]) => [name, sampleOf(member)]));
}

/** Returns each field of an object with its path, and the object with that field and the required ones alone. */
function samplesOf(schema: JsonSchema): (readonly [path: string, sample: object])[] {
  return Object.entries(schema.properties ?? {}).flatMap(([name, member]) => {
    const own = [[name, { ...objectSample(schema), [name]: sampleOf(member) }] as const];
    const inner = samplesOf(member).map(
      ([path, sample]) => [`${name}.${path}`, { ...objectSample(schema), [name]: sample }] as const,
    );
    return member.properties === undefined ? own : inner;
  });
}

/** Returns the texts of the pod template and of the settings file. */
function podText(spec: object): string {
  const member = aMember(spec);
  return JSON.stringify([podTemplate(member, PARTS), settingsText(member)]);
}

test("every field of a Node that changes the pod or its settings file changes the digest of its inputs", () => {
  const { type: _type, network: _network, ...others } = nodeSpec.schema.properties ?? {};
  const samples = samplesOf({ type: "object", properties: others });
  const changing = samples.filter(([, sample]) => podText(sample) !== podText({}));
  expect(changing.map(([path]) => path)).toEqual(
    expect.arrayContaining(["api.http.port", "gateway.image", "image", "settings", "scheduling.spread"]),
  );
  const missed = changing.filter(([, sample]) => digest(sample) === digest({}));
  expect(missed.map(([path]) => `add spec.${path} to inputDigest in operator/build/template.ts`)).toEqual([]);
});

test("what a Node does not say, its Network does, an amount and a setting at a time", () => {
  const defaults = {
    image: "theirs:1",
    resources: { requests: { cpu: "1", memory: "1Gi" } },
    storageClassName: "fast",
    settings: { verbosity: "2", gcmode: "archive" },
  };
  const spec = { networkId: 9, genesis: { configMap: { name: "g", key: "k" } }, defaults };
  const network = readNetwork({ metadata: META, spec });
  const plain = { resources: { requests: { cpu: "2" } }, settings: { verbosity: "4" } };
  const own = {
    ...plain,
    image: "mine:1",
    storage: { className: "slow" },
    network: { name: "n", networkId: 8 },
  };
  expect(withNetworkDefaults(aNode(plain), network).spec).toMatchObject({
    image: "theirs:1",
    network: { name: "n", networkId: 9, genesis: { configMap: { name: "g", key: "k" } } },
    resources: { requests: { cpu: "2", memory: "1Gi" } },
    storage: { storageClassName: "fast", className: undefined },
    settings: { verbosity: "4", gcmode: "archive" },
  });
  expect(withNetworkDefaults(aNode(own), network).spec).toMatchObject({
    image: "mine:1",
    network: { networkId: 8 },
    storage: { storageClassName: "slow" },
  });
  expect(withNetworkDefaults(aNode(own), undefined)).toEqual(aNode(own));
});

/** The spec of a Node in a Network with these defaults. */
function specIn(defaults: object, spec: object) {
  const network = readNetwork({ metadata: META, spec: { genesis: { configMap: { name: "g" } }, defaults } });
  return withNetworkDefaults(aNode(spec), network).spec;
}

describe("defaults of a Network", () => {
  test("reach every field of the pod, the Services and the volume that its Nodes would repeat", () => {
    const defaults = {
      imagePullPolicy: "Always",
      imagePullSecrets: [{ name: "registry" }],
      terminationGracePeriodSeconds: 60,
      api: { ws: { enabled: true }, hosts: ["rpc.example"] },
      p2p: { maxPeers: 9 },
      storage: { size: "100Gi", storageClassName: "fast", autoGrow: { limit: "200Gi" } },
      scheduling: { spread: "Required", nodeSelector: { disk: "fast" } },
      podTemplate: { labels: { team: "chain" } },
      serviceTemplate: { sessionAffinity: "None" },
      maintenance: { trieCache: { onShutdown: false } },
      monitoring: { intervalSeconds: 15 },
      networkPolicy: { metricsClients: ["monitoring"] },
      gateway: { image: "gateway:2" },
    };
    expect(specIn(defaults, {})).toMatchObject({
      ...defaults,
      storage: { ...defaults.storage, autoGrow: { limit: "200Gi", atPercent: 80, step: "10Gi" } },
    });
  });

  test("leave what a Node says itself; maps merge by key, pull secrets by name, other lists are whole", () => {
    const toleration = { key: "chain", operator: "Exists" };
    const defaults = {
      imagePullSecrets: [{ name: "theirs" }, { name: "both" }],
      storage: { size: "100Gi" },
      scheduling: { nodeSelector: { disk: "fast", zone: "a" }, tolerations: [toleration] },
      podTemplate: { labels: { team: "chain", tier: "1" }, env: [{ name: "A", value: "theirs" }] },
    };
    const own = {
      imagePullSecrets: [{ name: "both" }, { name: "mine" }],
      storage: { size: "20Gi" },
      scheduling: { nodeSelector: { zone: "b" }, tolerations: [{ key: "mine" }] },
      podTemplate: { labels: { tier: "2" }, env: [{ name: "B", value: "mine" }] },
    };
    expect(specIn(defaults, own)).toMatchObject({
      imagePullSecrets: [{ name: "both" }, { name: "mine" }, { name: "theirs" }],
      storage: { size: "20Gi" },
      scheduling: { nodeSelector: { disk: "fast", zone: "b" }, tolerations: [{ key: "mine" }] },
      podTemplate: { labels: { team: "chain", tier: "2" }, env: [{ name: "B", value: "mine" }] },
    });
  });

  test("are none for privileged modules, for the end of volumes, and without being written", () => {
    const spec = specIn({ api: { privileged: true }, whenDeleted: "Delete" }, {});
    expect([spec.api.privileged, spec.whenDeleted]).toEqual([false, "Retain"]);
    const plain = { network: { name: "n", genesis: { configMap: { name: "g" } } } };
    const silent = { ...aNode(), spec: specIn({}, plain) };
    expect(inputDigest({ node: silent, name: "first" }, "k")).toBe(digest(plain));
  });
});
