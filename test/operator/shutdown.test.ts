/** The operator without its API server: it says so at `/readyz`, and after SIGTERM it ends by itself in time. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { eventually } from "../cluster/support/cluster.ts";
import { type OperatorProcess, spawnOperator } from "../cluster/support/operator-process.ts";
import { type ApiServer, openApiServer, type Script } from "../support/api-server.ts";

/** As long as the chart gives the operator to end. */
const GRACE_MS = 30_000;
const ARGS = ["run", "--node-image=a", "--gateway-image=b", "--namespace=ops"];

let directory: string;
let server: ApiServer;
let operator: OperatorProcess;
let isSilent: boolean;
let isFailing: boolean;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "shutdown-"));
  isSilent = false;
  isFailing = false;
});
afterEach(async () => {
  operator.child.kill("SIGKILL");
  await server[Symbol.asyncDispose]();
  rmSync(directory, { recursive: true });
});

/** A cluster without anything in it; what is written is answered as it came. */
const empty: Script = ({ method, path, query, body }, response) => {
  if (isSilent) return undefined;
  if (isFailing) return { status: 500, body: { message: "etcd is away" } };
  if (query.has("watch")) {
    response.writeHead(200, { "content-type": "application/json" }).flushHeaders();
    return undefined;
  }
  if (method !== "GET") {
    const { metadata, ...rest } = body as { metadata: object };
    return { status: 200, body: { ...rest, metadata: { ...metadata, uid: "u", resourceVersion: "1" } } };
  }
  const isOne = /\/(leases|secrets)\/[^/]+$/.test(path);
  if (isOne) return { status: 404, body: { message: "not found" } };
  return { status: 200, body: { items: [], resources: [], metadata: { resourceVersion: "1" } } };
};

async function start(): Promise<void> {
  server = await openApiServer(empty);
  const config = {
    clusters: [
      { name: "c", cluster: { server: `${server.access.origin}/base`, "insecure-skip-tls-verify": true } },
    ],
    users: [{ name: "u", user: { token: "t" } }],
    contexts: [{ name: "x", context: { cluster: "c", user: "u" } }],
    "current-context": "x",
  };
  const KUBECONFIG = join(directory, "config");
  writeFileSync(KUBECONFIG, JSON.stringify(config));
  const env = { ...process.env, KUBECONFIG };
  operator = spawnOperator({ args: ARGS, env });
}

test(
  "one that waits for the Lease ends",
  async () => {
    isSilent = true;
    await start();
    await eventually("a first question", async () => server.heard.length > 0 || undefined);
    expect(await operator.stop()).toBe(0);
  },
  GRACE_MS,
);

test(
  "one that leads ends, though it cannot give the Lease back",
  async () => {
    await start();
    await eventually(
      "a working operator",
      async () => operator.output().includes("operator opened") || undefined,
    );
    isSilent = true;
    expect(await operator.stop()).toBe(0);
  },
  GRACE_MS,
);

test(
  "it is not ready while the API server fails, and ready again afterwards",
  async () => {
    await start();
    const port = await eventually("a working operator", async () => {
      const opened = operator
        .output()
        .split("\n")
        .find((line) => line.includes("operator opened"));
      return opened === undefined ? undefined : (JSON.parse(opened) as { healthPort: number }).healthPort;
    });
    const readiness = async (): Promise<string> => {
      const headers = { connection: "close" };
      const response = await fetch(`http://127.0.0.1:${port}/readyz`, { headers });
      return `${response.status} ${await response.text()}`;
    };
    expect(await readiness()).toBe("200 ok\n");
    isFailing = true;
    await eventually("503", async () => (await readiness()) === "503 not ready\n" || undefined);
    isFailing = false;
    await eventually("200", async () => (await readiness()) === "200 ok\n" || undefined);
  },
  GRACE_MS,
);
