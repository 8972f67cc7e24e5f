/** A network's whole life, read for the bytes of every secret key: they are in Secrets, and nowhere else. */
import { describe, expect, test } from "@jest/globals";
import { createAuthority } from "../../operator/control/authority.ts";
import { ControlError } from "../../operator/control/error.ts";
import type { ReconcileDeps } from "../../operator/reconcile/deps.ts";
import { reconcileNetwork } from "../../operator/reconcile/network.ts";
import { reconcile } from "../../operator/reconcile/reconcile.ts";
import { CORE, type FakeCluster } from "../support/fake-cluster.ts";
import { freshCluster } from "../support/fresh-cluster.ts";
import { createKeptLog, type LogLine } from "../support/gateway.ts";

let cluster: FakeCluster;
let authorityKey: string;
let deps: ReconcileDeps;
let lines: LogLine[];
/** Texts of errors: the queue logs them. */
let thrown: string[];

freshCluster((fresh) => {
  cluster = fresh;
  authorityKey = fresh.authorities.current.key;
  const kept = createKeptLog();
  ({ lines } = kept);
  thrown = [];
  deps = { ...cluster.deps(), log: kept.log };
});

async function once(...names: readonly string[]): Promise<void> {
  for (const name of names) {
    const work =
      name === "net" ? reconcileNetwork(cluster.network(), deps) : reconcile(cluster.node(name), deps);
    await work.catch((error: unknown) => void thrown.push(String(error)));
  }
}

/** Everything that is secret, as text: private keys, PEM ones without their frames. */
function secretTexts(): readonly string[] {
  const stored = [...cluster.objects.values()].filter(({ kind }) => kind === "Secret");
  const members = stored.flatMap(({ data }) => Object.entries(data as Record<string, string>));
  const texts = members
    .filter(([name]) => !name.endsWith(".crt"))
    .map(([, base64]) => Buffer.from(base64, "base64").toString());
  return [...texts, authorityKey];
}

/** The forms in which a secret might get somewhere. */
function formsOf(secret: string): readonly string[] {
  const body = secret.replace(/-----[^-]+-----|\s/g, "");
  const bytes = /^[0-9a-f]{64}$/i.test(body) ? Buffer.from(body, "hex") : Buffer.from(body, "base64");
  const texts = [secret, body, body.slice(40, 80), body.toUpperCase()];
  const encoded = [secret, body].map((text) => Buffer.from(text).toString("base64"));
  return [...texts, ...encoded, bytes.toString("hex"), bytes.toString("base64")];
}

/** Everything that others than the owners of Secrets may read. */
function inTheOpen(): string {
  const objects = [...cluster.objects.values()].filter(({ kind }) => kind !== "Secret");
  return JSON.stringify([objects, cluster.events, cluster.calls, cluster.writes, lines, thrown]).replaceAll(
    "\\n",
    "",
  );
}

function leaks(): readonly string[] {
  const text = inTheOpen();
  const secrets = secretTexts();
  expect(secrets.length).toBeGreaterThan(1);
  return secrets.flatMap(formsOf).filter((form) => text.includes(form.replaceAll("\n", "")));
}

test("the search finds a key in any of its forms", async () => {
  cluster.putNode("core", CORE);
  await once("core");
  const [key = ""] = secretTexts();
  for (const form of [key, Buffer.from(key).toString("base64"), Buffer.from(key, "hex").toString("base64")]) {
    thrown = [form];
    expect(leaks()).toContain(form);
  }
});

describe("no key is in the open", () => {
  test("when a network is made, runs, is maintained and comes to harm", async () => {
    cluster.putNode("core", CORE);
    cluster.putNode("proxy", { type: "proxy" });
    await once("core", "net", "core", "proxy", "core", "proxy");
    cluster.putRunning("core", ["proxy"], { "knit.dev/run": "migrate" });
    cluster.putRunning("proxy", ["core"]);
    await once("core", "proxy");
    cluster.answer = () => {
      throw new ControlError("node-error", "it does not go on");
    };
    await once("core", "proxy");
    expect(cluster.objects.size).toBeGreaterThan(15);
    expect(leaks()).toEqual([]);
  });

  test.each([
    ["too long", "5".repeat(63) + "g" + "5".repeat(40)],
    ["none", "0".repeat(64)],
  ])("when the one that somebody gave is %s", async (_what, key) => {
    cluster.putSecret("mine", { nodekey: key });
    cluster.putNode("core", { ...CORE, nodeKeySecret: { name: "mine" } });
    await once("core");
    expect(thrown.join()).toContain("NodeKeyUnusable");
    expect(leaks()).toEqual([]);
  });

  test("when a gateway's Secret was spoilt, and the authority's changes", async () => {
    cluster.putNode("core", CORE);
    await once("core", "net", "core");
    const data = (cluster.get("Secret", "core-gateway")?.["data"] ?? {}) as Record<string, string>;
    cluster.putSecret("core-gateway", {
      "tls.crt": "x",
      "tls.key": Buffer.from(data["tls.key"] ?? "", "base64").toString(),
    });
    cluster.authorities = {
      current: await createAuthority(cluster.now),
      next: undefined,
      previous: undefined,
    };
    await once("core", "core");
    expect(leaks()).toEqual([]);
  });
});
