/**
 * The real `helm install` and `helm uninstall` on a real API server. There is no kubelet: the operator and the pods of
 * the Job behind the uninstallation are processes, with the rights that their accounts have at that moment.
 */
import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import {
  type Cluster,
  establishDefinitions,
  eventually,
  forbidden,
  openCluster,
  run,
  whyNoCluster,
} from "./support/cluster.ts";
import { type JobPlayer, openJobPlayer } from "./support/job-player.ts";
import { MAIN, OPERATOR_NAMESPACE, type OperatorProcess, startOperator } from "./support/operator-process.ts";
import { rightsOf, rolesOf } from "./support/rights.ts";

const EXAMPLE = readFileSync("examples/network.yaml", "utf8");
const RELEASE = ["knit-operator", `--namespace=${OPERATOR_NAMESPACE}`];
/** Everything that the chart makes, its hooks among it. */
const KINDS = "all,serviceaccount,role,rolebinding,clusterrole,clusterrolebinding,configmap,secret,lease,job";
const missing = whyNoCluster();
const about = missing === undefined ? describe : describe.skip;

about(`uninstall${missing === undefined ? "" : ` (skipped: ${missing})`}`, () => {
  let cluster: Cluster;
  let operator: OperatorProcess | undefined;
  let jobs: JobPlayer;

  beforeAll(async () => {
    cluster = await openCluster();
    jobs = openJobPlayer(cluster, OPERATOR_NAMESPACE);
  }, 900_000);

  afterAll(async () => {
    await operator?.[Symbol.asyncDispose]();
    await jobs?.[Symbol.asyncDispose]();
    await cluster?.[Symbol.asyncDispose]();
  }, 60_000);

  /** The release, its operator and the example in a namespace of its own. */
  async function install(namespace: string): Promise<void> {
    await cluster.helm("install", ...RELEASE, "charts/knit-operator", "--create-namespace");
    await establishDefinitions(cluster);
    operator = await startOperator(cluster);
    await cluster.kubectl(["create", "namespace", namespace]);
    await cluster.kubectl(["-n", namespace, "apply", "-f", "-"], EXAMPLE);
    await eventually("the operator's hold", async () =>
      (await finalizers(namespace)).every((each) => each === "knit.dev/orderly-deletion") ? true : undefined,
    );
  }

  const finalizers = async (namespace: string): Promise<readonly string[]> => {
    const path = 'jsonpath={range .items[*]}{.metadata.finalizers}{"\\n"}{end}';
    const lines = (await cluster.kubectl(["-n", namespace, "get", "kn", "-o", path]))
      .split("\n")
      .slice(0, -1);
    return lines.map((line) => line.replace(/[[\]"]/g, ""));
  };

  /** The real command. The operator ends when its Deployment is gone, as its pod would. */
  async function uninstall(): Promise<string> {
    const helm = cluster.helm("uninstall", ...RELEASE);
    const gone = eventually("the Deployment's end", async () => {
      const { code } = await cluster.tryKubectl([
        "-n",
        OPERATOR_NAMESPACE,
        "get",
        "deployment",
        "knit-operator",
      ]);
      return code === 0 ? undefined : true;
    });
    await gone.then(() => operator?.stop());
    return helm;
  }

  const left = async (): Promise<readonly string[]> =>
    (
      await cluster.kubectl([
        "get",
        KINDS,
        "--all-namespaces",
        "-l",
        "app.kubernetes.io/instance=knit-operator",
        "-o",
        "name",
      ])
    )
      .split("\n")
      .filter((name) => name !== "");

  test.each(["demo", "once-more"])(
    "releases the Nodes of %s, which go with their namespace, and leaves nothing behind but the definitions",
    async (namespace) => {
      await install(namespace);
      const offset = cluster.audit().length;
      expect(await uninstall()).toContain('release "knit-operator" uninstalled');
      expect(jobs.runs.at(-1)).toMatchObject({ code: 0, stderr: expect.stringContaining('"nodes":3') });
      expect(await finalizers(namespace)).toEqual(["", "", ""]);
      await cluster.kubectl(["delete", "namespace", namespace, "--wait=false"]);
      // The namespace controller's own time.
      await cluster.kubectl(["wait", "--for=delete", `namespace/${namespace}`, "--timeout=150s"]);
      expect(await left()).toEqual([]);
      expect(await cluster.kubectl(["get", "crd", "-o", "name"])).toContain("/nodes.knit.dev\n");
      const refused = cluster
        .audit(offset)
        .filter(
          ({ user, responseStatus }) => user.username.endsWith("-release") && responseStatus?.code === 403,
        );
      expect(refused).toEqual([]);
    },
    360_000,
  );

  test("has no right that it does not use", async () => {
    const ofRelease = cluster.audit().filter(({ user }) => user.username.endsWith(":knit-operator-release"));
    const used = new Set(
      ofRelease.map(({ verb, objectRef }) => `${verb} ${objectRef?.apiGroup}/${objectRef?.resource}`),
    );
    const chart = await cluster.helm("template", ...RELEASE, "charts/knit-operator");
    const given = rolesOf(chart).filter(({ metadata }) => metadata.name.includes("-release"));
    // The Lease is there already.
    expect(given.flatMap(rightsOf).filter((right) => !used.has(right))).toEqual([
      "create coordination.k8s.io/leases",
    ]);
    expect(forbidden(cluster).filter((line) => line.includes("-release"))).toEqual([]);
  });

  test("without rights the release ends with the first answer, and says which right who lacks", async () => {
    await cluster.kubectl(["-n", OPERATOR_NAMESPACE, "create", "serviceaccount", "nobody"]);
    const KUBECONFIG = await cluster.kubeconfigOf(OPERATOR_NAMESPACE, "nobody");
    const offset = cluster.audit().length;
    const { code, stderr } = await run(
      process.execPath,
      [MAIN, "release", `--namespace=${OPERATOR_NAMESPACE}`],
      { env: { KUBECONFIG } },
    );
    expect(code).toBe(1);
    expect(stderr).toContain(
      `User "system:serviceaccount:${OPERATOR_NAMESPACE}:nobody" cannot get resource "leases" in API group ` +
        `"coordination.k8s.io" in the namespace "${OPERATOR_NAMESPACE}"`,
    );
    expect(stderr).not.toContain("at work");
    expect(cluster.audit(offset).filter(({ user }) => user.username.endsWith(":nobody"))).toHaveLength(1);
  });
});
