/**
 * The example as a running network: the operator under the chart's rights, pods played as processes that run the
 * real knit and the real gateway.
 */

import { existsSync, readFileSync } from "node:fs";
import { request } from "node:http";
import { request as secureRequest } from "node:https";
import { connect } from "node:net";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { parseAllDocuments } from "yaml";
import { createAuthority, issueGateway, issueOperator } from "../../operator/control/authority.ts";
import { type Channel, openChannel } from "../../operator/control/channel.ts";
import { freePort } from "../support/go-node.ts";
import { type Cluster, eventually, openCluster, whyNoCluster } from "./support/cluster.ts";
import { areLevel } from "./support/network-view.ts";
import {
  applyChart,
  OPERATOR_NAMESPACE,
  type OperatorProcess,
  startOperator,
} from "./support/operator-process.ts";
import { openPlayer, type Player } from "./support/player.ts";
import { eventsOf, patchNodes, rollOut } from "./support/rollout.ts";

const missing = whyNoCluster();
const about = missing === undefined ? describe : describe.skip;

interface Example {
  readonly kind: string;
  readonly spec: object;
}

interface Answer {
  readonly result?: unknown;
  readonly error?: { readonly message: string };
}

/** The heights among what was printed of the Nodes. */
const heightsOf = (all: readonly (readonly string[])[]) => all.map(([, , , height]) => Number(height));

about(`a network${missing === undefined ? "" : ` (skipped: ${missing})`}`, () => {
  let cluster: Cluster;
  let operator: OperatorProcess;
  let player: Player;

  beforeAll(async () => {
    cluster = await openCluster();
    await applyChart(cluster);
    await cluster.kubectl(["create", "namespace", "demo"]);
    player = await openPlayer(cluster, "demo");
    operator = await startOperator(cluster, "--peer-address=pod", "--poll-seconds=2");
    // All pods share this machine's ports for peers: they get different ones.
    for (const document of parseAllDocuments(readFileSync("examples/network.yaml", "utf8"))) {
      const { spec, ...rest } = document.toJS() as Example;
      const p2p = rest.kind === "Node" ? { p2p: { port: await freePort() } } : {};
      const moved = { ...rest, spec: { ...spec, ...p2p } };
      await cluster.kubectl(["-n", "demo", "apply", "-f", "-"], JSON.stringify(moved));
    }
  }, 900_000);

  afterAll(async () => {
    await operator?.[Symbol.asyncDispose]();
    await player?.[Symbol.asyncDispose]();
    await cluster?.[Symbol.asyncDispose]();
  }, 60_000);

  const kn = async (...args: string[]): Promise<string> =>
    (await cluster.kubectl(["-n", "demo", "get", "kn", "--no-headers", ...args])).trim();

  /** Name, type, Ready, height and peers of each Node, as `kubectl get kn` shows them. */
  const rows = async (): Promise<readonly (readonly string[])[]> =>
    (await kn()).split("\n").map((line) => line.split(/\s+/).slice(0, 5));

  /** Asks a node directly. */
  const answered = (pod: string, method: string, params: readonly unknown[]): Promise<Answer> =>
    new Promise((resolve, reject) => {
      const socket = connect({ path: player.pod(pod)?.socket ?? "" });
      let text = "";
      socket.on("error", reject).on("data", (chunk) => {
        text += chunk.toString();
        if (!text.endsWith("\n")) return;
        socket.destroy();
        resolve(JSON.parse(text) as Answer);
      });
      socket.write(JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }));
    });

  const ipc = async (pod: string, method: string, ...params: unknown[]): Promise<unknown> =>
    (await answered(pod, method, params)).result;

  const peersOf = async (pod: string): Promise<readonly string[]> =>
    ((await ipc(pod, "admin_peers")) as { id: string }[]).map(({ id }) => id);

  const idOf = async (pod: string): Promise<string> =>
    ((await ipc(pod, "admin_nodeInfo")) as { id: string }).id;

  test("all three become ready, meshed and equally high", async () => {
    const expected = [
      ["core", "core", "True", "1"],
      ["endpoint", "endpoint", "True", "1"],
      ["proxy", "proxy", "True", "2"],
    ];
    await eventually("three ready nodes that are level and meshed", async () => {
      const all = await rows();
      const seen = all.map(([name, type, ready, , peers]) => [name, type, ready, peers]);
      return isDeepStrictEqual(seen, expected) && areLevel(heightsOf(all)) ? true : undefined;
    });
    expect(new Set(await peersOf("proxy-0"))).toEqual(
      new Set([await idOf("core-0"), await idOf("endpoint-0")]),
    );
    const meshed = await kn("-o", 'jsonpath={.items[*].status.conditions[?(@.type=="PeersReady")].status}');
    expect(meshed).toBe("True True True");
  }, 180_000);

  test("the Service's names are answered to, and no others", async () => {
    const { address = "" } = player.pod("endpoint-0") ?? {};
    const status = (host: string): Promise<number | undefined> =>
      new Promise((resolve, reject) => {
        const headers = { host, "content-type": "application/json" };
        const sent = request({ host: address, port: 8551, method: "POST", headers }, (answer) => {
          answer.resume();
          resolve(answer.statusCode);
        });
        sent.on("error", reject);
        sent.end('{"jsonrpc":"2.0","id":1,"method":"eth_blockNumber"}');
      });
    expect(await status("endpoint.demo.svc:8551")).toBe(200);
    expect(await status("endpoint.demo.svc.cluster.local")).toBe(200);
    expect(await status("elsewhere.example")).toBe(403);
  });

  test("a peer that is removed by hand comes back", async () => {
    const [url] = (await kn("proxy", "-o", "jsonpath={.status.members[0].mesh[0]}")).split(" ");
    expect(await ipc("proxy-0", "admin_removePeer", url)).toBe(true);
    const core = await idOf("core-0");
    await eventually(
      "the loss",
      async () => ((await peersOf("proxy-0")).includes(core) ? undefined : true),
      10,
    );
    await eventually(
      "the return",
      async () => ((await peersOf("proxy-0")).includes(core) ? true : undefined),
      30,
    );
  }, 60_000);

  test("a pod that is replaced goes on with its volume, elsewhere, and is found again", async () => {
    const before = player.pod("core-0");
    await cluster.kubectl(["-n", "demo", "delete", "pod", "core-0", "--wait=false"]);
    await eventually("the new pod", async () => {
      const now = player.pod("core-0");
      return now !== undefined && now.uid !== before?.uid ? true : undefined;
    });
    expect(player.pod("core-0")?.address).not.toBe(before?.address);
    expect(existsSync(join(before?.data ?? "", "fastcache", "nodes"))).toBe(true);
    await eventually("the network", async () =>
      (await isWell()) && (await rows())[2]?.[4] === "2" ? true : undefined,
    );
  }, 180_000);

  test.each([
    ["migrate", "admin_startStateMigration"],
    ["save-cache", "admin_saveTrieNodeToDisk"],
  ])(
    "the wish to %s reaches the node, and its answer the status and an event",
    async (wish, method) => {
      const reported = await ipcAnswer(method);
      await cluster.kubectl(["-n", "demo", "annotate", "kn", "proxy", `knit.dev/run=${wish}`]);
      const done = await eventually(
        "the end",
        async () => {
          const { status, metadata } = await cluster.get<{
            status: { maintenance?: { operation: string; state: string; message: string } };
            metadata: { annotations?: Record<string, string> };
          }>("-n", "demo", "kn", "proxy");
          const { maintenance } = status;
          const isOver =
            maintenance?.operation === wish && ["Succeeded", "Failed"].includes(maintenance.state);
          return isOver && metadata.annotations?.["knit.dev/run"] === undefined ? maintenance : undefined;
        },
        60,
      );
      if (reported !== undefined)
        expect(done).toMatchObject({ state: "Failed", message: expect.stringContaining(reported) });
      else expect(done.state).toBe("Succeeded");
      const lines = "{range .items[*]}{.reason}: {.message}{'\\n'}{end}";
      const events = await eventsOf(cluster, "involvedObject.name=proxy", lines);
      expect(events).toContain(`Maintenance${done.state}: ${wish} of proxy: ${done.message}`);
    },
    90_000,
  );

  /** Error of the node for the same request, asked directly. */
  const ipcAnswer = async (method: string): Promise<string | undefined> => {
    const offered = JSON.stringify(await ipc("endpoint-0", "rpc_modules"));
    expect(offered).toContain("admin");
    return (await answered("endpoint-0", method, [])).error?.message;
  };

  test("a word that is no operation is refused with an event, and taken away", async () => {
    await cluster.kubectl(["-n", "demo", "annotate", "kn", "core", "knit.dev/run=dance"]);
    await eventually(
      "the refusal",
      async () => {
        const events = await eventsOf(cluster, "reason=MaintenanceRefused", "{.items[*].message}");
        const left = await kn("core", "-o", "jsonpath={.metadata.annotations}");
        return events.includes("unknown operation") && !left.includes("dance") ? true : undefined;
      },
      30,
    );
  });

  const isWell = async (): Promise<boolean> => {
    const all = await rows();
    return all.every(([, , each]) => each === "True") && areLevel(heightsOf(all));
  };

  test("other settings are taken by one node at a time", async () => {
    const names = ["core", "proxy", "endpoint"];
    const change = (): Promise<void> => patchNodes(cluster, names, { settings: { verbosity: "4" } });
    expect(await rollOut(cluster, { change, isWell })).toBe(1);
    for (const reason of ["RolloutStarted", "RolloutSucceeded"]) {
      const reported = await eventually(
        `${reason} of all`,
        async () => {
          const objects = await eventsOf(cluster, `reason=${reason}`, "{.items[*].involvedObject.name}");
          const different = new Set(objects.split(" "));
          return different.size >= names.length ? different : undefined;
        },
        30,
      );
      expect(reported).toEqual(new Set(names));
    }
  }, 300_000);

  const authority = async () => {
    const { data } = await cluster.get<{ data: Record<string, string> }>(
      "-n",
      OPERATOR_NAMESPACE,
      "secret",
      "knit-operator-authority",
    );
    const text = (name: string): string => Buffer.from(data[name] ?? "", "base64").toString("utf8");
    return { certificate: text("ca.crt"), key: text("ca.key") };
  };

  const gateway = () => ({
    host: player.pod("core-0")?.address ?? "",
    port: 7443,
    name: "core.demo.gateway.knit.dev",
  });

  const asOperator = async (): Promise<Channel> => {
    const root = await authority();
    return openChannel({ authority: root.certificate, operator: await issueOperator(root, Date.now()) });
  };

  describe("the gateway", () => {
    test("answers the operator", async () => {
      using channel = await asOperator();
      expect(await channel.call(gateway(), "chain_blockNumber")).toMatch(/^0x/);
    });

    test.each(["personal_listAccounts", "debug_setHead", "admin_datadir", "eth_blockNumber", "__proto__"])(
      "refuses %s",
      async (method) => {
        const { certificate: ca, key } = await authority();
        const { certificate: cert, key: ownKey } = await issueOperator({ certificate: ca, key }, Date.now());
        const { host, port, name: servername } = gateway();
        const status = await new Promise<number | undefined>((resolve, reject) => {
          const own = { ca, cert, key: ownKey, servername };
          const sent = secureRequest({ host, port, method: "POST", ...own }, (answer) => {
            resolve(answer.resume().statusCode);
          });
          sent.on("error", reject).end(JSON.stringify({ jsonrpc: "2.0", id: 1, method, params: [] }));
        });
        expect(status).toBe(403);
      },
    );

    test("refuses who has no certificate, another gateway's, or another authority's", async () => {
      const root = await authority();
      const none = openChannel({ authority: root.certificate, operator: { certificate: "", key: "" } });
      const other = await issueGateway(root, "proxy.demo.gateway.knit.dev", Date.now());
      const neighbour = openChannel({ authority: root.certificate, operator: other });
      const stranger = openChannel({
        authority: root.certificate,
        operator: await issueOperator(await createAuthority(Date.now()), Date.now()),
      });
      for (const channel of [none, neighbour, stranger]) {
        await expect(channel.call(gateway(), "chain_blockNumber")).rejects.toMatchObject({
          code: "certificate",
        });
        channel[Symbol.dispose]();
      }
    });

    test("is not believed under another node's name", async () => {
      using channel = await asOperator();
      const wrong = { ...gateway(), name: "proxy.demo.gateway.knit.dev" };
      await expect(channel.call(wrong, "chain_blockNumber")).rejects.toMatchObject({ code: "certificate" });
    });
  });

  test("Nodes whose Network is deleted keep true statuses, and a suspension is carried out", async () => {
    await cluster.kubectl(["-n", "demo", "delete", "knet", "demo"]);
    const before = Math.max(...heightsOf(await rows()));
    await eventually("heights above the last ones", async () => {
      return Math.min(...heightsOf(await rows())) > before + 10 ? true : undefined;
    });
    const available = await kn("-o", 'jsonpath={.items[*].status.conditions[?(@.type=="Available")].status}');
    expect(available).toBe("True True True");
    await patchNodes(cluster, ["endpoint"], { suspend: true });
    await eventually("the suspension", async () => {
      const phase = await kn("endpoint", "-o", "jsonpath={.status.phase}");
      return phase === "Suspended" && player.pod("endpoint-0") === undefined ? true : undefined;
    });
    expect(await kn("endpoint", "-o", 'jsonpath={.status.conditions[?(@.type=="Available")].status}')).toBe(
      "False",
    );
  }, 180_000);
});
