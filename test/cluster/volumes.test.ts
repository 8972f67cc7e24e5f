/** Volumes whose StorageClass or quota refuses to let them grow, on a real API server: nothing else of the Node waits. */
import { expect, test } from "@jest/globals";
import { eventually } from "./support/cluster.ts";
import { aboutOperator } from "./support/operated.ts";

const FIXED = {
  apiVersion: "storage.k8s.io/v1",
  kind: "StorageClass",
  metadata: { name: "fixed" },
  provisioner: "knit.dev/local",
  reclaimPolicy: "Delete",
  volumeBindingMode: "Immediate",
  allowVolumeExpansion: false,
};
const QUOTA = {
  apiVersion: "v1",
  kind: "ResourceQuota",
  metadata: { name: "disks", namespace: "quota" },
  spec: { hard: { "requests.storage": "10Gi" } },
};
const NETWORK = {
  apiVersion: "knit.dev/v1alpha1",
  kind: "Network",
  metadata: { name: "net" },
  spec: { genesis: { create: { chainId: 7, validators: ["core"] } } },
};

interface Condition {
  readonly type: string;
  readonly status: string;
  readonly reason: string;
  readonly message: string;
}

interface NodeStatusView {
  readonly status?: { readonly phase?: string; readonly conditions?: readonly Condition[] };
}

const until = (what: string, holds: () => Promise<boolean>) =>
  eventually(what, async () => ((await holds()) ? true : undefined));

aboutOperator(
  "volumes",
  {
    namespaces: ["fixed", "quota"],
    prepare: async (cluster) => {
      await cluster.kubectl(["apply", "-f", "-"], JSON.stringify(FIXED));
    },
  },
  (on) => {
    const of = (namespace: string, ...args: string[]): Promise<string> =>
      on.cluster.kubectl(["-n", namespace, ...args]);

    const patch = (namespace: string, spec: object) =>
      on.cluster.tryKubectl([
        "-n",
        namespace,
        "patch",
        "kn",
        "core",
        "--type=merge",
        "-p",
        JSON.stringify({ spec }),
      ]);

    const storage = (namespace: string, reason: string): Promise<Condition> =>
      eventually(`StorageHealthy ${reason}`, async () => {
        const { status } = await on.cluster.get<NodeStatusView>("-n", namespace, "kn", "core");
        return status?.conditions?.find((each) => each.type === "StorageHealthy" && each.reason === reason);
      });

    test.each([
      ["a class", "fixed", { size: "10Gi", className: "fixed" }, "the storageclass that provisions the pvc"],
      ["a quota", "quota", { size: "10Gi" }, "exceeded quota: disks"],
    ])(
      "%s that refuses a larger volume is told, other changes are made, and the size is taken back",
      async (_who, namespace, volume, words) => {
        if (namespace === "quota") await on.cluster.kubectl(["apply", "-f", "-"], JSON.stringify(QUOTA));
        const node = {
          apiVersion: NETWORK.apiVersion,
          kind: "Node",
          metadata: { name: "core" },
          spec: { type: "core", network: { name: "net" }, storage: volume },
        };
        for (const each of [NETWORK, node])
          await on.cluster.kubectl(["-n", namespace, "apply", "-f", "-"], JSON.stringify(each));
        await storage(namespace, "Healthy");
        expect(await patch(namespace, { storage: { size: "20Gi" } })).toMatchObject({ code: 0 });
        const { message } = await storage(namespace, "GrowthFailed");
        expect(message).toContain(words);
        expect(message).toContain("set spec.storage.size back to 10Gi");

        await patch(namespace, { settings: { verbosity: "5" } });
        await until("other settings", async () =>
          /"verbosity": "?5"?/.test(await of(namespace, "get", "configmap", "core-settings", "-o", "yaml")),
        );
        const { stderr } = await patch(namespace, { storage: { size: "9Gi" } });
        expect(stderr).toContain("a volume cannot shrink");
        expect(await patch(namespace, { storage: { size: "10Gi" } })).toMatchObject({ code: 0 });
        await storage(namespace, "Healthy");
      },
      180_000,
    );

    test("a Node whose volume cannot grow is suspended, says so when no pod is left, and is deleted", async () => {
      await patch("fixed", { storage: { size: "30Gi" } });
      await storage("fixed", "GrowthFailed");
      await patch("fixed", { suspend: true });
      const replicas = ["get", "statefulset", "core", "-o", "jsonpath={.spec.replicas}"];
      await until("no replicas", async () => (await of("fixed", ...replicas)) === "0");
      await until("the phase", async () =>
        (await of("fixed", "get", "kn", "core", "-o", "jsonpath={.status.phase}")).startsWith("Suspended"),
      );
      expect(await of("fixed", "get", "pods", "-o", "name")).toBe("");
      await of("fixed", "delete", "kn", "core", "--timeout=60s");
    }, 180_000);
  },
);
