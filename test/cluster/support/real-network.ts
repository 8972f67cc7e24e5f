/** The one-node cluster with the images in it and the operator installed by helm, and the ways into its namespace `demo`. */
import { readFileSync } from "node:fs";
import { afterAll, beforeAll } from "@jest/globals";
import { type Cluster, openCluster } from "./cluster.ts";
import { loadImages } from "./image.ts";
import { type NetworkView, viewNetwork } from "./network-view.ts";
import { OPERATOR_NAMESPACE } from "./operator-process.ts";
import { CHART, IMAGES, inPod } from "./real-pods.ts";

/** A cluster for pods of the real programs. Disposing it ends it. */
export interface RealNetwork extends AsyncDisposable {
  readonly cluster: Cluster;
  /** The Nodes in the namespace. */
  readonly network: NetworkView;
  /** Output of `kubectl` in the namespace. */
  demo(...args: string[]): Promise<string>;
  /** Output of JavaScript in a pod of its own there. */
  printed(name: string, code: string): Promise<string>;
  /** Applies one of the examples. */
  apply(example: string): Promise<string>;
  /** Output of `kubectl` about the operator: its pods, its Deployment. */
  operator(...args: string[]): Promise<string>;
  /** Kills the operator, which has no time to let go of its Lease, and has another pod made in place of its own. */
  killOperator(): Promise<void>;
}

const OPERATOR = "app.kubernetes.io/name=knit-operator";
const CONTAINERS = "jsonpath={.items[*].status.containerStatuses[*].containerID}";
/** Another name of the node's image, for changes of the image. */
export const NEWER_IMAGE = "knit.dev/knit:newer";

/** Opens a cluster before the tests of a file, and disposes it after them. */
export function setUpRealNetwork(use: (real: RealNetwork) => void): void {
  let real: RealNetwork | undefined;
  beforeAll(async () => {
    real = await openRealNetwork();
    use(real);
  }, 1_200_000);
  afterAll(async () => {
    await real?.[Symbol.asyncDispose]();
  }, 300_000);
}

/** Starts it; the operator's pod is available then. */
async function openRealNetwork(): Promise<RealNetwork> {
  const cluster = await openCluster({ node: true });
  try {
    await loadImages(cluster, IMAGES);
    await cluster.script("exec", "ctr", "-n", "k8s.io", "images", "tag", IMAGES.node, NEWER_IMAGE);
    await cluster.kubectl(["create", "namespace", "demo"]);
    await cluster.kubectl(["label", "namespace", "demo", "pod-security.kubernetes.io/enforce=restricted"]);
    await cluster.helm("install", ...CHART, "--create-namespace");
  } catch (error) {
    await cluster[Symbol.asyncDispose]();
    throw error;
  }
  const operator = (...args: string[]): Promise<string> =>
    cluster.kubectl(["-n", OPERATOR_NAMESPACE, ...args]);
  return {
    cluster,
    network: viewNetwork(cluster, "demo"),
    demo: (...args) => cluster.kubectl(["-n", "demo", ...args]),
    printed: (name, code) => inPod(cluster, { namespace: "demo", name }, code),
    apply: (example) =>
      cluster.kubectl(["-n", "demo", "apply", "-f", "-"], readFileSync(`examples/${example}`, "utf8")),
    operator,
    async killOperator() {
      const ids = await operator("get", "pods", "-l", OPERATOR, "-o", CONTAINERS);
      for (const [, id = ""] of ids.matchAll(/containerd:\/\/(\w+)/g))
        await cluster.script("exec", "ctr", "-n", "k8s.io", "tasks", "kill", "--signal", "SIGKILL", id);
      await operator("delete", "pod", "-l", OPERATOR, "--grace-period=0", "--force", "--wait=false");
    },
    [Symbol.asyncDispose]: () => cluster[Symbol.asyncDispose](),
  };
}
