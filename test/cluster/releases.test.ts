/**
 * Several operators on a real API server: two releases in one namespace whose scopes overlap, one of them of another
 * version, and the way of a Node from one to the other. No pods run.
 */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "@jest/globals";
import { byOperator, eventually, forbidden, isWrite } from "./support/cluster.ts";
import { aboutOperator } from "./support/operated.ts";
import {
  copyProgram,
  OPERATOR_NAMESPACE,
  type OperatorProcess,
  operatorTerms,
  spawnOperator,
} from "./support/operator-process.ts";

const EXAMPLE = readFileSync("examples/network.yaml", "utf8");
const FIRST = `system:serviceaccount:${OPERATOR_NAMESPACE}:knit-operator`;
const SECOND = `system:serviceaccount:${OPERATOR_NAMESPACE}:second`;
const VERSION = "9.9.9";

const until = (what: string, holds: () => Promise<boolean>) =>
  eventually(what, async () => ((await holds()) ? true : undefined), 60);

aboutOperator("releases", {}, (on) => {
  const directory = mkdtempSync(join(tmpdir(), "kr-"));
  let second: OperatorProcess | undefined;

  afterAll(async () => {
    await second?.[Symbol.asyncDispose]();
    rmSync(directory, { recursive: true, force: true });
  });

  const field = (object: string, path: string): Promise<string> =>
    on.demo("get", object, "--ignore-not-found", "-o", `jsonpath={${path}}`);
  const operatorOf = (object: string): Promise<string> =>
    field(object, ".metadata.annotations.knit\\.dev/operator");
  /** Objects that an account has changed since a line of the audit log, events aside. */
  const writesOf = (account: string, offset: number): readonly string[] =>
    on.cluster
      .audit(offset)
      .filter((entry) => byOperator(entry) && isWrite(entry) && entry.user.username === account)
      .filter(({ objectRef }) => objectRef?.resource !== "events" && objectRef?.namespace === "demo")
      .map(({ verb, requestURI }) => `${verb} ${requestURI.split("?")[0]}`);

  /** Starts the second release, of another version, whose scope contains the Nodes of the first one. */
  async function startSecond(): Promise<void> {
    const chart = ["second", "charts/knit-operator", "--no-hooks", "--namespace", OPERATOR_NAMESPACE];
    const text = await on.cluster.helm("template", ...chart, "--set=watchNamespace=demo");
    await on.cluster.kubectl(["apply", "--server-side", "-f", "-"], text);
    const terms = await operatorTerms(on.cluster, "second");
    second = spawnOperator({ ...terms, main: copyProgram(directory, VERSION) });
  }

  const lease = (name: string): Promise<string> =>
    on.cluster.kubectl([
      "-n",
      OPERATOR_NAMESPACE,
      "get",
      "lease",
      name,
      "--ignore-not-found",
      "-o",
      "jsonpath={.spec.holderIdentity}",
    ]);

  test("a second release in the namespace leads by its own Lease, and leaves the Nodes of the first one alone", async () => {
    await on.cluster.kubectl(["-n", "demo", "apply", "-f", "-"], EXAMPLE);
    await until(
      "the pods' sets",
      async () => (await on.demo("get", "sts", "-o", "name")).split("\n").length === 4,
    );
    await until(
      "the first operator",
      async () => (await operatorOf("kn/core")) === "knit-system/knit-operator",
    );
    const offset = on.cluster.audit().length;
    await startSecond();
    await until("its Lease", async () => (await lease("second")) !== "");
    await until("its claim", async () =>
      (await field("kn/core", ".metadata.annotations.knit\\.dev/contender")).startsWith(
        `knit-system/second ${VERSION} `,
      ),
    );
    const condition = '.status.conditions[?(@.type=="Contested")]';
    for (const name of ["core", "proxy", "endpoint"]) {
      await until("the condition", async () => (await field(`kn/${name}`, `${condition}.status`)) === "True");
      expect(await field(`kn/${name}`, `${condition}.message`)).toContain(`knit-system/second ${VERSION}`);
    }
    await until("the event", async () =>
      (await field("events", '.items[?(@.reason=="ManagedByAnother")].involvedObject.name')).includes("core"),
    );
    expect(await lease("knit-operator")).not.toBe("");
    const claims = ["core", "proxy", "endpoint"].map(
      (name) => `patch /apis/knit.dev/v1alpha1/namespaces/demo/nodes/${name}`,
    );
    expect([...new Set(writesOf(SECOND, offset))].sort()).toEqual(claims.sort());
  }, 240_000);

  test("both at work, a change is carried out once, by the operator of the Node", async () => {
    const offset = on.cluster.audit().length;
    await on.demo("delete", "networkpolicy", "proxy");
    await on.demo("patch", "kn", "proxy", "--type=merge", "-p", '{"spec":{"storage":{"size":"12Gi"}}}');
    await until("the policy", async () => (await field("networkpolicy/proxy", ".metadata.name")) === "proxy");
    await until(
      "the size",
      async () => (await field("pvc/proxy-data", ".spec.resources.requests.storage")) === "12Gi",
    );
    expect(writesOf(FIRST, offset).join("\n")).toContain("networkpolicies/proxy");
    expect(writesOf(SECOND, offset)).toEqual([]);
  }, 120_000);

  test("a Node that is handed over is the second one's, which rolls no pod, and the first one leaves it", async () => {
    const template = ".spec.template";
    const before = await field("sts/endpoint", template);
    const to = "knit.dev/operator=knit-system/second";
    await on.demo("annotate", "--overwrite", "kn", "endpoint", to);
    await until(
      "its objects",
      async () => (await operatorOf("networkpolicy/endpoint")) === "knit-system/second",
    );
    const offset = on.cluster.audit().length;
    await on.demo("delete", "networkpolicy", "endpoint");
    await until(
      "the repair",
      async () => (await operatorOf("networkpolicy/endpoint")) === "knit-system/second",
    );
    expect(writesOf(FIRST, offset).filter((write) => !write.includes("/nodes/endpoint"))).toEqual([]);
    expect(await field("sts/endpoint", template)).toBe(before);
    expect(await operatorOf("kn/core")).toBe("knit-system/knit-operator");
  }, 120_000);

  test("when the first one is away nobody takes its Nodes, and both have the rights that they use", async () => {
    const offset = on.cluster.audit().length;
    await on.operator.stop();
    await on.demo("delete", "networkpolicy", "core");
    await on.demo("annotate", "kn", "endpoint", "note=seen");
    await on.demo("delete", "networkpolicy", "endpoint");
    await until("the repair of its own", async () => (await operatorOf("networkpolicy/endpoint")) !== "");
    expect(await field("networkpolicy/core", ".metadata.name")).toBe("");
    expect(writesOf(SECOND, offset).filter((write) => write.includes("core"))).toEqual([]);
    expect(forbidden(on.cluster)).toEqual([]);
  }, 120_000);
});
