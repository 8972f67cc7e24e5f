/** The operator against a real API server and controller manager, with the chart's own rights. No pods run here. */
import { readFileSync } from "node:fs";
import { expect, test } from "@jest/globals";
import { byOperator, eventually, forbidden } from "./support/cluster.ts";
import { aboutOperator } from "./support/operated.ts";
import { startOperator } from "./support/operator-process.ts";

const EXAMPLE = readFileSync("examples/network.yaml", "utf8");
const KINDS = "statefulset,service,configmap,secret,persistentvolumeclaim,networkpolicy,serviceaccount,pdb";
const OURS = "app.kubernetes.io/managed-by=knit-operator";

interface Item {
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly resourceVersion: string; readonly uid: string };
  readonly spec: Readonly<Record<string, unknown>>;
}

/** A Node as JSON. */
function aNode(name: string, spec: object): string {
  const metadata = { name, namespace: "demo" };
  return JSON.stringify({ apiVersion: "knit.dev/v1alpha1", kind: "Node", metadata, spec });
}

/** Objects of the Node called `name`. */
function objectsOf(name: string): string[] {
  return [
    `ConfigMap ${name}-settings`,
    `NetworkPolicy ${name}`,
    `PersistentVolumeClaim ${name}-data`,
    `Secret ${name}-gateway`,
    `Secret ${name}-nodekey`,
    `Service ${name}`,
    `Service ${name}-members`,
    `Service ${name}-peer`,
    `ServiceAccount ${name}-node`,
    `StatefulSet ${name}`,
  ];
}

aboutOperator("objects", {}, (on) => {
  /** A field of an object, once it is `wanted` or holds it. */
  const becomes = (object: string, path: string, wanted: string) =>
    eventually(`${object} ${path} ${wanted}`, async () => {
      const found = await on.demo("get", object, "-o", `jsonpath={${path}}`);
      return found.includes(wanted) ? found : undefined;
    });

  const change = (name: string, spec: object): Promise<string> =>
    on.demo("patch", "kn", name, "--type=merge", "-p", JSON.stringify({ spec }));

  const listed = async (...args: string[]): Promise<readonly Item[]> =>
    (await on.cluster.get<{ items: Item[] }>("-n", "demo", ...args)).items;

  const versions = async (): Promise<Readonly<Record<string, string>>> =>
    Object.fromEntries(
      (await listed(`${KINDS},nodes.knit.dev,networks.knit.dev`))
        .filter(({ metadata }) => !["kube-root-ca.crt", "default"].includes(metadata.name))
        .map(({ kind, metadata }) => [`${kind} ${metadata.name}`, metadata.resourceVersion]),
    );

  /** The versions once they stand still for two seconds. */
  const settled = () =>
    eventually("objects that stand still", async () => {
      const before = await versions();
      await new Promise((resolve) => setTimeout(resolve, 2_000));
      return JSON.stringify(await versions()) === JSON.stringify(before) ? before : undefined;
    });

  test("the example becomes objects, and pods that are restricted enough for any namespace", async () => {
    await on.cluster.kubectl(["label", "namespace", "demo", "pod-security.kubernetes.io/enforce=restricted"]);
    await on.cluster.kubectl(["-n", "demo", "apply", "-f", "-"], EXAMPLE);
    await eventually("the objects", async () =>
      (await listed(KINDS, "-l", OURS)).length >= 31 ? true : undefined,
    );
    await settled();
    const names = (await listed(KINDS, "-l", OURS))
      .map(({ kind, metadata }) => `${kind} ${metadata.name}`)
      .sort();
    expect(names).toEqual(
      ["ConfigMap demo-genesis", ...["core", "proxy", "endpoint"].flatMap(objectsOf)].sort(),
    );
    const pods = await listed("pod", "-l", OURS);
    expect(pods.map(({ metadata }) => metadata.name).sort()).toEqual(["core-0", "endpoint-0", "proxy-0"]);
    expect(await on.demo("get", "kn", "core", "-o", "wide")).toMatch(/core +core +False .*PodPending/);
    const described = await on.demo("get", "events", "-o", "name");
    expect(described.match(/event\/core\./g)?.length).toBeGreaterThanOrEqual(2);
  });

  test("the example of one resource makes its Nodes, and ends with them", async () => {
    const inEight = (...args: string[]) => on.cluster.kubectl(["-n", "eight", ...args]);
    await on.cluster.kubectl(["create", "namespace", "eight"]);
    await inEight("apply", "-f", "examples/network-nodes.yaml");
    const made = async () =>
      (await inEight("get", "kn", "-o", "name")).split("\n").filter((name) => name !== "");
    await eventually("seven Nodes", async () => ((await made()).length === 7 ? true : undefined));
    await eventually("the default of a volume", async () => {
      const size = await inEight("get", "pvc", "-o", "jsonpath={.items[*].spec.resources.requests.storage}");
      return /^(20Gi ){7}20Gi$/.test(size) ? size : undefined;
    });
    await inEight("delete", "knet/eight");
    await eventually("the end of its Nodes", async () => ((await made()).length === 0 ? true : undefined));
    await on.cluster.kubectl(["delete", "namespace", "eight"]);
  }, 240_000);

  test("additions to pods and Services are taken by the API server, in a namespace that is restricted", async () => {
    const spec = {
      type: "endpoint",
      network: { name: "demo" },
      whenDeleted: "Delete",
      imagePullPolicy: "IfNotPresent",
      imagePullSecrets: [{ name: "registry" }],
      podTemplate: {
        labels: { team: "chain" },
        env: [{ name: "ZONE", valueFrom: { fieldRef: { fieldPath: "metadata.namespace" } } }],
        volumes: [{ name: "scratch", emptyDir: { sizeLimit: "1Gi" } }],
        volumeMounts: [{ name: "scratch", mountPath: "/scratch" }],
        containers: [{ name: "exporter", image: "exporter:1", ports: [{ containerPort: 9_100 }] }],
        securityContext: { fsGroup: 2_000 },
        probes: { startup: { failureThreshold: 9_000 } },
      },
      serviceTemplate: {
        type: "NodePort",
        trafficDistribution: "PreferClose",
        externalTrafficPolicy: "Local",
      },
    };
    await on.cluster.kubectl(["apply", "-f", "-"], aNode("added", spec));
    await becomes("statefulset/added", ".spec.template.spec.containers[*].name", "node exporter");
    await becomes("statefulset/added", ".spec.template.spec.securityContext.fsGroup", "2000");
    await becomes("service/added", ".spec.type", "NodePort");
    await becomes("pod/added-0", ".spec.containers[1].securityContext.readOnlyRootFilesystem", "true");
    const misspelt = { containers: [{ name: "exporter", image: "exporter:1", prots: [] }] };
    await on.cluster.kubectl(["apply", "-f", "-"], aNode("misspelt", { ...spec, podTemplate: misspelt }));
    await becomes("kn/misspelt", ".status.conditions[?(@.type=='Degraded')].message", "prots");
    await on.demo("delete", "kn/added", "kn/misspelt");
  }, 120_000);

  test("the settings name the Service's hosts, and the genesis the core node's own address", async () => {
    const { data } = await on.cluster.get<{ data: Record<string, string> }>(
      "-n",
      "demo",
      "configmap",
      "core-settings",
    );
    expect(data["knit.yaml"]).toContain(
      '"rpcvhosts": ["localhost","core","core.demo","core.demo.svc","core.demo.svc.cluster.local"]',
    );
    const genesis = await on.cluster.get<{ data: Record<string, string>; immutable: boolean }>(
      "-n",
      "demo",
      "configmap",
      "demo-genesis",
    );
    const { status } = await on.cluster.get<{ status: { address: string; url: string } }>(
      "-n",
      "demo",
      "kn",
      "core",
    );
    expect(genesis.immutable).toBe(true);
    expect(genesis.data["genesis.json"]).toContain(status.address.slice(2));
    expect(status.url).toMatch(/^kni:\/\/[0-9a-f]{128}@core-peer\.demo\.svc:32323\?discport=0&ntype=cn$/);
  });

  const badPort = '[{"op":"replace","path":"/spec/ports/0/port","value":9999}]';
  test.each([
    [
      "a Service whose port was changed",
      ["patch", "service", "core", "--type=json", "-p", badPort],
      "service/core",
      ".spec.ports[0].port",
      "8551",
    ],
    [
      "a StatefulSet that was scaled away",
      ["scale", "sts", "proxy", "--replicas=0"],
      "sts/proxy",
      ".spec.replicas",
      "1",
    ],
    [
      "settings that were edited",
      ["patch", "cm", "core-settings", "-p", '{"data":{"knit.yaml":"x"}}'],
      "cm/core-settings",
      ".data",
      "core",
    ],
    [
      "a policy that was deleted",
      ["delete", "networkpolicy", "endpoint"],
      "networkpolicy/endpoint",
      ".metadata.name",
      "endpoint",
    ],
    [
      "a Service whose labels were taken away",
      ["label", "service", "proxy-peer", "knit.dev/node-", "app.kubernetes.io/managed-by-"],
      "service/proxy-peer",
      ".metadata.labels",
      "knit.dev/node",
    ],
    [
      "a certificate that was spoilt",
      ["patch", "secret", "core-gateway", "-p", '{"data":{"tls.crt":"eA=="}}'],
      "secret/core-gateway",
      ".data.tls\\.crt",
      "LS0tLS1CRUdJTi",
    ],
  ])("%s is put right", async (_name, harm, object, path, wanted) => {
    await on.demo(...harm);
    await becomes(object, path, wanted);
  });

  test("what others put into an object stays when it is put right", async () => {
    await on.demo("annotate", "service", "core", "example.com/note=ours");
    await on.demo("label", "service", "core", "example.com/team=ours");
    await on.demo("patch", "service", "core", "--type=json", "-p", badPort);
    await becomes("service/core", ".spec.ports[0].port", "8551");
    const { metadata } = await on.cluster.get<{ metadata: Record<string, Record<string, string>> }>(
      "-n",
      "demo",
      "service",
      "core",
    );
    expect(metadata["annotations"]).toMatchObject({ "example.com/note": "ours" });
    expect(metadata["labels"]).toMatchObject({ "example.com/team": "ours" });
  });

  test("an object of the same name that is another's is left alone, and said", async () => {
    await on.demo("create", "service", "clusterip", "taken", "--tcp=80");
    await on.cluster.kubectl(
      ["apply", "-f", "-"],
      aNode("taken", { type: "proxy", network: { name: "demo" } }),
    );
    const said = await becomes("kn/taken", ".status.conditions[0]", "ObjectRefused");
    expect(said).toContain("does not belong to the operator");
    expect(await on.demo("get", "service", "taken", "-o", "jsonpath={.spec.ports[0].port}")).toBe("80");
    await on.demo("delete", "kn", "taken");
    // What it owns goes in the controller manager's own time; later tests compare all that there is.
    await eventually("what stays of it", async () => {
      const left = (await listed(KINDS, "-l", `${OURS},knit.dev/node=taken`)).map(({ kind }) => kind).sort();
      return left.join() === "PersistentVolumeClaim,Secret" ? true : undefined;
    });
  });

  test("what cannot be is not asked for again until the spec changes", async () => {
    const bent = (nodeSelector: object): Promise<string> =>
      on.cluster.kubectl(
        ["apply", "-f", "-"],
        aNode("bent", { type: "proxy", network: { name: "demo" }, scheduling: { nodeSelector } }),
      );
    await bent({ "no label!": "x" });
    const said = await becomes("kn/bent", ".status.conditions[0]", "ObjectRefused");
    expect(said).toContain("no label!");
    await settled();
    const offset = on.cluster.audit().length;
    await new Promise((resolve) => setTimeout(resolve, 5_000)); // some tries, if there were any
    const tries = on.cluster
      .audit(offset)
      .filter((entry) => byOperator(entry) && entry.objectRef?.name === "bent");
    expect(tries.map(({ verb, requestURI }) => `${verb} ${requestURI}`)).toEqual([]);
    await bent({ disk: "fast" });
    await becomes("sts/bent", ".metadata.name", "bent");
    await on.demo("delete", "kn", "bent");
    await eventually("what stays of it", async () => {
      const left = (await listed(KINDS, "-l", `${OURS},knit.dev/node=bent`)).map(({ kind }) => kind).sort();
      return left.join() === "PersistentVolumeClaim,Secret" ? true : undefined;
    });
    await on.demo("delete", "pvc/bent-data", "secret/bent-nodekey");
  }, 120_000);

  test("a second reconcile writes nothing", async () => {
    const before = await settled();
    const offset = on.cluster.audit().length;
    for (const name of ["core", "proxy", "endpoint"]) {
      await on.demo("annotate", "kn", name, `note=${Date.now()}`);
    }
    await new Promise((resolve) => setTimeout(resolve, 3_000));
    const writes = on.cluster
      .audit(offset)
      .filter((entry) => byOperator(entry) && !["get", "list", "watch"].includes(entry.verb))
      .filter(({ objectRef }) => objectRef?.resource !== "leases");
    expect(writes.map(({ verb, requestURI }) => `${verb} ${requestURI}`)).toEqual([]);
    const after = await versions();
    for (const [name, version] of Object.entries(before)) {
      if (!name.startsWith("Node ")) expect([name, after[name]]).toEqual([name, version]);
    }
  }, 60_000);

  test("an operator that starts anew changes nothing, and takes over at once what was given back", async () => {
    const before = await settled();
    expect(await on.operator.stop()).toBe(0);
    on.operator = await startOperator(on.cluster);
    await eventually(
      "work",
      async () => (on.operator.output().includes("operator opened") ? true : undefined),
      15,
    );
    expect(await settled()).toEqual(before);
  }, 90_000);

  test("a volume grows, and stays with the node key when the Node goes, unless it is to go", async () => {
    await change("proxy", { storage: { size: "20Gi" } });
    await becomes("pvc/proxy-data", ".status.capacity.storage", "20Gi");
    await change("endpoint", { whenDeleted: "Delete" });
    await becomes("pvc/endpoint-data", ".metadata.ownerReferences[0].name", "endpoint");
    await on.demo("delete", "kn", "--all");
    const left = await eventually(
      "the end",
      async () => {
        const names = (await listed(KINDS, "-l", OURS))
          .map(({ kind, metadata }) => `${kind} ${metadata.name}`)
          .sort();
        if (names.length > 7) throw new Error(names.join(", "));
        return names;
      },
      60,
    );
    expect(left).toEqual([
      "ConfigMap demo-genesis",
      "PersistentVolumeClaim core-data",
      "PersistentVolumeClaim proxy-data",
      "PersistentVolumeClaim taken-data",
      "Secret core-nodekey",
      "Secret proxy-nodekey",
      "Secret taken-nodekey",
    ]);
  }, 180_000);

  test("the chart's rights are enough: nothing was forbidden", () => {
    expect(forbidden(on.cluster)).toEqual([]);
  });
});
