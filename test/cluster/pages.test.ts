/**
 * The pages of the operator as a new user reads them, on an empty cluster of one node with real pods: every command in
 * them is run as it stands, in the order of the chapters, and what it promises is awaited. `npm run test:e2e` only.
 */
import { spawnSync } from "node:child_process";
import { globSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, jest, test } from "@jest/globals";
import { stringify } from "yaml";
import { type Cluster, eventually, openCluster, run, whyNoMachine } from "./support/cluster.ts";
import { type DemoNodes, demoNodes, yamlOf } from "./support/demo-nodes.ts";
import { loadImages } from "./support/image.ts";
import { PROMETHEUS_KINDS } from "./support/optional-definitions.ts";
import { chapters, REGISTRY, VERSIONS } from "./support/page-chapters.ts";
import { openReader, type PageReader } from "./support/page-reader.ts";
import { IMAGES } from "./support/real-pods.ts";
import { startS3Server } from "./support/s3-server.ts";

const missing = whyNoMachine();
const about = missing === undefined ? describe : describe.skip;
jest.setTimeout(900_000);
/** A first network takes less: the operator, the keys, the genesis and three pods. */
const MINUTES_TO_FIRST_NETWORK = 3;
const [VERSION, NEXT] = VERSIONS;
/** Further names of the images: of a newer release, of the tests, and without a registry, as the chart has them. */
const NAMES = [
  [`knit:${VERSION}`, `${REGISTRY}/knit:${NEXT}`],
  [`knit:${VERSION}`, IMAGES.node],
  [`knit:${VERSION}`, `docker.io/library/knit:${VERSION}`],
  [`knit-operator:${VERSION}`, `docker.io/library/knit-operator:${VERSION}`],
] as const;
/** Port for peers of the Node that takes one of its machine. */
const HOST_PORT = 32_400;
const SYSTEM = ["-n", "knit-system"];
const CERTIFICATE =
  "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout rpc.key -out rpc.crt -subj /CN=rpc.example.org";

/** A peer as a node lists it. */
interface PeerInfo {
  readonly network: { readonly remoteAddress: string };
}

const aNode = (name: string, spec: object): object => ({
  apiVersion: "knit.dev/v1alpha1",
  kind: "Node",
  metadata: { name },
  spec: { network: { name: "demo" }, ...spec },
});

about(`the pages of the operator${missing === undefined ? "" : ` (skipped: ${missing})`}`, () => {
  let cluster: Cluster;
  let reader: PageReader;
  let nodes: DemoNodes;

  beforeAll(async () => {
    cluster = await openCluster({ node: true });
    await loadImages(cluster, {
      node: `${REGISTRY}/knit:${VERSION}`,
      operator: `${REGISTRY}/knit-operator:${VERSION}`,
    });
    for (const [from, to] of NAMES) {
      const tag = ["ctr", "-n", "k8s.io", "images", "tag", `${REGISTRY}/${from}`, to];
      const { code, stderr } = await cluster.script("exec", ...tag);
      if (code !== 0) throw new Error(stderr);
    }
    nodes = demoNodes(cluster);
    reader = await openReader(cluster);
  }, 900_000);

  afterAll(async () => {
    const { counts } = reader ?? {};
    process.stderr.write(`pages: ${counts?.run.size} commands run, ${counts?.left.size} not run here\n`);
    reader?.[Symbol.dispose]();
    await cluster?.[Symbol.asyncDispose]();
  }, 120_000);

  const operatorRuns = (): Promise<string> =>
    cluster.kubectl([...SYSTEM, "rollout", "status", "deployment/knit-operator", "--timeout=120s"]);
  const authorityId = async (): Promise<string> => {
    const secret = ["get", "secret", "knit-operator-authority", "--ignore-not-found"];
    return cluster.kubectl([...SYSTEM, ...secret, "-o", "jsonpath={.metadata.uid}"]);
  };
  const finalizers = (): Promise<string> =>
    nodes.demo("get", "kn", "-o", "jsonpath={.items[*].metadata.finalizers}");
  const held = (): Promise<string> =>
    eventually("the finalizers", async () => (await finalizers()) || undefined);
  const maintained = (node: string, operation: string) => () => nodes.maintained(node, operation);

  test("a new user has a first network within minutes, by the first two pages alone", async () => {
    const started = Date.now();
    await reader.read(chapters.install);
    await reader.read(chapters.firstNetwork);
    const minutes = (Date.now() - started) / 60_000;
    process.stderr.write(`pages: ${minutes.toFixed(1)} minutes to the first network\n`);
    expect(minutes).toBeLessThan(MINUTES_TO_FIRST_NETWORK);
  });

  test("each command in the notes of the chart works", async () => {
    const notes = await cluster.helm("get", "notes", "knit-operator", "--namespace=knit-system");
    const commands = [...notes.matchAll(/^ {2}((?:kubectl|helm) .*)$/gm)].map(([, text = ""]) => text);
    expect(commands.length).toBeGreaterThan(3);
    // A forwarded port stays open until it is interrupted.
    for (const text of commands.filter((each) => !each.includes("port-forward"))) {
      const ended = await run("bash", ["-ec", text], { env: await cluster.shellVariables() });
      expect({ text, ...ended }).toMatchObject({ text, code: 0 });
    }
  });

  test("process and monitoring: the chart makes its monitors and rules", async () => {
    await reader.read(chapters.process);
    await cluster.kubectl(["apply", "-f", "-"], yamlOf(PROMETHEUS_KINDS));
    await reader.read(chapters.monitoring, { hasPlugin: true, after: { "helm upgrade": operatorRuns } });
    const made = await cluster.kubectl([...SYSTEM, "get", "podmonitors,prometheusrules", "-o", "name"]);
    expect(made.trim().split("\n")).toHaveLength(2);
  });

  test("backups: one is made, and an empty namespace starts from it", async () => {
    const { variables } = await startS3Server(cluster);
    const lines = Object.entries(variables).map(([name, value]) => `${name}=${value}\n`);
    const archive = join(reader.directory, "archive.env");
    writeFileSync(archive, lines.join(""));
    const [saved, ...restored] = reader.resources(chapters.backups.page);
    writeFileSync(join(reader.directory, "restored.yaml"), yamlOf(restored));
    await nodes.demo("create", "secret", "generic", "archive", `--from-env-file=${archive}`);
    await nodes.apply([saved ?? {}]);
    await nodes.atRest();
    await reader.read(chapters.backups, {
      after: {
        "kubectl -n demo annotate kn/endpoint": maintained("endpoint", "checkpoint"),
        "kubectl create namespace restored": async () => {
          const log = ["-n", "restored", "logs", "endpoint-0", "-c", "genesis"];
          await eventually("the restored chain", async () =>
            (await cluster.kubectl(log)).includes("started from a checkpoint") ? true : undefined,
          );
          await cluster.kubectl(["delete", "namespace", "restored", "--wait=false"]);
        },
      },
    });
  });

  test("the plugin: every command of its table", async () => {
    const restart = nodes.recreation("proxy");
    const phase = (wanted: string) => () => nodes.becomes("kn/proxy", ".status.phase", wanted);
    await reader.read(chapters.plugin, {
      namespace: "demo",
      before: { "kubectl knit restart": restart.note },
      after: {
        "kubectl knit migrate": maintained("proxy", "migrate"),
        "kubectl knit save-cache": maintained("proxy", "save-cache"),
        "kubectl knit checkpoint": maintained("endpoint", "checkpoint"),
        "kubectl knit restart": restart.wait,
        "kubectl knit pause": phase("Paused"),
        "kubectl knit resume": phase("Running"),
      },
    });
  });

  test("maintenance: each operation succeeds, also another volume", async () => {
    const claim = await nodes.field("pvc/proxy-data", ".metadata.uid");
    const request = "kubectl -n demo annotate kn proxy knit.dev/run=";
    await reader.read(chapters.maintenance, {
      after: {
        [`${request}migrate`]: maintained("proxy", "migrate"),
        [`${request}save-cache`]: maintained("proxy", "save-cache"),
        [`${request}replace`]: maintained("proxy", "replace"),
      },
    });
    await nodes.atRest();
    expect(await nodes.field("pvc/proxy-data", ".metadata.uid")).not.toBe(claim);
  });

  test("upgrade and rollback of the operator restart no pod of a node", async () => {
    const before = await nodes.pods();
    await reader.read(chapters.upgradeOperator, { after: { "helm rollback": operatorRuns } });
    await nodes.atRest();
    expect(await nodes.pods()).toBe(before);
  });

  test("a new image, a restart and a pause of Nodes", async () => {
    const [image, restart] = [nodes.recreation("endpoint"), nodes.recreation("proxy")];
    const [patch, request] = [
      "kubectl -n demo patch kn endpoint",
      "kubectl -n demo annotate kn proxy knit.dev/run",
    ];
    await reader.read(chapters.upgradeNodes, {
      before: { [patch]: image.note, [request]: restart.note },
      after: { [patch]: image.wait, [request]: restart.wait },
    });
    const used = await nodes.field("pod/endpoint-0", '.spec.containers[?(@.name=="node")].image');
    expect(used).toBe(`${REGISTRY}/knit:${NEXT}`);
    await nodes.becomes("kn/proxy", ".status.phase", "Running");
  });

  test("validators join the council of a sole one, and leave it, while blocks go on", async () => {
    await nodes.apply(["core-4", "core-5"].map((name) => aNode(name, { type: "core" })));
    await nodes.atRest();
    const [joins, leaves] = ["core-5", "core-4"].map((name) => `kubectl -n demo annotate kn ${name}`);
    await reader.read(chapters.validators, {
      before: { [leaves ?? ""]: () => nodes.maintain("core-4", "join-council") },
      after: {
        [joins ?? ""]: maintained("core-5", "join-council"),
        [leaves ?? ""]: maintained("core-4", "leave-council"),
      },
    });
    await nodes.maintain("core-5", "leave-council");
    await nodes.demo("delete", "kn", "core-4", "core-5", "--timeout=120s");
    const height = async (): Promise<number> => Number(await nodes.field("kn/core", ".status.height"));
    const before = await height();
    await eventually("blocks", async () => ((await height()) > before ? true : undefined));
  });

  test("replicas: the endpoint is scaled", async () => {
    await reader.read(chapters.replicas);
    await nodes.becomes("kn/endpoint", ".status.readyMembers", "3");
    await nodes.demo("scale", "kn/endpoint", "--replicas=1");
    await nodes.becomes("kn/endpoint", ".status.replicas", "1");
    await nodes.atRest();
  });

  test("TLS: the certificate is in the Ingress, and another authority restarts no pod", async () => {
    const { directory } = reader;
    const made = spawnSync("openssl", CERTIFICATE.split(" "), { cwd: directory, encoding: "utf8" });
    expect({ code: made.status, text: made.stderr }).toMatchObject({ code: 0 });
    await nodes.apply(reader.resources(chapters.tls.page));
    await nodes.becomes("ingress/endpoint", ".spec.tls[*].secretName", "rpc-tls");
    await nodes.atRest();
    const [before, authority] = [await nodes.pods(), await authorityId()];
    await reader.read(chapters.tls);
    await eventually("another authority", async () => {
      const found = await authorityId();
      return found === authority || found === "" ? undefined : true;
    });
    await operatorRuns();
    await nodes.atRest();
    expect(await nodes.pods()).toBe(before);
  });

  test("a private registry: the operator gives its secrets to new pods, and restarts none", async () => {
    const before = await nodes.pods();
    await reader.read(chapters.privateRegistry);
    await operatorRuns();
    await nodes.becomes("kn/proxy", ".status.outdated[*].reason", "ReleaseChanged");
    await nodes.atRest();
    expect(await nodes.pods()).toBe(before);
  });

  test("public networks: the example is accepted", async () => {
    await reader.read(chapters.publicNetworks);
    const phase = ["-n", "kairos", "get", "kn", "kairos", "-o", "jsonpath={.status.phase}"];
    await eventually("a phase", async () => (await cluster.kubectl(phase)) || undefined);
    await cluster.kubectl(["delete", "namespace", "kairos", "--wait=false"]);
  });

  test("public networks: the port of a machine is announced, and peers reach the node there", async () => {
    await nodes.apply([aNode("outside", { type: "proxy", p2p: { external: "HostPort", port: HOST_PORT } })]);
    await nodes.atRest();
    const place = `@${await nodes.field("pod/outside-0", ".status.hostIP")}:${HOST_PORT}`;
    const url = await nodes.field("kn/outside", ".status.members[0].externalUrl");
    expect(url).toContain(place);
    const { kni } = (await nodes.network.inside("outside", "admin_nodeInfo")) as { kni: string };
    expect(kni).toContain(place);
    // Nobody else dials an endpoint, and this one dials nobody else.
    await nodes.apply([aNode("stranger", { type: "endpoint", peers: { types: [], urls: [url] } })]);
    await nodes.atRest();
    const peers = (await nodes.network.inside("stranger", "admin_peers")) as readonly PeerInfo[];
    expect(peers.map((peer) => `@${peer.network.remoteAddress}`)).toEqual([place]);
    expect(Number(await nodes.field("kn/stranger", ".status.height"))).toBeGreaterThan(0);
    await nodes.demo("delete", "kn", "stranger", "outside", "--timeout=120s");
  });

  test("troubleshooting and alerts: each command that they name answers", async () => {
    await reader.read(chapters.troubleshooting, { namespace: "demo", hasPlugin: true });
    await reader.read(chapters.alerts, { namespace: "demo", hasPlugin: true });
    await reader.read(chapters.objects);
    await nodes.atRest();
  });

  test("the API server accepts the resources in all pages", async () => {
    const shown = globSync("docs/operator/*.md").flatMap(reader.resources);
    const served = shown.filter(({ apiVersion }) => !apiVersion.includes("fluxcd.io"));
    expect(served.length).toBeGreaterThan(15);
    for (const { metadata, ...rest } of served) {
      const object = stringify({ ...rest, metadata: { ...metadata, namespace: "default" } });
      const printed = await cluster.kubectl(["apply", "--dry-run=server", "-f", "-"], object);
      expect(printed).toContain("(server dry run)");
    }
  });

  test("the network goes with its namespace, and one is made from the values of a chart", async () => {
    await reader.read(chapters.deleteNetwork);
    await reader.read(chapters.networkChart);
    expect(await cluster.helm("uninstall", "mine", "--namespace=demo")).toContain("uninstalled");
    await cluster.kubectl(["delete", "namespace", "demo", "--timeout=300s"]);
  });

  test("the operator goes by its Job, or without it by hand", async () => {
    await cluster.kubectl(["create", "namespace", "demo"]);
    await nodes.demo("apply", "-f", "examples/network.yaml");
    await held();
    await reader.read(chapters.uninstall, {
      after: { "helm uninstall": async () => expect(await finalizers()).toBe("") },
      before: {
        "kubectl get kn --all-namespaces": async () => {
          await reader.read(chapters.operatorChart);
          await operatorRuns();
          await held();
          await cluster.helm("uninstall", "knit-operator", "--namespace=knit-system", "--no-hooks");
        },
      },
    });
    expect(await cluster.kubectl(["get", "crd", "-o", "name"])).not.toContain("knit.dev");
  });

  test("the first page of the repository: the same network, on the cluster that is empty again", async () => {
    await cluster.kubectl(["delete", "namespace", "demo", "knit-system", "--timeout=300s"]);
    await reader.read(chapters.readme);
    await nodes.atRest();
  });
});
