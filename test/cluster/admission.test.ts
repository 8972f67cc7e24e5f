/**
 * Admission on a real API server: pods of Nodes that use every field, and those of the chart, in namespaces that enforce
 * the Pod Security level `restricted`, and in a cluster that assigns ids to pods as OpenShift does. Every example is
 * accepted and gets a status. No pods run.
 */
import { globSync } from "node:fs";
import { basename } from "node:path";
import { expect, test } from "@jest/globals";
import { parseAllDocuments, stringify } from "yaml";
import { nodeSpec } from "../../operator/api/node-spec.ts";
import { ASSIGNED_IDS } from "./support/assigned-ids.ts";
import { type Cluster, eventually, eventuallyIs, forbidden } from "./support/cluster.ts";
import { yamlOf } from "./support/demo-nodes.ts";
import { CORE_FEATURES, EVERY_FEATURE } from "./support/every-feature.ts";
import { aboutOperator, type Operated } from "./support/operated.ts";
import { OPERATOR_NAMESPACE } from "./support/operator-process.ts";
import { HTTP_ROUTES, SERVICE_MONITORS } from "./support/optional-definitions.ts";

const RESTRICTED = "pod-security.kubernetes.io/enforce=restricted";
const API = "knit.dev/v1alpha1";
const CHART = ["template", "knit-operator", "charts/knit-operator", `--namespace=${OPERATOR_NAMESPACE}`];

interface Made {
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly spec: { readonly template?: { readonly spec: object } };
}

const applyAll = (cluster: Cluster, objects: readonly object[]): Promise<string> =>
  cluster.kubectl(["apply", "-f", "-"], yamlOf(objects));

/** The pods that the chart makes, those of its hooks among them. */
async function chartPods(cluster: Cluster, ...flags: string[]): Promise<readonly object[]> {
  const text = await cluster.helm(...CHART, ...flags);
  const objects = parseAllDocuments(text).map((each) => each.toJS() as Made);
  return objects
    .filter(({ kind }) => ["Deployment", "Job", "Pod"].includes(kind))
    .map(({ kind, metadata: { name }, spec }) => ({
      apiVersion: "v1",
      kind: "Pod",
      metadata: { name: `${name}-${kind.toLowerCase()}`, namespace: OPERATOR_NAMESPACE },
      spec: { ...(spec.template?.spec ?? spec), serviceAccountName: "default" },
    }));
}

/** Asks the API server for each pod, makes none, and returns its complaints, empty for those that it admits. */
async function complaints(cluster: Cluster, pods: readonly object[]): Promise<readonly string[]> {
  const answers = pods.map((pod) =>
    cluster.tryKubectl(["create", "--dry-run=server", "-f", "-"], stringify(pod)),
  );
  return (await Promise.all(answers)).map(({ stderr }) => stderr.replace(/^Warning: .*\n/gm, ""));
}

const node = (name: string, spec: object, namespace: string): object => ({
  apiVersion: API,
  kind: "Node",
  metadata: { name, namespace },
  spec,
});

/** Makes the Network, a Node with every field and a core node with a key, and waits for their pods. */
async function expectPodsOfEveryFeature({ cluster }: Operated, namespace: string): Promise<void> {
  const key = { apiVersion: "v1", kind: "Secret", metadata: { name: "core-key", namespace } };
  const genesis = { create: { chainId: 7, validators: ["core"] } };
  await applyAll(cluster, [
    { ...key, stringData: { nodekey: "1".padStart(64, "0") } },
    { apiVersion: API, kind: "Network", metadata: { name: "demo", namespace }, spec: { genesis } },
    node("core", CORE_FEATURES, namespace),
    node("full", EVERY_FEATURE, namespace),
  ]);
  const names = ["-n", namespace, "get", "pods", "-o", "jsonpath={.items[*].metadata.name}"];
  await eventually("the pods", async () => {
    const found = await cluster.kubectl(names);
    if (found !== "core-0 full-0 full-m1-0") throw new Error(found);
    return true;
  });
}

const prepare = (more: (cluster: Cluster) => Promise<unknown>) => async (cluster: Cluster) => {
  await applyAll(cluster, [SERVICE_MONITORS, HTTP_ROUTES]);
  await more(cluster);
};

const examples = globSync("examples/*.yaml").map((file) => basename(file, ".yaml"));

test("the Nodes of these tests have every field of the definition", () => {
  const used = new Set([...Object.keys(EVERY_FEATURE), ...Object.keys(CORE_FEATURES)]);
  const fields = Object.keys(nodeSpec.schema.properties ?? {});
  expect(fields.length).toBeGreaterThan(20);
  expect(fields.filter((field) => !used.has(field))).toEqual([]);
  const additions = nodeSpec.schema.properties?.["podTemplate"]?.properties ?? {};
  // A RuntimeClass is one of the cluster, which has none.
  expect(Object.keys(additions).filter((name) => !(name in EVERY_FEATURE.podTemplate))).toEqual([
    "runtimeClassName",
  ]);
});

aboutOperator(
  "Pod Security `restricted`",
  {
    namespaces: ["demo", ...examples],
    prepare: prepare((cluster) => cluster.kubectl(["create", "namespace", "free"])),
  },
  (on) => {
    test("admits the pods of a Node with every field, and those of the chart", async () => {
      await on.cluster.kubectl(["label", "namespace", "demo", OPERATOR_NAMESPACE, RESTRICTED]);
      await expectPodsOfEveryFeature(on, "demo");
      const pods = await chartPods(on.cluster);
      expect(await complaints(on.cluster, pods)).toEqual(["", "", "", ""]);
      const [first] = pods as { spec: object }[];
      const [complaint] = await complaints(on.cluster, [
        { ...first, spec: { ...first?.spec, hostNetwork: true } },
      ]);
      expect(complaint).toContain('violates PodSecurity "restricted:latest"');
    }, 180_000);

    test("refuses a port of the machine, and the status of the Node has the cause", async () => {
      const spec = { type: "proxy", network: { name: "demo" }, p2p: { external: "HostPort" } };
      await applyAll(on.cluster, [node("outside", spec, "demo")]);
      const ready = 'jsonpath={.status.conditions[?(@.type=="Ready")].message}';
      await eventually("the cause", async () => {
        const message = await on.demo("get", "kn", "outside", "-o", ready);
        if (!/refuses the pod: .*violates PodSecurity .*hostPort/.test(message)) throw new Error(message);
        return true;
      });
      expect(forbidden(on.cluster)).toEqual([]);
    }, 180_000);

    test.each(examples)(
      "examples/%s.yaml is accepted, and each of its resources gets a status",
      async (name) => {
        await on.cluster.kubectl(["-n", name, "apply", "-f", `examples/${name}.yaml`]);
        await eventually("the statuses", async () => {
          const { items } = await on.cluster.get<{ items: Reported[] }>("-n", name, "kn,knet");
          const open = items.filter(({ metadata, status }) => !isReported(metadata.generation, status));
          if (items.length < 2 || open.length > 0)
            throw new Error(open.map(({ metadata }) => metadata.name).join());
          return true;
        });
        await on.cluster.kubectl(["delete", "namespace", name, "--wait=false"]);
      },
      120_000,
    );
  },
);

interface Reported {
  readonly metadata: { readonly name: string; readonly generation: number };
  readonly status?: {
    readonly observedGeneration?: number;
    readonly conditions?: readonly { readonly type: string }[];
  };
}

/** True for a status about the newest spec, with the condition `Ready`. */
function isReported(generation: number, status: Reported["status"]): boolean {
  return (
    status?.observedGeneration === generation &&
    (status.conditions ?? []).some(({ type }) => type === "Ready")
  );
}

const OPEN_SHIFT = {
  flags: ["--set=podIds=assigned,rbac.deleteOwned=true"],
  control: { flags: "--enable-admission-plugins=OwnerReferencesPermissionEnforcement" },
};

aboutOperator(
  "a cluster that assigns ids, and guards owners",
  { ...OPEN_SHIFT, prepare: prepare((cluster) => applyAll(cluster, ASSIGNED_IDS)) },
  (on) => {
    test("admits the pods of a Node with every field, and those of the chart", async () => {
      await expectPodsOfEveryFeature(on, "demo");
      const assigned = await chartPods(on.cluster, "--set=podIds=assigned");
      expect(await complaints(on.cluster, assigned)).toEqual(["", "", "", ""]);
      const fixed = await complaints(on.cluster, await chartPods(on.cluster));
      expect(fixed).toHaveLength(4);
      for (const complaint of fixed)
        expect(complaint).toContain("an id outside of the range of its namespace");
    }, 180_000);

    test("lets the operator change the owners of volumes, and take over what an orphaned Node left", async () => {
      const spec = { type: "endpoint", network: { name: "demo" } };
      const ownersOf = (object: string): Promise<string> =>
        on.demo("get", object, "-o", "jsonpath={.metadata.ownerReferences[*].uid}");
      const uid = (): Promise<string> => on.demo("get", "kn", "kept", "-o", "jsonpath={.metadata.uid}");
      await applyAll(on.cluster, [node("kept", { ...spec, whenDeleted: "Delete" }, "demo")]);
      await eventuallyIs("the owner of the volume", () => ownersOf("pvc/kept-data"), await uid());
      await applyAll(on.cluster, [node("kept", { ...spec, whenDeleted: "Retain" }, "demo")]);
      await eventuallyIs("the owner of the volume", () => ownersOf("pvc/kept-data"), "");
      await on.demo("delete", "kn", "kept", "--cascade=orphan", "--timeout=60s");
      await applyAll(on.cluster, [node("kept", spec, "demo")]);
      const next = await uid();
      for (const object of ["serviceaccount/kept-node", "networkpolicy/kept"])
        await eventuallyIs(`the owner of ${object}`, () => ownersOf(object), next);
      expect(forbidden(on.cluster)).toEqual([]);
    }, 180_000);
  },
);
