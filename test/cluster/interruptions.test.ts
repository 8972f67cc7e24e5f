/** Operators that are started anew, replaced by newer ones, killed at every step, frozen and thawed. */
import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { type BreakingProxy, openBreakingProxy } from "./support/breaking-proxy.ts";
import {
  byOperator,
  type Cluster,
  eventually,
  isWrite,
  openCluster,
  whyNoCluster,
} from "./support/cluster.ts";
import { applyChart, type OperatorProcess, startOperatorThrough } from "./support/operator-process.ts";
import { shapesOf } from "./support/shapes.ts";

const missing = whyNoCluster();
const about = missing === undefined ? describe : describe.skip;
/** The network and its core node: each write costs a start of the operator. */
const EXAMPLE = readFileSync("examples/network.yaml", "utf8").split("---\n").slice(0, 2).join("---\n");
const QUIET_MS = 4_000;
/** More steps than the example takes. */
const MAX_STEPS = 150;

const openConnections = (operator: OperatorProcess) =>
  eventually("an operator that works", async () => {
    if (operator.child.exitCode !== null) throw new Error(operator.output());
    return operator.output().includes("operator opened") ? true : undefined;
  });

about(`interruptions${missing === undefined ? "" : ` (skipped: ${missing})`}`, () => {
  let cluster: Cluster;
  let proxy: BreakingProxy;

  beforeAll(async () => {
    cluster = await openCluster();
    proxy = await openBreakingProxy(cluster.server);
    await applyChart(cluster);
  }, 900_000);

  afterAll(async () => {
    await proxy?.[Symbol.asyncDispose]();
    await cluster?.[Symbol.asyncDispose]();
  }, 60_000);

  /** An operator that leads at once, whatever became of the one before. */
  const start = (...more: string[]): Promise<OperatorProcess> =>
    startOperatorThrough(cluster, proxy.url, "--identity=one", ...more);

  const quiet = () => eventually("quiet", async () => (proxy.quietMs() >= QUIET_MS ? true : undefined), 120);

  async function apply(namespace: string): Promise<void> {
    await cluster.kubectl(["create", "namespace", namespace]);
    await cluster.kubectl(["-n", namespace, "apply", "-f", "-"], EXAMPLE);
  }

  /** Writes of an operator with these arguments until it has nothing more to do. */
  async function writesOf(...more: string[]): Promise<readonly string[]> {
    const writes: string[] = [];
    proxy.onWrite = ({ path }) => void writes.push(path);
    await using operator = await start(...more);
    await openConnections(operator);
    await quiet();
    expect(await operator.stop()).toBe(0);
    return writes;
  }

  test("an operator that starts anew writes nothing; a newer one with other images names outdated pods alone", async () => {
    await apply("run-plain");
    expect(await writesOf()).not.toEqual([]);
    expect(await writesOf()).toEqual([]);
    const newer = await writesOf("--gateway-image=newer:2", "--node-image=newer:2");
    expect(newer.filter((path) => !path.endsWith("/status"))).toEqual([]);
    const images = await cluster.kubectl(["-n", "run-plain", "get", "statefulset", "-o", "yaml"]);
    expect(images).not.toContain("newer:2");
  }, 400_000);

  /** Lets an operator work until its first write is done, and kills it before it hears of that. */
  async function oneStep(versions: Map<string, string>): Promise<"written" | "nothing to do"> {
    await using operator = await start();
    let written = false;
    proxy.onWrite = ({ path, version }) => {
      if (versions.get(path) === version) return; // nothing changed
      versions.set(path, version);
      written = true;
      operator.child.kill("SIGKILL");
    };
    const end = await eventually(
      "a write, or nothing to do",
      async () => {
        if (written) return "written" as const;
        const isOpen = operator.output().includes("operator opened");
        if (isOpen && proxy.quietMs() >= QUIET_MS) return "nothing to do" as const;
        throw new Error(operator.output().slice(-2_000)); // should it be the last
      },
      120,
    );
    proxy.onWrite = () => undefined;
    return end;
  }

  test("killed after each of its writes, it makes the same objects as undisturbed", async () => {
    await apply("run-killed");
    const versions = new Map<string, string>();
    let steps = 0;
    while ((await oneStep(versions)) === "written") expect(++steps).toBeLessThan(MAX_STEPS);
    expect(steps).toBeGreaterThan(8);
    expect(await shapesOf(cluster, "run-killed")).toEqual(await shapesOf(cluster, "run-plain"));
  }, 900_000);

  test("a leader that is frozen is followed by another, and writes nothing when it wakes", async () => {
    await using other = await openBreakingProxy(cluster.server);
    await using frozen = await startOperatorThrough(cluster, proxy.url, "--identity=frozen");
    await openConnections(frozen);
    await using next = await startOperatorThrough(cluster, other.url, "--identity=next");
    await eventually("a candidate", async () => (other.requests() > 1 ? true : undefined));
    await quiet();
    const plain = (...args: string[]): Promise<string> => cluster.kubectl(["-n", "run-plain", ...args]);
    const harmAndWait = async (what: string, port: number): Promise<void> => {
      const bad = `[{"op":"replace","path":"/spec/ports/0/port","value":${port}}]`;
      await plain("patch", "service", "core", "--type=json", "-p", bad);
      await plain("delete", "networkpolicy", "core");
      await eventually(what, async () => {
        const found = await plain("get", "service", "core", "-o", "jsonpath={.spec.ports[0].port}");
        await plain("get", "networkpolicy", "core");
        return found === "8551" ? true : undefined;
      });
    };
    await harmAndWait("repair by the leader", 9_001);
    const offset = cluster.audit().length;
    frozen.child.kill("SIGSTOP");
    await harmAndWait("repair by the next", 9_002);
    await harmAndWait("repair by the next again", 9_003);
    const writes: string[] = [];
    proxy.onWrite = ({ path }) => void writes.push(path);
    frozen.child.kill("SIGCONT");
    await eventually("its end", async () => (frozen.child.exitCode === null ? undefined : true));
    expect([frozen.child.exitCode, frozen.output()]).toEqual([
      1,
      expect.stringContaining("the lease was lost"),
    ]);
    expect(writes).toEqual([]);
    expect(next.child.exitCode).toBeNull();
    const writers = cluster
      .audit(offset)
      .filter((entry) => byOperator(entry) && isWrite(entry))
      .map(({ user }) => user.extra?.["authentication.kubernetes.io/credential-id"]?.[0]);
    expect(new Set(writers).size).toBe(1);
    const lease = [
      "-n",
      "knit-system",
      "get",
      "lease",
      "knit-operator",
      "-o",
      "jsonpath={.spec.holderIdentity}",
    ];
    expect(await cluster.kubectl(lease)).toBe("next");
    expect(await next.stop()).toBe(0);
    expect(await cluster.kubectl(lease)).toBe("");
  }, 300_000);
});
