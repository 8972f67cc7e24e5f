/**
 * Manifests as kubeconform judges them, by the schemas of Kubernetes and of our definitions: what the charts make, the
 * examples, the resources of the pages, the objects that the operator writes, and the definitions of the bundle.
 */
import { spawnSync } from "node:child_process";
import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { parseAllDocuments, stringify } from "yaml";
import { reconcile } from "../../operator/reconcile/reconcile.ts";
import type { FakeCluster } from "../support/fake-cluster.ts";
import { freshCluster } from "../support/fresh-cluster.ts";
import { locationIn, writeSchemas } from "./support/schemas.ts";
import { toolPath } from "./support/tools.ts";

const kubeconform = toolPath("kubeconform");
const source = toolPath("schemas");
const helm = spawnSync("test/cluster/cluster.sh", ["helm"], { encoding: "utf8" }).stdout.trim();
const isBuilt = kubeconform !== "" && source !== "";
const about = isBuilt ? describe : describe.skip;
const note = isBuilt ? "" : " (skipped: test/cluster/tools.sh build kubeconform, and schemas)";

interface Judged {
  readonly resources?: readonly { readonly kind: string; readonly name: string; readonly msg: string }[];
  readonly summary: Readonly<Record<"valid" | "invalid" | "errors" | "skipped", number>>;
}

about(`kubeconform${note}`, () => {
  let directory = "";
  let cluster: FakeCluster;

  beforeAll(() => {
    directory = mkdtempSync(join(tmpdir(), "knit-schemas-"));
    mkdirSync(join(directory, "kinds"));
    writeSchemas(join(directory, "kinds"), source, globSync("crds/*.yaml"));
  });
  afterAll(() => rmSync(directory, { recursive: true }));
  freshCluster((fresh) => {
    cluster = fresh;
  });

  /** Judges manifests, and returns the complaints and the number of those that are valid. */
  function judge(manifests: string): readonly [complaints: readonly string[], valid: number] {
    const args = [
      "-strict",
      "-summary",
      "-output=json",
      `-schema-location=${locationIn(join(directory, "kinds"))}`,
    ];
    const { stdout, stderr } = spawnSync(kubeconform, args, { input: manifests, encoding: "utf8" });
    if (stdout === "") throw new Error(stderr);
    const { resources = [], summary } = JSON.parse(stdout) as Judged;
    return [resources.map(({ kind, name, msg }) => `${kind} ${name}: ${msg}`), summary.valid];
  }

  test("refuses a field that does not exist, a wrong type and an unknown kind", () => {
    const objects = [
      { apiVersion: "v1", kind: "Service", metadata: { name: "a" }, spec: { port: [] } },
      { apiVersion: "apps/v1", kind: "Deployment", metadata: { name: "b" }, spec: { replicas: "two" } },
      { apiVersion: "knit.dev/v1alpha1", kind: "Node", metadata: { name: "c" }, spec: { typ: "core" } },
      { apiVersion: "knit.dev/v1alpha1", kind: "Net", metadata: { name: "d" } },
    ];
    for (const object of objects) {
      const [complaints, valid] = judge(stringify(object));
      expect([object.metadata.name, complaints.length, valid]).toEqual([object.metadata.name, 1, 0]);
    }
  });

  test.each(globSync("examples/*.yaml"))("%s is valid", (file) => {
    const [complaints, valid] = judge(readFileSync(file, "utf8"));
    expect([complaints, valid > 0]).toEqual([[], true]);
  });

  test.each(globSync("bundle/manifests/knit.dev_*.yaml"))("%s is valid", (file) => {
    expect(judge(readFileSync(file, "utf8"))).toEqual([[], 1]);
  });

  test("the resources in the pages are valid", () => {
    const ours = globSync(["docs/operator.md", "docs/operator/*.md"]).flatMap((page) =>
      [...readFileSync(page, "utf8").matchAll(/^```yaml\n(.*?)^```/gms)]
        .flatMap(([, text = ""]) => parseAllDocuments(text).map((document) => document.toJS() as unknown))
        .filter(isWhole),
    );
    const shown = stringifyAll(ours).replaceAll("kni://...", `kni://${"ab".repeat(64)}`);
    const [complaints, valid] = judge(shown);
    expect(complaints).toEqual([]);
    expect(valid).toBeGreaterThan(8);
  });

  test("the objects that the operator writes are valid", async () => {
    cluster.servesMonitors = true;
    cluster.servesRoutes = true;
    const hosts = ["rpc.example.org"];
    const meta = { hosts, wsHost: "ws.example.org" };
    cluster.putNode("reader", {
      type: "endpoint",
      replicas: 2,
      api: { ws: { enabled: true } },
      p2p: { external: "LoadBalancer" },
      ingress: { ...meta, tlsSecret: "tls", className: "nginx" },
      route: { ...meta, parents: [{ name: "public", namespace: "gateways" }] },
    });
    cluster.putGenesis();
    const users = new Set(cluster.objects.keys());
    await reconcile(cluster.node("reader"), cluster.deps());
    const written = [...cluster.objects].filter(([key]) => !users.has(key)).map(([, object]) => object);
    const kinds = [...new Set(written.map(({ kind }) => String(kind)))];
    expect(kinds.sort()).toEqual([
      "ConfigMap",
      "HTTPRoute",
      "Ingress",
      "NetworkPolicy",
      "PersistentVolumeClaim",
      "PodDisruptionBudget",
      "Secret",
      "Service",
      "ServiceAccount",
      "ServiceMonitor",
      "StatefulSet",
    ]);
    expect(judge(stringifyAll(written))).toEqual([[], written.length]);
  });

  (helm === "" ? describe.skip : describe)("with helm", () => {
    const ALL = [
      "--set=monitoring.podMonitor=true,monitoring.rules.enabled=true,monitoring.dashboards.enabled=true",
      "--set=replicas=2,watchNamespaces={a,b}",
      "--set=imagePullSecrets[0].name=registry",
    ];
    test.each([
      ["knit-operator", []],
      ["knit-operator", ALL],
      ["knit-network", []],
    ])("the objects of %s %j are valid", (chart, flags) => {
      const args = [
        "template",
        "mine",
        `charts/${chart}`,
        "--namespace=knit-system",
        "--include-crds",
        ...flags,
      ];
      const { status, stdout, stderr } = spawnSync(helm, args, { encoding: "utf8", maxBuffer: 16 << 20 });
      expect([status, stderr]).toEqual([0, ""]);
      const [complaints, valid] = judge(stdout);
      expect(complaints).toEqual([]);
      expect(valid).toBeGreaterThan(0);
    });
  });
});

function stringifyAll(objects: readonly unknown[]): string {
  return objects.map((object) => `---\n${stringify(object, { aliasDuplicateObjects: false })}`).join("");
}

/** Reports whether a text of a page is a whole resource of a kind whose schema is here. */
function isWhole(object: unknown): boolean {
  const { apiVersion = "", kind, metadata } = (object ?? {}) as Readonly<Record<string, unknown>>;
  const isForeign = /fluxcd\.io|argoproj\.io/.test(String(apiVersion));
  return kind !== undefined && metadata !== undefined && !isForeign;
}
