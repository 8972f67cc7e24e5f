/**
 * The way from a former release to this one and back, on a cluster of one node with real pods: images and chart of a
 * hundred commits ago, the commands of the page on upgrades, and no restart of a node. `npm run test:e2e` only.
 */
import { afterAll, beforeAll, describe, expect, jest, test } from "@jest/globals";
import { type Cluster, eventually, openCluster, whyNoMachine } from "./support/cluster.ts";
import { type DemoNodes, demoNodes } from "./support/demo-nodes.ts";
import { checkOutFormer, FORMER_VERSION, whyNoFormer } from "./support/former-release.ts";
import { loadImages } from "./support/image.ts";
import { chapters, REGISTRY, VERSIONS } from "./support/page-chapters.ts";
import { openReader, type PageReader } from "./support/page-reader.ts";

const missing = whyNoMachine() ?? whyNoFormer();
const about = missing === undefined ? describe : describe.skip;
jest.setTimeout(900_000);
const PATIENCE = 300;
const MEMBERS = 3;
const [VERSION] = VERSIONS;
const jsonpath = (path: string): string => `jsonpath=${path}`;
const imagesOf = (version: string) => ({
  node: `${REGISTRY}/knit:${version}`,
  operator: `${REGISTRY}/knit-operator:${version}`,
});

about(`a former release${missing === undefined ? "" : ` (skipped: ${missing})`}`, () => {
  let cluster: Cluster;
  let reader: PageReader;
  let nodes: DemoNodes;

  beforeAll(async () => {
    cluster = await openCluster({ node: true });
    nodes = demoNodes(cluster);
    reader = await openReader(cluster);
    using former = await checkOutFormer();
    await loadImages(cluster, imagesOf(FORMER_VERSION), former.directory);
    await loadImages(cluster, imagesOf(VERSION));
    const values = [`image.repository=${REGISTRY}/knit-operator`, `nodeImage.repository=${REGISTRY}/knit`];
    const terms = ["--namespace=knit-system", "--create-namespace", "--wait", `--set=${values.join(",")}`];
    await cluster.helm("install", "knit-operator", `${former.directory}/charts/knit-operator`, ...terms);
    await cluster.kubectl(["create", "namespace", "demo"]);
    await nodes.demo("apply", "-f", `${former.directory}/examples/network.yaml`);
    await nodes.network.whole(MEMBERS, 2, PATIENCE);
  }, 900_000);

  afterAll(async () => {
    reader?.[Symbol.dispose]();
    await cluster?.[Symbol.asyncDispose]();
  }, 120_000);

  /** Waits until the operator of a version leads, and the nodes are ready and ten blocks further. */
  async function expectVersion(version: string): Promise<void> {
    const listed = ["-n", "knit-system", "get", "pods", "-l", "app.kubernetes.io/name=knit-operator"];
    await eventually(
      `the operator ${version}`,
      async () => {
        const images = await cluster.kubectl([
          ...listed,
          "-o",
          jsonpath("{.items[*].spec.containers[*].image}"),
        ]);
        if (images !== imagesOf(version).operator) throw new Error(images);
        return true;
      },
      PATIENCE,
    );
    const height = await nodes.network.whole(MEMBERS, 0, PATIENCE);
    await nodes.network.whole(MEMBERS, height + 10, PATIENCE);
  }

  test("an upgrade by the page and the way back restart no pod of a node", async () => {
    await expectVersion(FORMER_VERSION);
    const before = await nodes.pods();
    expect(before.split("\n")).toHaveLength(MEMBERS + 1);
    await reader.read(chapters.upgradeOperator, {
      before: {
        "helm rollback": async () => {
          await expectVersion(VERSION);
          expect(await nodes.pods()).toBe(before);
        },
      },
    });
    await expectVersion(FORMER_VERSION);
    expect(await nodes.pods()).toBe(before);
  });

  test("the pods get the template of the release when they are restarted", async () => {
    const values = ["--namespace=knit-system", "--reuse-values", "--wait"];
    await cluster.helm("upgrade", "knit-operator", "charts/knit-operator", ...values);
    await expectVersion(VERSION);
    const causes = await nodes.demo("get", "kn", "-o", jsonpath("{.items[*].status.outdated[*].reason}"));
    expect(causes.split(" ")).toEqual(Array(MEMBERS).fill("ReleaseChanged"));
    await nodes.demo("annotate", "kn", "--all", "knit.dev/run=restart");
    await eventually(
      "new pods",
      async () => {
        const path = jsonpath('{.items[*].spec.containers[?(@.name=="node")].image}');
        const images = await nodes.demo("get", "pods", "-l", "app.kubernetes.io/name=knit", "-o", path);
        if (images !== Array(MEMBERS).fill(imagesOf(VERSION).node).join(" ")) throw new Error(images);
        return true;
      },
      PATIENCE,
    );
    await expectVersion(VERSION);
  });
});
