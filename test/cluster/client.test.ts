/** The client and the reflector against a real API server that forgets old versions after seconds. */
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { loadAccess } from "../../operator/kube/access.ts";
import { type KubeClient, openKubeClient } from "../../operator/kube/client.ts";
import { openReflector } from "../../operator/kube/reflector.ts";
import { kinds } from "../../operator/kube/resources.ts";
import { pause } from "../../operator/observe/clock.ts";
import { silentLog } from "../../operator/observe/log.ts";
import { type Cluster, eventually, openCluster, whyNoCluster } from "./support/cluster.ts";

const missing = whyNoCluster();
const about = missing === undefined ? describe : describe.skip;
const FORGETFUL = "--etcd-compaction-interval=3s --watch-cache-sizes=configmaps#0";
const SELECTION = { kind: kinds.configMap, namespace: "default", labelSelector: "of=test" };
const place = (name: string) => ({ namespace: "default", name });

const draft = (name: string, value: string) => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { ...place(name), labels: { of: "test" } },
  data: { value },
});

function versionOf(object: unknown): string {
  return (object as { metadata: { resourceVersion: string } }).metadata.resourceVersion;
}

about(`the client${missing === undefined ? "" : ` (skipped: ${missing})`}`, () => {
  let cluster: Cluster;
  let client: KubeClient;

  beforeAll(async () => {
    cluster = await openCluster({ flags: FORGETFUL });
    process.env["KUBECONFIG"] = `${cluster.directory}/admin.kubeconfig`;
    client = openKubeClient({
      access: await loadAccess(Date.now),
      userAgent: "test",
      fieldManager: "tester",
    });
  }, 900_000);

  afterAll(async () => {
    await client?.[Symbol.asyncDispose]();
    await cluster?.[Symbol.asyncDispose]();
  }, 60_000);

  test("applies an object, takes over what another set, and writes nothing when nothing differs", async () => {
    await client.apply(draft("a", "1"));
    await cluster.kubectl(["patch", "configmap", "a", "--type=merge", "-p", '{"data":{"value":"2"}}']);
    const back = await client.apply(draft("a", "1"));
    expect(back).toMatchObject({ data: { value: "1" } });
    expect(versionOf(await client.apply(draft("a", "1")))).toBe(versionOf(back));
  });

  test("is told of conflicts, of what is there already and of what is not", async () => {
    await expect(client.create(draft("a", "1"))).rejects.toMatchObject({ code: "already-exists" });
    const stale = { metadata: { resourceVersion: "1" }, data: { value: "3" } };
    await expect(client.merge(kinds.configMap, place("a"), stale)).rejects.toMatchObject({
      code: "conflict",
    });
    expect(await client.get(kinds.configMap, place("nobody"))).toBeUndefined();
    const wrong = { ...draft("a", "1"), strange: true };
    await expect(client.apply(wrong)).rejects.toMatchObject({ message: expect.stringContaining("strange") });
  });

  test("follows more objects than a page holds", async () => {
    const items = Array.from({ length: 600 }, (_, index) => draft(`many-${index}`, "1"));
    await cluster.kubectl(
      ["apply", "--server-side", "-f", "-"],
      JSON.stringify({ apiVersion: "v1", kind: "List", items }),
    );
    const gone: string[] = [];
    await using reflector = openReflector({
      client,
      selection: SELECTION,
      onChange: (now, before) => void (now === undefined && before && gone.push(before.meta.name)),
      log: silentLog,
      pause,
    });
    await reflector.synced;
    expect([...reflector.list()]).toHaveLength(601);
    await cluster.kubectl(["delete", "configmap", "many-7"]);
    await client.apply(draft("late", "1"));
    await eventually(
      "the changes",
      async () => (gone.includes("many-7") && reflector.get("default/late") ? true : undefined),
      10,
    );
  }, 120_000);

  test("is told that a version is forgotten", async () => {
    const old = versionOf(await client.apply(draft("old", "0")));
    await eventually(
      "the compaction",
      async () => {
        await client.apply(draft("old", String(Date.now())));
        const signal = AbortSignal.timeout(500);
        try {
          for await (const event of client.watch(SELECTION, old, signal)) {
            const { type, object } = event as { type: string; object: { code?: number } };
            if (type === "ERROR" && object.code === 410) return true;
          }
        } catch (error) {
          if ((error as { code?: string }).code === "gone") return true;
        }
        return undefined;
      },
      30,
    );
  }, 60_000);
});
