/** The large example on a real API server: replicas, a genesis of four keys, and kinds that come and go. No pods run. */
import { readFileSync } from "node:fs";
import { expect, test } from "@jest/globals";
import { eventually, forbidden } from "./support/cluster.ts";
import { aboutOperator } from "./support/operated.ts";
import { SERVICE_MONITORS } from "./support/optional-definitions.ts";

const EXAMPLE = readFileSync("examples/network-full.yaml", "utf8");
const CORES = ["core-1", "core-2", "core-3", "core-4"];

aboutOperator("members", {}, (on) => {
  const names = async (kind: string, ...selector: string[]): Promise<readonly string[]> =>
    (await on.demo("get", kind, ...selector, "-o", "jsonpath={.items[*].metadata.name}")).split(" ").sort();

  /** Hosts of a replica's static nodes. */
  const hostsOf = async (member: string): Promise<readonly string[]> => {
    const text = await on.demo(
      "get",
      "configmap",
      `${member}-settings`,
      "-o",
      "jsonpath={.data.static-nodes\\.json}",
    );
    return (JSON.parse(text) as string[]).map((url) => /@([^.:]+)/.exec(url)?.[1] ?? url).sort();
  };

  const become = (kind: string, wanted: readonly string[], seconds = 60) =>
    eventually(
      `${kind} ${wanted.join(" ")}`,
      async () => {
        const found = (await names(kind)).join(" ");
        if (found !== wanted.join(" ")) throw new Error(found);
        return true;
      },
      seconds,
    );

  const replicas = (node: string, count: number): Promise<string> =>
    on.demo("patch", "kn", node, "--type=merge", "-p", JSON.stringify({ spec: { replicas: count } }));

  test("four core nodes, two proxies and two endpoints are a StatefulSet each", async () => {
    await on.cluster.kubectl(["-n", "demo", "apply", "-f", "-"], EXAMPLE);
    await become("statefulset", [...CORES, "endpoint", "endpoint-m1", "proxy", "proxy-m1"]);
    await become("poddisruptionbudget", ["endpoint", "full.validators", "proxy"]);
    const claims = await names("pvc");
    expect(claims).toHaveLength(8);
    expect(claims).toContain("endpoint-m1-data");
  }, 90_000);

  test("block 0 names the keys of all four, and the Network tells whose they are", async () => {
    const status = await eventually("validators", async () => {
      const found = await on.cluster.get<{ status?: { validators?: { name: string; address: string }[] } }>(
        "-n",
        "demo",
        "knet",
        "full",
      );
      return found.status?.validators?.length === 4 ? found.status : undefined;
    });
    const file = await on.demo("get", "configmap", "full-genesis", "-o", "jsonpath={.data.genesis\\.json}");
    for (const { address } of status.validators ?? []) expect(file).toContain(`94${address.slice(2)}`);
    expect(status.validators?.map(({ name }) => name)).toEqual(CORES);
    expect(await on.demo("get", "knet", "full")).toMatch(/full +False +8 +0 +NodesNotReady/);
  }, 90_000);

  test("the peers of each are its static nodes, which any pod finds without the operator", async () => {
    await eventually("the proxies", async () =>
      (await hostsOf("endpoint-m1")).join(" ") === "proxy-m1-peer proxy-peer" ? true : undefined,
    );
    await eventually("the other core nodes", async () =>
      (await hostsOf("core-1")).join(" ") === "core-2-peer core-3-peer core-4-peer" ? true : undefined,
    );
  }, 90_000);

  test("a validator is not suspended while the others are away, unless that is permitted", async () => {
    const suspended = JSON.stringify({ spec: { suspend: true } });
    await on.demo("patch", "kn", "core-1", "--type=merge", "-p", suspended);
    const progress = '{.status.conditions[?(@.type=="Progressing")].message}';
    const message = await eventually("the refusal", async () => {
      const text = await on.demo("get", "kn", "core-1", "-o", `jsonpath=${progress}`);
      return text.includes("would stop the chain") ? text : undefined;
    });
    expect(message).toContain("at most 1 of 4 validators may be unavailable");
    const scale = () => on.demo("get", "statefulset", "core-1", "-o", "jsonpath={.spec.replicas}");
    expect(await scale()).toBe("1");
    await on.demo("annotate", "kn", "core-1", "knit.dev/allow-chain-stop=now");
    await eventually("the end", async () => ((await scale()) === "0" ? true : undefined));
    await on.demo(
      "patch",
      "kn",
      "core-1",
      "--type=merge",
      "-p",
      JSON.stringify({ spec: { suspend: false } }),
    );
    await eventually("the return", async () => ((await scale()) === "1" ? true : undefined));
    const tolerance = '{.status.conditions[?(@.type=="FaultTolerant")].reason}';
    expect(await on.demo("get", "knet", "full", "-o", `jsonpath=${tolerance}`)).toBe("BelowQuorum");
  }, 120_000);

  test("a replica more comes, a replica less goes, and its volume and key stay", async () => {
    await replicas("proxy", 3);
    await become("statefulset", [...CORES, "endpoint", "endpoint-m1", "proxy", "proxy-m1", "proxy-m2"]);
    await eventually(
      "the key",
      async () => (await names("secret")).includes("proxy-m2-nodekey") || undefined,
    );
    await replicas("proxy", 1);
    await become("statefulset", [...CORES, "endpoint", "endpoint-m1", "proxy"]);
    await become("poddisruptionbudget", ["endpoint", "full.validators"]);
    const left = await eventually("the rest", async () => {
      const kinds = await Promise.all(
        ["service", "secret", "pvc"].map((kind) => names(kind, "-l", "knit.dev/member=proxy-m2")),
      );
      return kinds.flat().join(" ").trim().split(" ").length === 2 ? kinds : undefined;
    });
    expect(left).toEqual([[""], ["proxy-m2-nodekey"], ["proxy-m2-data"]]);
  }, 120_000);

  const changeStorage = (storage: object) =>
    on.demo("patch", "kn", "proxy", "--type=merge", "-p", JSON.stringify({ spec: { storage } }));

  test("with whenScaled: Delete the volume goes with its replica, and what was left behind before stays", async () => {
    await changeStorage({ whenScaled: "Delete" });
    await replicas("proxy", 2);
    await eventually("the claim", async () => (await names("pvc")).includes("proxy-m1-data") || undefined);
    await become("statefulset", [...CORES, "endpoint", "endpoint-m1", "proxy", "proxy-m1"]);
    await replicas("proxy", 1);
    await eventually("the end of the volume", async () => {
      // Nobody ends pods here as a kubelet would, and a claim stays as long as its pod.
      const pod = ["-n", "demo", "delete", "pod", "proxy-m1-0", "--force", "--grace-period=0"];
      await on.cluster.tryKubectl([...pod, "--ignore-not-found"]);
      return (await names("pvc")).includes("proxy-m1-data") ? undefined : true;
    });
    expect(await names("pvc", "-l", "knit.dev/node=proxy")).toEqual(["proxy-data", "proxy-m2-data"]);
    expect(await names("secret", "-l", "knit.dev/member=proxy-m1")).toEqual(["proxy-m1-nodekey"]);
    await changeStorage({ whenScaled: "Retain" });
  }, 180_000);

  const pods = (count: number) =>
    eventually(`${count} pods`, async () => {
      const found = await names("pod", "-l", "knit.dev/node=endpoint");
      return found.filter((name) => name !== "").length === count ? true : undefined;
    });

  const suspend = (suspended: boolean) =>
    on.demo(
      "patch",
      "kn",
      "endpoint",
      "--type=merge",
      "-p",
      JSON.stringify({ spec: { suspend: suspended } }),
    );

  test("a Node that is suspended has no pods, and comes back", async () => {
    await pods(2);
    await suspend(true);
    await eventually("the end of both", async () => {
      // Nobody ends pods here as a kubelet would.
      const flags = ["--force", "--grace-period=0", "--wait=false"];
      await on.cluster.tryKubectl(["-n", "demo", "delete", "pod", "-l", "knit.dev/node=endpoint", ...flags]);
      return (await names("pod", "-l", "knit.dev/node=endpoint")).join("") === "" ? true : undefined;
    });
    await eventually("the phase", async () =>
      (await on.demo("get", "kn", "endpoint")).includes("Suspended") ? true : undefined,
    );
    await suspend(false);
    await pods(2);
  }, 180_000);

  test("a ServiceMonitor is made when its kind comes, and repaired", async () => {
    await on.cluster.kubectl(["apply", "-f", "-"], JSON.stringify(SERVICE_MONITORS));
    const all = [...CORES, "endpoint", "proxy"];
    await eventually(
      "the kind",
      async () =>
        (await on.cluster.tryKubectl(["-n", "demo", "get", "servicemonitors"])).code === 0 || undefined,
    );
    await become("servicemonitors", all, 90);
    await on.demo("delete", "servicemonitor", "proxy");
    await become("servicemonitors", all);
  }, 240_000);

  test("when the kind goes again, the work goes on", async () => {
    await on.cluster.kubectl(["delete", "crd", "servicemonitors.monitoring.coreos.com"]);
    await eventually(
      "the operator's word",
      async () => on.operator.output().includes('"served":false') || undefined,
    );
    await replicas("proxy", 2);
    await become("statefulset", [...CORES, "endpoint", "endpoint-m1", "proxy", "proxy-m1"]);
  }, 240_000);

  test("without its Network a Node is left as it is, and says what it waits for", async () => {
    await on.demo("delete", "knet", "full");
    await eventually("the reason", async () =>
      (await on.demo("get", "kn", "proxy", "-o", "wide")).includes("NetworkMissing") ? true : undefined,
    );
    expect(await names("statefulset")).toHaveLength(8);
    expect(await names("configmap")).toContain("full-genesis");
  }, 90_000);

  test("the chart's rights are enough: nothing was forbidden", () => {
    expect(forbidden(on.cluster)).toEqual([]);
  });
});
