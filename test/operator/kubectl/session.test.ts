/** The plugin as kubectl starts it: a process with a KUBECONFIG. */
import { execFile } from "node:child_process";
import { mkdtemp, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "@jest/globals";
import { openApiServer } from "../../support/api-server.ts";

const run = promisify(execFile);
const PROGRAM = "scripts/kubectl-knit";

test("the context gives server, token and namespace; an unknown context is refused", async () => {
  await using api = await openApiServer(() => ({
    status: 200,
    body: { items: [], metadata: { resourceVersion: "1" } },
  }));
  const config = {
    apiVersion: "v1",
    kind: "Config",
    clusters: [
      { name: "c", cluster: { server: `${api.access.origin}/base`, "insecure-skip-tls-verify": true } },
    ],
    users: [{ name: "u", user: { token: "tok" } }],
    contexts: [{ name: "here", context: { cluster: "c", user: "u", namespace: "ours" } }],
    "current-context": "here",
  };
  const file = join(await mkdtemp(join(tmpdir(), "knit-kubeconfig-")), "config");
  await writeFile(file, JSON.stringify(config));
  const env = { ...process.env, KUBECONFIG: file };
  const { stdout } = await run(PROGRAM, ["status"], { env });
  expect(stdout).toBe("no Networks and no Nodes\n");
  const [{ path, headers } = { path: "", headers: {} }] = api.heard;
  expect(path).toBe("/base/apis/knit.dev/v1alpha1/namespaces/ours/nodes");
  expect([headers.authorization, headers["user-agent"]]).toEqual(["Bearer tok", "kubectl-knit"]);
  const refused = run(PROGRAM, ["status", "--context", "there"], { env });
  await expect(refused).rejects.toMatchObject({
    code: 1,
    stderr: "error: the configuration has no context there\n",
  });
});

test("the help lists the commands, and a wrong word is an error of use", async () => {
  const { stdout } = await run(PROGRAM);
  expect([...stdout.matchAll(/^ {2}kubectl knit ([\w-]+)/gm)].map(([, name]) => name)).toEqual([
    "status",
    "peers",
    "graph",
    "logs",
    "migrate",
    "save-cache",
    "checkpoint",
    "restart",
    "pause",
    "resume",
    "report",
  ]);
  await expect(run(PROGRAM, ["dance"])).rejects.toMatchObject({ code: 64 });
});
