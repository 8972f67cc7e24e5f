/** A breaking proxy before a real API server: whatever it does, what is seen afterwards is what is there. */
import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { keyOf } from "../../operator/api/resource.ts";
import { loadAccess } from "../../operator/kube/access.ts";
import type { CachedObject } from "../../operator/kube/cached-object.ts";
import { type KubeClient, openKubeClient } from "../../operator/kube/client.ts";
import { openReflector, type Reflector } from "../../operator/kube/reflector.ts";
import { kinds } from "../../operator/kube/resources.ts";
import { pause } from "../../operator/observe/clock.ts";
import { silentLog } from "../../operator/observe/log.ts";
import { type BreakingProxy, type Fault, faults, openBreakingProxy } from "./support/breaking-proxy.ts";
import { type Cluster, eventually, openCluster, whyNoCluster } from "./support/cluster.ts";
import { applyChart, OPERATOR_NAMESPACE, startOperatorThrough } from "./support/operator-process.ts";

const missing = whyNoCluster();
const about = missing === undefined ? describe : describe.skip;
const EXAMPLE = readFileSync("examples/network.yaml", "utf8");
const ALL = Object.keys(faults) as Fault[]; // the table's own keys
/** Those that writes meet as well, and two that only watches do. */
const HARSH: readonly Fault[] = [
  "reset",
  "410 as an event",
  "429 with a wait",
  "500",
  "silence",
  "a line that is cut",
];
const BROKEN_MS = 2_500;
const SELECTION = { kind: kinds.configMap, namespace: "default", labelSelector: "of=test" };

const draft = (name: string, value: string) => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { namespace: "default", name, labels: { of: "test" } },
  data: { value },
});

const wait = (milliseconds: number) => pause(milliseconds, new AbortController().signal);

about(`a breaking proxy${missing === undefined ? "" : ` (skipped: ${missing})`}`, () => {
  let cluster: Cluster;
  let direct: KubeClient;
  let proxy: BreakingProxy;

  beforeAll(async () => {
    cluster = await openCluster();
    process.env["KUBECONFIG"] = `${cluster.directory}/admin.kubeconfig`;
    const access = await loadAccess(Date.now);
    direct = openKubeClient({ access, userAgent: "test", fieldManager: "test" });
    proxy = await openBreakingProxy(cluster.server);
    await applyChart(cluster);
  }, 900_000);

  afterAll(async () => {
    await direct?.[Symbol.asyncDispose]();
    await proxy?.[Symbol.asyncDispose]();
    await cluster?.[Symbol.asyncDispose]();
  }, 60_000);

  async function reflectThrough(
    changed: (now?: CachedObject, before?: CachedObject) => void,
  ): Promise<Reflector> {
    const token = await cluster.kubectl(["-n", OPERATOR_NAMESPACE, "create", "token", "knit-operator"]);
    const client = openKubeClient({
      access: {
        origin: proxy.url,
        prefix: "",
        tls: async () => ({}),
        authorization: async () => `Bearer ${token.trim()}`,
        reportRefusal: () => undefined,
      },
      userAgent: "test",
      fieldManager: "test",
      limits: { requestMs: 2_000, silenceMs: 2_000 },
    });
    const reflector = openReflector({
      client,
      selection: SELECTION,
      onChange: changed,
      log: silentLog,
      pause,
    });
    return {
      ...reflector,
      async [Symbol.asyncDispose]() {
        await reflector[Symbol.asyncDispose]();
        await client[Symbol.asyncDispose]();
      },
    };
  }

  describe("a reflector behind it", () => {
    /** Sum of the reported changes. */
    const reported = new Map<string, string>();
    const unsound: string[] = [];
    let reflector: Reflector;

    beforeAll(async () => {
      for (let index = 0; index < 6; index++) await direct.apply(draft(`m-${index}`, "0"));
      reflector = await reflectThrough((now, before) => {
        const seen = now ?? before;
        if (seen === undefined) return;
        const key = keyOf(seen.meta);
        if (reported.get(key) === now?.meta.resourceVersion)
          unsound.push(`${key} ${reported.get(key)} was told twice`);
        if (now === undefined) reported.delete(key);
        else reported.set(key, now.meta.resourceVersion);
      });
      await reflector.synced;
    }, 60_000);
    afterAll(async () => {
      await reflector?.[Symbol.asyncDispose]();
    });

    test.each(ALL)("%s: nothing is lost, nothing told twice, and it does not hammer", async (fault) => {
      const value = String(Date.now());
      const before = proxy.requests();
      proxy.fault = fault;
      for (let index = 0; index < 4; index++) await direct.apply(draft(`m-${index}`, `${fault} ${value}`));
      await direct.apply(draft(`new-${value}`, "1"));
      await cluster.kubectl(["delete", "configmap", "m-5"]);
      await wait(BROKEN_MS);
      const asked = proxy.requests() - before;
      proxy.fault = undefined;
      await direct.apply(draft("m-5", value));
      const { items } = await cluster.get<{ items: { metadata: CachedObject["meta"] }[] }>(
        "configmap",
        "-l",
        "of=test",
      );
      const there = items.map(({ metadata }) => `${metadata.name} ${metadata.resourceVersion}`).sort();
      await eventually("what is there", async () => {
        const seen = [...reflector.list()].map(({ meta }) => `${meta.name} ${meta.resourceVersion}`).sort();
        return JSON.stringify(seen) === JSON.stringify(there) ? true : undefined;
      });
      expect([...reported].map(([key, version]) => `${key.split("/")[1]} ${version}`).sort()).toEqual(there);
      expect(unsound).toEqual([]);
      expect(asked).toBeLessThanOrEqual(16);
    });
  });

  test("an operator behind it puts right what was harmed meanwhile, once", async () => {
    await cluster.kubectl(["create", "namespace", "demo"]);
    await using operator = await startOperatorThrough(cluster, proxy.url);
    await cluster.kubectl(["-n", "demo", "apply", "-f", "-"], EXAMPLE);
    const demo = (...args: string[]): Promise<string> => cluster.kubectl(["-n", "demo", ...args]);
    await eventually("the last object", () => demo("get", "statefulset", "endpoint"));
    const changes = new Map<string, number>();
    await using watched = new AsyncDisposableStack();
    for (const kind of ["service", "configMap", "networkPolicy", "statefulSet"] as const) {
      const reflector = openReflector({
        client: direct,
        selection: { kind: kinds[kind], namespace: "demo" },
        onChange: (now, before) => {
          const key = `${kind} ${(now ?? before)?.meta.name}`;
          changes.set(key, (changes.get(key) ?? 0) + 1);
        },
        log: silentLog,
        pause,
      });
      watched.use(reflector);
    }
    const settled = () =>
      eventually("an end of changes", async () => {
        const before = JSON.stringify([...changes]);
        await wait(2_000);
        return JSON.stringify([...changes]) === before ? true : undefined;
      });
    const requests: string[] = [];
    for (const fault of HARSH) {
      await settled();
      changes.clear();
      const before = proxy.requests();
      proxy.fault = fault;
      const bad = '[{"op":"replace","path":"/spec/ports/0/targetPort","value":1}]';
      await demo("patch", "service", "core", "--type=json", "-p", bad);
      await demo("patch", "configmap", "proxy-settings", "-p", '{"data":{"knit.yaml":"x"}}');
      await demo("delete", "networkpolicy", "endpoint");
      await wait(BROKEN_MS);
      requests.push(`${fault}: ${proxy.requests() - before}`);
      proxy.fault = undefined;
      await eventually(`repair after ${fault}`, async () => {
        const port = await demo("get", "service", "core", "-o", "jsonpath={.spec.ports[0].targetPort}");
        const text = await demo("get", "configmap", "proxy-settings", "-o", "jsonpath={.data}");
        await demo("get", "networkpolicy", "endpoint");
        return port === "http" && text.includes("proxy") ? true : undefined;
      });
      await settled();
      expect([fault, ...[...changes].map(([name, count]) => `${name} ${count}`).sort()]).toEqual([
        fault,
        "configMap proxy-settings 2",
        "networkPolicy endpoint 2",
        "service core 2",
      ]);
    }
    // A dozen kinds are followed and three Nodes worked on: a few requests each in the time of a fault.
    expect(requests.filter((line) => Number(line.split(": ")[1]) > 200)).toEqual([]);
    expect(operator.child.exitCode).toBeNull();
    expect(await operator.stop()).toBe(0);
  }, 300_000);
});
