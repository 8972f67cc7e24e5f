/** The chart as helm reads it: what its values make of it, and that each of them is described. */
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { isDeepStrictEqual } from "node:util";
import { describe, expect, test } from "@jest/globals";
import { parse, parseAllDocuments } from "yaml";
import { conform } from "../../operator/api/conform.ts";
import { networkSpec } from "../../operator/api/network-spec.ts";

const SCRIPT = fileURLToPath(new URL("cluster.sh", import.meta.url));
const CHART = "charts/knit-operator";
const found = spawnSync(SCRIPT, ["helm"], { encoding: "utf8" });
const about = found.status === 0 ? describe : describe.skip;

interface Made {
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly annotations?: Readonly<Record<string, string>>;
    readonly labels?: Readonly<Record<string, string>>;
  };
  readonly rules?: readonly object[];
  readonly spec?: {
    readonly replicas?: number;
    readonly selector?: object;
    readonly template?: {
      readonly spec: {
        readonly securityContext: object;
        readonly containers: readonly {
          args: string[];
          image: string;
          resources: object;
          securityContext: object;
        }[];
      };
    };
    readonly podMetricsEndpoints?: readonly object[];
  };
}

function helm(...args: string[]): string {
  const { status, stdout, stderr } = spawnSync(found.stdout.trim(), args, { encoding: "utf8" });
  if (status !== 0) throw new Error(`helm ${args.join(" ")}: ${stdout}${stderr}`);
  return stdout;
}

/** The objects that these values make, by kind. */
function renderObjects(...values: string[]): ReadonlyMap<string, Made> {
  const sets = values.map((value) => `--set=${value}`);
  const text = helm("template", "knit-operator", CHART, "--namespace=knit-system", ...sets);
  const objects = parseAllDocuments(text).map((document) => document.toJS() as Made);
  return new Map(objects.map((object) => [`${object.kind} ${object.metadata.name}`, object]));
}

/** The rights of the operator on Nodes and their objects. */
function rulesOf(...flags: string[]): unknown {
  const text = helm("template", "x", CHART, ...flags);
  const all = parseAllDocuments(text).map((document) => document.toJS() as Made);
  return all.find(({ kind, metadata }) => kind === "ClusterRole" && metadata.name === "x")?.rules;
}

const BUNDLE = "bundle/manifests/knit-operator.clusterserviceversion.yaml";

interface Bundle {
  readonly spec: {
    readonly install: {
      readonly spec: {
        readonly permissions: readonly { readonly rules: readonly object[] }[];
        readonly deployments: readonly Pick<Made, "spec">[];
      };
    };
  };
}

/** Arguments that the Lifecycle Manager or the cluster decides. */
const IN_BUNDLE: Readonly<Record<string, string>> = {
  "--namespace=": "--namespace=$(OPERATOR_NAMESPACE)",
  "--watch-namespace=": "--watch-namespace=$(WATCH_NAMESPACE)",
  "--pod-ids=": "--pod-ids=detected",
};

/** A right that the role on Nodes contains. */
const SECRETS_CREATE = { apiGroups: [""], resources: ["secrets"], verbs: ["create"] };

const podSpecOf = (made: Pick<Made, "spec"> | undefined) => made?.spec?.template?.spec;

const HOOK = {
  annotations: expect.objectContaining({
    "helm.sh/hook": "post-delete",
    "helm.sh/hook-delete-policy": "before-hook-creation,hook-succeeded",
  }),
};

/** The order in which helm runs hooks: by weight, then by name. */
function inHelmsOrder(hooks: readonly Made[]): readonly Made[] {
  const weight = ({ metadata }: Made): number => Number(metadata.annotations?.["helm.sh/hook-weight"] ?? 0);
  const byName = (a: Made, b: Made): number => (a.metadata.name < b.metadata.name ? -1 : 1);
  return hooks.toSorted((a, b) => weight(a) - weight(b) || byName(a, b));
}

/** Of an object's pods: the arguments, and what keeps them from doing harm. */
function podOf(all: ReadonlyMap<string, Made>, name: string) {
  const { spec } = all.get(name)?.spec?.template ?? {};
  const [container] = spec?.containers ?? [];
  return { args: container?.args, security: [spec?.securityContext, container?.securityContext] };
}

/** The paths of all values: an empty map or list is a value. */
function paths(value: unknown, path: string): readonly string[] {
  const isMap = typeof value === "object" && value !== null && !Array.isArray(value);
  if (!isMap || Object.keys(value).length === 0 || path === "resources") return [path];
  return Object.entries(value).flatMap(([name, each]) => paths(each, path === "" ? name : `${path}.${name}`));
}

/** The label by which a role is added to one of users. */
const label = (name: string) => `rbac.authorization.k8s.io/aggregate-to-${name}`;

const NETWORK_CHART = "charts/knit-network";

/** The Network that these values make, as the API server defaults nothing of it. */
function networkOf(...values: string[]) {
  const sets = values.map((value) => `--set=${value}`);
  return parse(helm("template", "mine", NETWORK_CHART, "--namespace=demo", ...sets)) as {
    readonly metadata: object;
    readonly spec: { readonly nodes: readonly { readonly name: string }[] };
  };
}

/** Names of rules and dashboards. */
const monitoringOf = (all: ReadonlyMap<string, Made>) =>
  [...all.keys()].filter((name) => /^(PrometheusRule|ConfigMap)/.test(name)).sort();

/** Resources of users; `kubectl scale` works on the second. */
const USED = ["nodes", "nodes/scale", "networks"];

/** Values without objects of the whole cluster. */
const NAMESPACED = ["rbac.aggregate=false", "crds.upgrade=false"];

about(`the chart${found.status === 0 ? "" : " (skipped: no helm)"}`, () => {
  test("has nothing that helm complains of", () => {
    expect(helm("lint", "--strict", CHART)).toContain("1 chart(s) linted, 0 chart(s) failed");
  });

  test("gives rights in all namespaces, or in the one that is watched alone", () => {
    const everywhere = renderObjects();
    expect([...everywhere.keys()]).toEqual(
      expect.arrayContaining(["ClusterRole knit-operator", "ClusterRoleBinding knit-operator"]),
    );
    const one = renderObjects("watchNamespace=mine", ...NAMESPACED);
    expect([...one.keys()].filter((name) => name.startsWith("Cluster"))).toEqual([]);
    expect(one.get("Role knit-operator")?.metadata.namespace).toBe("mine");
    expect(one.get("Role knit-operator-own")?.metadata.namespace).toBe("knit-system");
  });

  test("passes its values on to the operator", () => {
    const values = ["replicas=2", "logLevel=debug", "pollSeconds=7", "peerAddress=pod", "image.tag=t"];
    const deployment = renderObjects(...values, "resources.limits.memory=1Gi").get(
      "Deployment knit-operator",
    );
    expect(deployment?.spec?.replicas).toBe(2);
    const [operator] = deployment?.spec?.template?.spec.containers ?? [];
    expect(operator).toMatchObject({
      image: "knit-operator:t",
      resources: { limits: { memory: "1Gi" } },
      args: expect.arrayContaining([
        "--gateway-image=knit-operator:t",
        "--log-level=debug",
        "--poll-seconds=7",
        "--peer-address=pod",
      ]),
    });
  });

  test.each([
    ["ClusterRole", "", {}],
    ["Role", "mine", { namespace: "mine" }],
  ])("releases the Nodes behind its own deletion: by a %s, in %j", (role, watched, place) => {
    const all = renderObjects(`watchNamespace=${watched}`);
    const hooks = [...all].flatMap(([name, { metadata }]) =>
      metadata.annotations?.["helm.sh/hook"] === "post-delete" ? [[name, metadata] as const] : [],
    );
    expect(Object.keys(Object.fromEntries(hooks)).sort()).toEqual(
      [
        "Job knit-operator-release",
        `${role} knit-operator-release`,
        `${role}Binding knit-operator-release`,
        "Role knit-operator-release-own",
        "RoleBinding knit-operator-release-own",
        "ServiceAccount knit-operator-release",
      ].sort(),
    );
    expect(hooks.map(([, metadata]) => metadata)).toEqual(hooks.map(() => expect.objectContaining(HOOK)));
    expect(all.get(`${role} knit-operator-release`)).toMatchObject({
      metadata: place,
      rules: [{ apiGroups: ["knit.dev"], resources: ["nodes"], verbs: ["list", "patch"] }],
    });
    const scope = ["--namespace=knit-system", "--lease=knit-operator"];
    const terms = [...scope, `--watch-namespace=${watched}`, "--log-level=info"];
    const [operator, job] = [podOf(all, "Deployment knit-operator"), podOf(all, "Job knit-operator-release")];
    expect(job.args).toEqual(["release", ...terms]);
    expect(operator.security).not.toContain(undefined);
    expect(job.security).toEqual(operator.security);
  });

  test.each(["", "mine"])(
    "runs the release Job behind its account and its rights, watching %j",
    (watched) => {
      const hooks = [...renderObjects(`watchNamespace=${watched}`).values()].filter(
        ({ metadata }) => metadata.annotations?.["helm.sh/hook"] === "post-delete",
      );
      expect(inHelmsOrder(hooks).map(({ kind }) => kind === "Job")).toEqual([
        ...Array<boolean>(5).fill(false),
        true,
      ]);
    },
  );

  test("makes a PodMonitor when it is asked to, and none by itself", () => {
    expect(renderObjects().has("PodMonitor knit-operator")).toBe(false);
    const monitor = renderObjects("monitoring.podMonitor=true,monitoring.intervalSeconds=15").get(
      "PodMonitor knit-operator",
    );
    expect(monitor?.spec?.podMetricsEndpoints).toEqual([
      { port: "health", path: "/metrics", honorLabels: true, interval: "15s" },
    ]);
  });

  test("makes alerts and dashboards when it is asked to, and none by itself", () => {
    expect(monitoringOf(renderObjects())).toEqual([]);
    const rules = [
      "monitoring.rules.enabled=true",
      "monitoring.rules.runbookUrl=https://wiki.example/alerts",
    ];
    const all = renderObjects(...rules, "monitoring.dashboards.enabled=true");
    expect(monitoringOf(all)).toEqual([
      ...["network", "node", "operator"].map((name) => `ConfigMap knit-operator-dashboard-knit-${name}`),
      "PrometheusRule knit-operator",
    ]);
    const text = JSON.stringify(all.get("PrometheusRule knit-operator"));
    expect(text).toContain("https://wiki.example/alerts#knitchainstalled");
    expect(text).toContain("{{ $labels.namespace }}");
  });

  test("describes each of its values", () => {
    const readme = readFileSync(`${CHART}/README.md`, "utf8");
    const values = paths(parse(readFileSync(`${CHART}/values.yaml`, "utf8")), "");
    expect(values.length).toBeGreaterThan(10);
    expect(values.filter((path) => !readme.includes(`\`${path}\``))).toEqual([]);
  });

  test("refuses a value that it does not know, and one of another type", () => {
    expect(() => renderObjects("replica=2")).toThrow("additional properties 'replica' not allowed");
    expect(() => renderObjects("image.digest=latest")).toThrow("image");
    expect(() => renderObjects("logLevel=loud")).toThrow("logLevel");
  });

  test("gives rights in each of several namespaces, and the same list to operator and release Job", () => {
    const all = renderObjects("watchNamespaces={a,b}", "watchNamespace=c", ...NAMESPACED);
    const text = helm("template", "x", CHART, "--set=watchNamespaces={a,b}", "--set=watchNamespace=c");
    const roles = parseAllDocuments(text).map((document) => document.toJS() as Made);
    const places = roles.filter(({ kind, metadata }) => kind === "Role" && metadata.name === "x");
    expect(places.map(({ metadata }) => metadata.namespace)).toEqual(["a", "b", "c"]);
    for (const name of ["Deployment knit-operator", "Job knit-operator-release"])
      expect(podOf(all, name).args).toContain("--watch-namespace=a,b,c");
  });

  test("adds Nodes and Networks to the roles of users: those who view see them, those who edit change them", () => {
    const all = renderObjects();
    expect(all.get("ClusterRole knit-operator-view")).toMatchObject({
      metadata: { labels: { [label("view")]: "true", [label("edit")]: "true", [label("admin")]: "true" } },
      rules: [{ resources: USED, verbs: ["get", "list", "watch"] }],
    });
    const edit = all.get("ClusterRole knit-operator-edit");
    const rules = [{ resources: USED, verbs: expect.arrayContaining(["patch"]) }];
    expect(edit).toMatchObject({ metadata: { labels: { [label("admin")]: "true" } }, rules });
    expect(edit?.metadata).not.toHaveProperty(["labels", label("view")]);
  });

  test("upgrades the definitions before an upgrade, with rights on them alone", () => {
    const all = renderObjects();
    expect(podOf(all, "Job knit-operator-crds").args).toEqual(["upgrade-crds", "--log-level=info"]);
    expect(all.get("Job knit-operator-crds")?.metadata.annotations).toMatchObject({
      "helm.sh/hook": "pre-upgrade",
    });
    expect(all.get("ClusterRole knit-operator-crds")?.rules).toMatchObject([
      { resourceNames: ["nodes.knit.dev", "networks.knit.dev"], verbs: ["patch"] },
      { resources: ["customresourcedefinitions"], verbs: ["create"] },
    ]);
    expect(renderObjects("crds.upgrade=false").has("Job knit-operator-crds")).toBe(false);
  });

  test("takes images by digest, pull secrets and ids of the cluster", () => {
    const digest = `sha256:${"a".repeat(64)}`;
    const values = [
      `image.digest=${digest}`,
      `nodeImage.digest=${digest}`,
      "nodes.imagePullSecrets={registry}",
    ];
    const deployment = renderObjects(...values, "imagePullSecrets[0].name=registry", "podIds=assigned").get(
      "Deployment knit-operator",
    );
    const { securityContext, containers, ...pod } = deployment?.spec?.template?.spec ?? {};
    expect(pod).toMatchObject({ imagePullSecrets: [{ name: "registry" }] });
    expect(securityContext).toEqual({ runAsNonRoot: true, seccompProfile: { type: "RuntimeDefault" } });
    expect(containers?.[0]).toMatchObject({
      image: `knit-operator@${digest}`,
      args: expect.arrayContaining([
        `--gateway-image=knit-operator@${digest}`,
        `--node-image=knit@${digest}`,
        "--node-pull-policy=IfNotPresent",
        "--gateway-pull-policy=IfNotPresent",
        "--pull-secrets=registry",
        "--pod-ids=assigned",
      ]),
    });
    const openShift = helm("template", "x", CHART, "--api-versions=security.openshift.io/v1");
    expect(openShift).toContain("--pod-ids=assigned");
    expect(openShift).not.toContain("runAsUser");
  });

  test("lets the operator delete claims where it could not change their owners otherwise", () => {
    const rights = {
      apiGroups: [""],
      resources: ["persistentvolumeclaims", "serviceaccounts"],
      verbs: ["delete"],
    };
    const openShift = "--api-versions=security.openshift.io/v1";
    expect(rulesOf()).not.toContainEqual(rights);
    expect(rulesOf(openShift)).toContainEqual(rights);
    expect(rulesOf("--set=rbac.deleteOwned=true")).toContainEqual(rights);
    expect(rulesOf(openShift, "--set=rbac.deleteOwned=false")).not.toContainEqual(rights);
  });

  test("names everything as it is told, and takes an account that exists", () => {
    const all = renderObjects(
      "fullnameOverride=other",
      "serviceAccount.create=false",
      "serviceAccount.name=mine",
    );
    const names = [...all.values()].map(({ metadata }) => metadata.name);
    expect(names.filter((name) => !name.startsWith("other"))).toEqual([]);
    expect(podOf(all, "Deployment other").args).toContain("--lease=other");
    expect(all.get("Deployment other")?.spec?.template?.spec).toMatchObject({ serviceAccountName: "mine" });
    expect(all.has("ServiceAccount other")).toBe(false);
  });

  test("asks a running release whether it is ready, by a pod that the Service of the operator does not lead to", () => {
    const all = renderObjects("commonLabels.team=chain");
    const { annotations, labels } = all.get("Pod knit-operator-test")?.metadata ?? {};
    expect(annotations).toMatchObject({ "helm.sh/hook": "test" });
    expect(labels).toMatchObject({ team: "chain", "app.kubernetes.io/instance": "knit-operator" });
    expect(labels).not.toMatchObject(all.get("Service knit-operator")?.spec?.selector ?? {});
  });
});

about(`the chart of a network${found.status === 0 ? "" : " (skipped: no helm)"}`, () => {
  test("has nothing that helm complains of, and describes its values", () => {
    expect(helm("lint", "--strict", NETWORK_CHART)).toContain("0 chart(s) failed");
    const readme = readFileSync(`${NETWORK_CHART}/README.md`, "utf8");
    const values = Object.keys(parse(readFileSync(`${NETWORK_CHART}/values.yaml`, "utf8")) as object);
    expect(values.filter((name) => !readme.includes(`\`${name}`))).toEqual([]);
  });

  test("makes one Network whose core nodes are its validators, and whose spec is one of a Network", () => {
    const made = networkOf();
    expect(made).toMatchObject({
      kind: "Network",
      metadata: { name: "mine", namespace: "demo" },
      spec: { genesis: { create: { chainId: 2019, validators: ["core-1", "core-2", "core-3", "core-4"] } } },
    });
    const { nodes = [] } = conform(networkSpec, made.spec, "spec");
    expect(nodes.map(({ name }) => name)).toEqual(made.spec.nodes.map(({ name }) => name));
    expect(nodes.length).toBe(6);
  });

  test("takes other nodes, defaults and an existing chain, and refuses what it does not know", () => {
    const values = [
      "name=ours",
      "genesis.configMap.name=g",
      "networkId=9",
      "nodes.core-4=null",
      "nodes.reader.type=endpoint",
    ];
    const made = networkOf(...values, "defaults.storage.size=20Gi");
    expect(made).toMatchObject({
      metadata: { name: "ours" },
      spec: { networkId: 9, genesis: { configMap: { name: "g" } }, defaults: { storage: { size: "20Gi" } } },
    });
    expect(made.spec.nodes.map(({ name }) => name)).toContain("reader");
    expect(made.spec.nodes.map(({ name }) => name)).not.toContain("core-4");
    expect(() => networkOf("node.a.type=core")).toThrow("additional properties 'node' not allowed");
    expect(() => networkOf("nodes.a.type=king")).toThrow("king");
  });

  test("the bundle for the Lifecycle Manager has the Deployment and the rights of the chart for a namespace", () => {
    const all = renderObjects("podIds=assigned", "rbac.deleteOwned=true", "watchNamespace=mine");
    const { install } = (parse(readFileSync(BUNDLE, "utf8")) as Bundle).spec;
    const [permission] = install.spec.permissions;
    const [deployment] = install.spec.deployments;
    const roleOf = (name: string) => all.get(name)?.rules ?? [];
    const own = roleOf("Role knit-operator-own").filter((rule) => !isDeepStrictEqual(rule, SECRETS_CREATE));
    expect(permission?.rules).toEqual([...roleOf("Role knit-operator"), ...own]);
    const chart = podSpecOf(all.get("Deployment knit-operator"));
    const bundle = podSpecOf(deployment);
    const [given, told] = [chart?.containers[0], bundle?.containers[0]];
    expect({ ...bundle, containers: undefined }).toEqual({ ...chart, containers: undefined });
    expect({ ...told, args: undefined, env: undefined }).toEqual({
      ...given,
      args: undefined,
      env: undefined,
    });
    expect(told?.args).toEqual(
      given?.args.map((argument) => IN_BUNDLE[/^--[-a-z]+=/.exec(argument)?.[0] ?? ""] ?? argument),
    );
  });
});
