/** The objects of a Node: what keeps them safe and what must fit together. */
import { describe, expect, test } from "@jest/globals";
import type { V1Container, V1PodSpec } from "@kubernetes/client-node";
import { pod as places } from "../../../operator/api/names.ts";
import { type Draft, readNetwork } from "../../../operator/api/resource.ts";
import { volumeClaim } from "../../../operator/build/claim.ts";
import { disruptionBudget, validatorBudget } from "../../../operator/build/disruption-budgets.ts";
import { membersOf } from "../../../operator/build/names.ts";
import { networkPolicy } from "../../../operator/build/network-policy.ts";
import { nodeKeySecret } from "../../../operator/build/secrets.ts";
import { serviceAccount } from "../../../operator/build/service-account.ts";
import { serviceMonitor } from "../../../operator/build/service-monitor.ts";
import {
  externalService,
  membersService,
  peerService,
  rpcService,
} from "../../../operator/build/services.ts";
import { settingsText } from "../../../operator/build/settings.ts";
import { podTemplate, statefulSet } from "../../../operator/build/stateful-set.ts";
import type { AnyDraft } from "../../support/a-draft.ts";
import { aMember, aNode, META, PARTS } from "../../support/a-member.ts";

/** The pod of the first member. */
function podOf(spec: object = {}, index = 0): V1PodSpec {
  const { spec: pod } = podTemplate(aMember(spec, index), PARTS);
  if (pod === undefined) throw new Error("a template without a pod");
  return pod;
}

function containersOf({ initContainers = [], containers }: V1PodSpec): readonly V1Container[] {
  return [...initContainers, ...containers];
}

const owners = (draft: Draft): number => draft.metadata.ownerReferences?.length ?? 0;

const specOf = (draft: Draft | undefined) =>
  ((draft as AnyDraft | undefined)?.["spec"] ?? {}) as {
    ports?: { targetPort: string }[];
    selector?: Record<string, string>;
    type?: string;
    template?: { metadata: { labels: object } };
  };

const namesIn = (draft: Draft | undefined): string[] =>
  specOf(draft).ports?.map(({ targetPort }) => targetPort) ?? [];

describe("the pod", () => {
  test("has containers that are locked down, and mount volumes that there are", () => {
    const pod = podOf();
    expect(pod.securityContext).toMatchObject({ runAsNonRoot: true, runAsUser: 1000, fsGroup: 1000 });
    const volumes = new Set(pod.volumes?.map(({ name }) => name));
    const locked = {
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ["ALL"] },
    };
    for (const { name, securityContext, volumeMounts, command } of containersOf(pod)) {
      expect([name, securityContext, command]).toEqual([name, locked, undefined]);
      for (const mount of volumeMounts ?? [])
        expect([mount.name, volumes.has(mount.name)]).toEqual([mount.name, true]);
    }
  });

  test("has an account of its own, whose token nobody mounts, and time to end", () => {
    expect(podOf()).toMatchObject({
      serviceAccountName: "first-node",
      automountServiceAccountToken: false,
      terminationGracePeriodSeconds: 300,
    });
    expect(serviceAccount(aNode())).toMatchObject({
      metadata: { name: "first-node" },
      automountServiceAccountToken: false,
    });
  });

  test("has a gateway that sees the socket, its certificate and how full the volume is, and nothing else", () => {
    const gateway = containersOf(podOf()).find(({ name }) => name === "gateway");
    expect(gateway?.image).toBe("operator:1");
    expect(gateway?.volumeMounts?.map(({ name, subPath = "" }) => `${name}/${subPath}`)).toEqual([
      "socket/",
      "certificates/",
      "data/.disk",
    ]);
  });

  test("has a gateway that outlives the node, and on which clients of the node do not depend", () => {
    const gateway = podOf().initContainers?.at(-1);
    expect(gateway).toMatchObject({ name: "gateway", restartPolicy: "Always" });
    expect(gateway).not.toHaveProperty("readinessProbe");
    expect(gateway).not.toHaveProperty("startupProbe");
  });

  test("has its node save its trie nodes before it is told to stop, within its time to end, unless it is not to", () => {
    const command = [...places.program, "save-cache", "--endpoint", places.socket, "--timeout", "240s"];
    expect(podOf().containers[0]?.lifecycle).toEqual({ preStop: { exec: { command } } });
    const without = podOf({ maintenance: { trieCache: { onShutdown: false } } });
    expect(without.containers[0]).not.toHaveProperty("lifecycle");
  });

  test("uses a Node's own images, amounts, Secret and genesis where they are named", () => {
    const pod = podOf({
      image: "mine:2",
      gateway: { image: "mine:3", resources: { limits: { cpu: "1" } } },
      nodeKeySecret: { name: "my-key", key: "k" },
      network: { name: "n", genesis: { configMap: { name: "my-genesis", key: "g" } } },
    });
    const images = containersOf(pod).map(({ name, image }) => [name, image]);
    expect(Object.fromEntries(images)).toEqual({ genesis: "mine:2", node: "mine:2", gateway: "mine:3" });
    const gateway = containersOf(pod).find(({ name }) => name === "gateway");
    expect(gateway?.resources).toMatchObject({
      requests: { cpu: "10m" },
      limits: { cpu: "1", memory: "192Mi" },
    });
    expect(pod.volumes).toContainEqual(
      expect.objectContaining({
        secret: expect.objectContaining({ secretName: "my-key", items: [{ key: "k", path: "nodekey" }] }),
      }),
    );
    expect(pod.volumes).toContainEqual(
      expect.objectContaining({
        configMap: { name: "my-genesis", items: [{ key: "g", path: "genesis.json" }] },
      }),
    );
  });

  test("has the file with the BLS key that the settings name, where one is named", () => {
    const spec = { nodeKeySecret: { name: "my-key", blsKey: "b" } };
    expect(podOf(spec).volumes).toContainEqual(
      expect.objectContaining({
        secret: expect.objectContaining({
          items: [
            { key: "nodekey", path: "nodekey" },
            { key: "b", path: "bls-nodekey" },
          ],
        }),
      }),
    );
    expect(settingsText(aMember(spec))).toContain('"bls-nodekey": "/etc/knit-nodekey/bls-nodekey"');
    expect(settingsText(aMember({ settings: { "bls-nodekeyhex": "11" } }))).not.toContain("bls-nodekey");
  });

  test("goes where the Node says", () => {
    const toleration = { key: "chain", operator: "Exists", effect: "NoSchedule" };
    const scheduling = {
      nodeSelector: { disk: "fast" },
      tolerations: [toleration],
      priorityClassName: "high",
    };
    const term = { topologyKey: "kubernetes.io/hostname", labelSelector: expect.anything() };
    expect(podOf({ scheduling: { ...scheduling, spread: "Required" } })).toMatchObject({
      nodeSelector: { disk: "fast" },
      tolerations: [toleration],
      priorityClassName: "high",
      affinity: { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [term] } },
    });
    expect(podOf()).toMatchObject({
      affinity: {
        podAntiAffinity: {
          preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 100, podAffinityTerm: term }],
        },
      },
    });
    expect(podOf({ scheduling: { spread: "None" } })).not.toHaveProperty("affinity");
  });
});

describe("additions to the pod", () => {
  const sidecar = { name: "exporter", image: "exporter:1", args: ["--port=1"] };

  test("are all there, and nothing of the operator is lost", () => {
    const additions = {
      env: [{ name: "NODE_OPTIONS", valueFrom: { fieldRef: { fieldPath: "metadata.name" } } }],
      volumes: [{ name: "scratch", emptyDir: { sizeLimit: "1Gi" } }],
      volumeMounts: [{ name: "scratch", mountPath: "/scratch" }],
      containers: [sidecar],
      initContainers: [{ name: "wait", image: "wait:1", securityContext: { runAsUser: 5 } }],
      runtimeClassName: "gvisor",
      securityContext: { fsGroup: 7, runAsNonRoot: false },
      affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: {} } },
      topologySpreadConstraints: [],
    };
    const [plain, pod] = [podOf(), podOf({ podTemplate: additions })];
    const own = plain.containers[0];
    expect(pod.containers).toEqual([
      Object.assign({}, own, {
        env: [...(own?.env ?? []), ...additions.env],
        volumeMounts: [...(own?.volumeMounts ?? []), ...additions.volumeMounts],
      }),
      { ...sidecar, securityContext: own?.securityContext },
    ]);
    expect(pod.initContainers?.slice(0, 2)).toEqual(plain.initContainers);
    expect(pod.initContainers?.[2]).toEqual(additions.initContainers[0]);
    expect(pod.volumes).toEqual([...(plain.volumes ?? []), ...additions.volumes]);
    expect(pod).toMatchObject({
      runtimeClassName: "gvisor",
      securityContext: { runAsUser: 1000, fsGroup: 7, runAsNonRoot: true },
      affinity: Object.assign({}, plain.affinity, additions.affinity),
      topologySpreadConstraints: [],
    });
  });

  test("change the times of checks, and not what they ask", () => {
    const pod = podOf({
      podTemplate: { probes: { startup: { failureThreshold: 9_000 }, readiness: { timeoutSeconds: 9 } } },
    });
    const [own, node] = [podOf().containers[0], pod.containers[0]];
    expect(node?.startupProbe).toEqual(Object.assign({}, own?.startupProbe, { failureThreshold: 9_000 }));
    expect(node?.readinessProbe).toEqual(Object.assign({}, own?.readinessProbe, { timeoutSeconds: 9 }));
    expect(node?.livenessProbe).toEqual(own?.livenessProbe);
  });

  test("label and annotate the pod beside the labels and annotations of the operator", () => {
    const given = { labels: { team: "chain", "knit.dev/node": "other" }, annotations: { scan: "no" } };
    const { metadata } = podTemplate(aMember({ podTemplate: given }), PARTS);
    expect(metadata?.labels).toMatchObject({ team: "chain", "knit.dev/node": "first" });
    expect(metadata?.annotations).toMatchObject({ scan: "no", "knit.dev/settings": "d" });
  });

  test("spread nodes over zones when there are none, and spread is not None", () => {
    const term = { topologyKey: "topology.kubernetes.io/zone", whenUnsatisfiable: "ScheduleAnyway" };
    expect(podOf()).toMatchObject({ topologySpreadConstraints: [term] });
    expect(podOf({ scheduling: { spread: "None" } })).not.toHaveProperty("topologySpreadConstraints");
  });
});

describe("a private registry", () => {
  test("is reached with the secrets of the Node and of the operator, by digest, with a policy for each image", () => {
    const digest = `registry.example/knit@sha256:${"a".repeat(64)}`;
    const spec = {
      image: digest,
      imagePullPolicy: "Never",
      imagePullSecrets: [{ name: "own" }, { name: "all" }],
    };
    const options = {
      ...PARTS,
      nodePullPolicy: "Always",
      gatewayPullPolicy: "IfNotPresent",
      pullSecrets: ["all", "site"],
    };
    const { spec: pod } = podTemplate(aMember(spec), options);
    expect(pod?.imagePullSecrets).toEqual([{ name: "own" }, { name: "all" }, { name: "site" }]);
    const images = pod && containersOf(pod).map(({ image, imagePullPolicy }) => [image, imagePullPolicy]);
    expect(images).toEqual([
      [digest, "Never"],
      ["operator:1", "IfNotPresent"],
      [digest, "Never"],
    ]);
    expect(podTemplate(aMember(), options).spec?.containers[0]?.imagePullPolicy).toBe("Always");
    expect(podOf()).not.toHaveProperty("imagePullSecrets");
    expect(podOf().containers[0]).not.toHaveProperty("imagePullPolicy");
  });
});

test("ids of users are left to a cluster that assigns them", () => {
  const { spec } = podTemplate(aMember(), { ...PARTS, assignsIds: true });
  expect(spec?.securityContext).toEqual({
    runAsNonRoot: true,
    fsGroupChangePolicy: "OnRootMismatch",
    seccompProfile: { type: "RuntimeDefault" },
  });
});

/** The gateway of a pod that listens on this host. */
const gatewayOn = (listenHost?: string) =>
  podTemplate(aMember(), { ...PARTS, listenHost }).spec?.initContainers?.[1];

test("node and gateway listen on all addresses, those of IPv6 among them where there are such", () => {
  expect(gatewayOn("::")?.args).toEqual(
    expect.arrayContaining(["--listen=[::]:7443", "--health-address=[::]:7444"]),
  );
  expect(gatewayOn()?.args).toContain("--listen=0.0.0.0:7443");
  expect(settingsText(aMember(), "::")).toMatch(/"rpcaddr": "::"[^]*"wsaddr": "::"/);
  expect(settingsText(aMember())).toContain('"rpcaddr": "0.0.0.0"');
});

describe("members", () => {
  const THREE = { replicas: 3 };

  test("have a key, a volume and a pod of their own, and no other's", () => {
    expect(membersOf(aNode(THREE)).map(({ name }) => name)).toEqual(["first", "first-m1", "first-m2"]);
    const volumes = (index: number): string => JSON.stringify(podOf(THREE, index).volumes);
    for (const own of ["first-m1-nodekey", "first-m1-data", "first-m1-settings", "first-m1-gateway"]) {
      expect(volumes(1)).toContain(`"${own}"`);
      expect(volumes(2)).not.toContain(`"${own}"`);
    }
  });

  test("are told apart by their StatefulSets and Services, and are one to the Node's", () => {
    const set = statefulSet(aMember(THREE, 1), podTemplate(aMember(THREE, 1), PARTS));
    const { matchLabels } = (set["spec"] as { selector: { matchLabels: object } }).selector;
    expect(matchLabels).toEqual({
      "app.kubernetes.io/name": "knit",
      "knit.dev/node": "first",
      "knit.dev/member": "first-m1",
    });
    expect(specOf(set).template?.metadata.labels).toMatchObject(matchLabels);
    expect(specOf(peerService(aMember(THREE, 1))).selector).toEqual(matchLabels);
    expect(specOf(rpcService(aNode(THREE))).selector).not.toHaveProperty("knit.dev/member");
    expect(specOf(membersService(aNode(THREE)))).toMatchObject({ clusterIP: "None" });
    expect(set).toMatchObject({ spec: { serviceName: membersService(aNode(THREE)).metadata.name } });
  });

  test("that are suspended have no pod", () => {
    const sets = [{}, { suspend: true }].map((spec) => statefulSet(aMember(spec), {}));
    expect(sets).toMatchObject([{ spec: { replicas: 1 } }, { spec: { replicas: 0 } }]);
  });
});

describe("Services", () => {
  test("name ports that the pod has, and only those that are served", () => {
    const spec = { api: { ws: { enabled: true } } };
    const ports = containersOf(podOf(spec)).flatMap(({ ports: each = [] }) => each.map(({ name }) => name));
    const services = [peerService(aMember(spec)), membersService(aNode(spec)), rpcService(aNode(spec))];
    expect(services.flatMap(namesIn).filter((name) => !ports.includes(name))).toEqual([]);
    expect(namesIn(rpcService(aNode(spec)))).toEqual(["http", "ws"]);
    expect(namesIn(rpcService(aNode()))).toEqual(["http"]);
    expect(rpcService(aNode({ api: { http: { enabled: false } } }))).toBeUndefined();
  });

  test("send a client to one replica, and have what the template adds, as far as their type takes it", () => {
    expect(rpcService(aNode())?.spec).toMatchObject({ type: "ClusterIP", sessionAffinity: "ClientIP" });
    const serviceTemplate = {
      annotations: { "balancer.example/scheme": "internal" },
      labels: { team: "chain", "knit.dev/node": "other" },
      sessionAffinity: "None",
      trafficDistribution: "PreferClose",
      externalTrafficPolicy: "Local",
      loadBalancerSourceRanges: ["203.0.113.0/24"],
    };
    const inside = rpcService(aNode({ serviceTemplate }));
    expect(inside?.metadata).toMatchObject({
      annotations: serviceTemplate.annotations,
      labels: { team: "chain", "knit.dev/node": "first" },
    });
    expect(inside?.spec).toMatchObject({ sessionAffinity: "None", trafficDistribution: "PreferClose" });
    expect(inside?.spec).not.toHaveProperty("externalTrafficPolicy");
    expect(inside?.spec).not.toHaveProperty("loadBalancerSourceRanges");
    const outside = rpcService(aNode({ serviceTemplate: { ...serviceTemplate, type: "LoadBalancer" } }));
    expect(outside?.spec).toMatchObject({
      type: "LoadBalancer",
      externalTrafficPolicy: "Local",
      loadBalancerSourceRanges: ["203.0.113.0/24"],
    });
  });

  test("open nothing but the port for peers to the outside, and only when it is asked for", () => {
    expect(externalService(aMember())).toBeUndefined();
    const outside = externalService(aMember({ p2p: { external: "LoadBalancer" } }));
    expect([specOf(outside).type, namesIn(outside)]).toEqual(["LoadBalancer", ["p2p"]]);
  });

  test("are found by a ServiceMonitor once for each pod", () => {
    const monitor = serviceMonitor(aNode({ monitoring: { labels: { release: "prom" } } }));
    const { selector } = (monitor?.["spec"] ?? {}) as { selector?: { matchLabels?: object } };
    const matchLabels = selector?.matchLabels ?? { nothing: "" };
    const isFound = ({ metadata }: Draft): boolean =>
      Object.entries(matchLabels).every(([name, value]) => metadata.labels?.[name] === value);
    expect(monitor?.metadata.labels).toMatchObject({ release: "prom", "knit.dev/node": "first" });
    expect([membersService(aNode()), peerService(aMember())].map(isFound)).toEqual([true, false]);
    const labelled = {
      sourceLabels: ["__meta_kubernetes_pod_label_knit_dev_network"],
      targetLabel: "network",
    };
    const relabelings: unknown = expect.arrayContaining([labelled]);
    expect(monitor?.spec.endpoints).toMatchObject([
      { port: "metrics", relabelings },
      { port: "gateway-health", relabelings },
    ]);
    expect(namesIn(membersService(aNode()))).toEqual(["p2p", "metrics", "gateway-health"]);
    expect(serviceMonitor(aNode({ monitoring: { serviceMonitor: false } }))).toBeUndefined();
  });
});

/** The rule of the policy that opens a port. */
const reaching = (spec: object, port: number) => {
  const { ingress } = networkPolicy(aNode(spec), { operatorNamespace: "knit-system" })["spec"] as {
    ingress: { from?: unknown; ports: { port: number }[] }[];
  };
  return ingress.find(({ ports }) => ports.some((each) => each.port === port));
};

describe("the policy", () => {
  test("lets only the operator's pods to the gateway", () => {
    const guarded = reaching({}, 7_443);
    expect(guarded?.ports.map(({ port }) => port)).toEqual([7_443]);
    expect(JSON.stringify(guarded?.from)).toContain('"kubernetes.io/metadata.name":"knit-system"');
  });

  test("lets everybody to JSON-RPC, or the namespaces that are named; peers always", () => {
    expect([32_323, 8_551, 61_001].map((port) => reaching({}, port)?.from)).toEqual(Array(3).fill(undefined));
    const wallets = { networkPolicy: { clients: ["wallets"] } };
    expect(reaching(wallets, 32_323)?.from).toBeUndefined();
    expect(JSON.stringify(reaching(wallets, 8_551)?.from)).toContain("wallets");
    expect(JSON.stringify(reaching(wallets, 61_001)?.from)).toContain("wallets");
  });

  test("tells clients of metrics from those of JSON-RPC where they are named", () => {
    const both = { networkPolicy: { clients: ["wallets"], metricsClients: ["monitoring"] } };
    const froms = [61_001, 7_444, 8_551].map((port) => JSON.stringify(reaching(both, port)?.from));
    expect(froms.map((from) => [from.includes("wallets"), from.includes("monitoring")])).toEqual([
      [false, true],
      [false, true],
      [true, false],
    ]);
    const open = { networkPolicy: { metricsClients: ["monitoring"] } };
    expect(reaching(open, 8_551)?.from).toBeUndefined();
  });
});

test("volumes and keys have no owner, unless they are to go with the Node", () => {
  const kept = [{}, { whenDeleted: "Delete" }]
    .map((spec) => aMember(spec))
    .flatMap((member) => [volumeClaim(member, "1Gi"), nodeKeySecret(member, "k")]);
  expect(kept.map(owners)).toEqual([0, 0, 1, 1]);
});

test("drains are limited where more than one pod may take over", () => {
  expect(disruptionBudget(aNode())).toBeUndefined();
  const spec = { maxUnavailable: 1, unhealthyPodEvictionPolicy: "AlwaysAllow" };
  expect(disruptionBudget(aNode({ replicas: 2 }))).toMatchObject({ spec });
  const network = readNetwork({ metadata: META, spec: { genesis: { configMap: { name: "g" } } } });
  const nodes = ["b", "a"].map((name) => ({ name, uid: `uid-${name}` }));
  const budget = validatorBudget(network, { nodes, minAvailable: 3 });
  expect(budget.spec).toMatchObject({
    minAvailable: 3,
    unhealthyPodEvictionPolicy: "AlwaysAllow",
    selector: { matchExpressions: [{ key: "knit.dev/node", operator: "In", values: ["a", "b"] }] },
  });
  const owner = { apiVersion: "knit.dev/v1alpha1", kind: "Node" };
  expect(budget.metadata.ownerReferences).toEqual([
    { ...owner, name: "a", uid: "uid-a" },
    { ...owner, name: "b", uid: "uid-b" },
  ]);
});

function graceOf(spec: object): readonly unknown[] {
  const { spec: pod } = podTemplate(aMember(spec), PARTS);
  const { preStop } = pod?.containers[0]?.lifecycle ?? {};
  return [pod?.terminationGracePeriodSeconds, preStop?.exec?.command?.at(-1)];
}

test("the grace period of a pod is that of the spec, most of it for the trie cache", () => {
  expect(graceOf({})).toEqual([300, "240s"]);
  expect(graceOf({ terminationGracePeriodSeconds: 60 })).toEqual([60, "48s"]);
});
