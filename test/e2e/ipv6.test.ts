/** knit and the gateway with the settings and arguments of a pod in a cluster with IPv6: they answer at `::1`. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { connect } from "node:net";
import { networkInterfaces, tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "@jest/globals";
import { parse } from "yaml";
import { settingsText } from "../../operator/build/settings.ts";
import { podTemplate } from "../../operator/build/stateful-set.ts";
import { freePorts } from "../../scripts/network/ports.ts";
import { aMember, PARTS } from "../support/a-member.ts";
import { GATEWAY, GatewayStand, makeIdentities } from "../support/gateway.ts";
import { type KnitProcess, startKnit } from "../support/knit-process.ts";

const hasIpv6 = Object.values(networkInterfaces())
  .flatMap((each) => each ?? [])
  .some(({ address }) => address === "::1");
const about = hasIpv6 ? describe : describe.skip;
const HOST = "::1";
const LISTENS = "::";

about(`at ::1${hasIpv6 ? "" : " (skipped: this machine has no IPv6)"}`, () => {
  const directory = mkdtempSync(join(tmpdir(), "k6-"));
  const running: (KnitProcess | ChildProcess)[] = [];

  afterAll(async () => {
    for (const each of running) {
      if ("stop" in each) await each.stop();
      else {
        each.kill();
        await once(each, "exit");
      }
    }
    rmSync(directory, { recursive: true });
  });

  test("a node answers JSON-RPC, WebSocket, probes and peers", async () => {
    const member = aMember({ api: { ws: { enabled: true } } });
    const settings = parse(settingsText(member, LISTENS)) as Readonly<Record<string, unknown>>;
    const hosts = Object.entries(settings).flatMap(([name, value]) =>
      value === LISTENS ? [`--${name}=${LISTENS}`] : [],
    );
    expect(hosts).toEqual(["--rpcaddr=::", "--wsaddr=::"]);
    const [peers = 0, metrics = 0, http = 0, ws = 0] = await freePorts(4);
    const ports = [`--port=${peers}`, `--prometheusport=${metrics}`, `--rpcport=${http}`, `--wsport=${ws}`];
    const flags = [
      "--kairos",
      "--nodiscover",
      "--rpc",
      "--rpcapi=eth",
      "--ws",
      "--metrics",
      "--prometheus",
      "--ipcdisable",
    ];
    const knit = startKnit("run", `--datadir=${directory}`, ...flags, ...hosts, ...ports);
    running.push(knit);
    await knit.waitFor(/opened peer-to-peer networking/);
    const at = (port: number): string => `http://[${HOST}]:${port}`;
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "eth_chainId", params: [] });
    const headers = { "content-type": "application/json" };
    const answer = await fetch(at(http), { method: "POST", headers, body });
    expect(await answer.json()).toMatchObject({ result: "0x3e9" });
    expect((await fetch(`${at(metrics)}/healthz`)).status).toBe(200);
    const socket = new WebSocket(`ws://[${HOST}]:${ws}`);
    await once(socket, "open");
    socket.close();
    const peer = connect(peers, HOST);
    await once(peer, "connect");
    peer.destroy();
  }, 60_000);

  test("a gateway answers the operator and its probes", async () => {
    await using stand = await new GatewayStand(await makeIdentities()).open();
    const [port = 0, health = 0] = await freePorts(2);
    const { spec } = podTemplate(aMember(), { ...PARTS, listenHost: LISTENS });
    const given = spec?.initContainers?.find(({ name }) => name === "gateway")?.args ?? [];
    const args = given.map((text) =>
      text
        .replace(":7443", `:${port}`)
        .replace(":7444", `:${health}`)
        .replace(/^(--socket)=.*/, `$1=${join(stand.directory, "n.ipc")}`)
        .replace(/^(--certificates|--data)=.*/, `$1=${stand.directory}`),
    );
    const gateway = spawn(process.execPath, ["operator/main.ts", ...args], {
      stdio: ["ignore", "ignore", "pipe"],
    });
    running.push(gateway);
    await once(gateway.stderr, "data");
    const reached = await stand.channel.call({ host: HOST, port, name: GATEWAY }, "chain_blockNumber");
    expect(reached).toMatchObject({ method: "chain_blockNumber" });
    expect((await fetch(`http://[${HOST}]:${health}/healthz`)).status).toBe(200);
  }, 60_000);
});
