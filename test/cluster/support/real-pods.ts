/** Shared parts of the tests on the one-node cluster: the images, the chart's values, and client pods. */
import type { Cluster } from "./cluster.ts";
import { eventually } from "./cluster.ts";
import { OPERATOR_NAMESPACE } from "./operator-process.ts";

/** The Dockerfile's targets, and what their images are called here. */
export const IMAGES = { node: "knit.dev/knit:test", operator: "knit.dev/knit-operator:test" };

/** Arguments of helm for install and upgrade, until the operator's pod is ready. */
export const CHART = [
  "knit-operator",
  "charts/knit-operator",
  `--namespace=${OPERATOR_NAMESPACE}`,
  "--wait",
  "--timeout=300s",
  "--set=image.repository=knit.dev/knit-operator,image.tag=test",
  "--set=nodeImage.repository=knit.dev/knit,nodeImage.tag=test,pollSeconds=2",
];

/** A request over HTTP, as JavaScript that prints the status and the text, or why there is none. */
export function fetchScript(url: string, body?: object): string {
  const post = {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  };
  const options = body === undefined ? "{}" : JSON.stringify(post);
  return `
  fetch("${url}", { ...${options}, signal: AbortSignal.timeout(5000) }).then(
    async (answer) => console.log(answer.status, await answer.text()),
    (error) => console.log("failed", error.cause?.code ?? error.name));`;
}

/** A request of JSON-RPC, likewise. */
export function callScript(url: string, method = "eth_blockNumber", params: readonly unknown[] = []): string {
  return fetchScript(url, { jsonrpc: "2.0", id: 1, method, params });
}

/** Runs JavaScript in a pod of its own in a namespace and gives what it printed. */
export async function inPod(
  cluster: Cluster,
  place: { readonly namespace: string; readonly name: string },
  code: string,
): Promise<string> {
  const { namespace, name } = place;
  const pod = {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name, namespace },
    spec: {
      restartPolicy: "Never",
      securityContext: { runAsNonRoot: true, runAsUser: 1000, seccompProfile: { type: "RuntimeDefault" } },
      containers: [
        {
          name,
          image: IMAGES.node,
          command: ["/usr/local/bin/node", "-e", code],
          securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: ["ALL"] } },
        },
      ],
    },
  };
  await cluster.kubectl(["apply", "-f", "-"], JSON.stringify(pod));
  const phase = ["-n", namespace, "get", "pod", name, "-o", "jsonpath={.status.phase}"];
  await eventually(
    "the pod's end",
    async () => (["Succeeded", "Failed"].includes(await cluster.kubectl(phase)) ? true : undefined),
    180,
  );
  const printed = await cluster.kubectl(["-n", namespace, "logs", name]);
  await cluster.kubectl(["-n", namespace, "delete", "pod", name, "--wait=false"]);
  return printed;
}
