/**
 * Plays the pods of a cluster without kubelets: every container is a process of this machine, started from the
 * sources with the arguments and files that its pod gives it. A pod has a loopback address of its own; paths of its
 * volumes become directories, and ports that the whole machine shares are moved, that of the metrics with the pod's own
 * in front.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { randomInt } from "node:crypto";
import { once } from "node:events";
import { mkdtempSync, openSync, readFileSync, rmSync } from "node:fs";
import { connect, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { freePort } from "../../support/go-node.ts";
import { type Cluster, eventually } from "./cluster.ts";
import { type Container, type Pod, placeVolumes } from "./pod-volumes.ts";

/** A pod that is played. */
export interface PlayedPod {
  readonly name: string;
  readonly uid: string;
  readonly address: string;
  readonly socket: string;
  /** Directory of the gateway's certificates. */
  readonly certificates: string;
  readonly metricsPort: number;
  /** Its volume with the chain. */
  readonly data: string;
}

/** The player. Disposing it ends all processes. */
export interface Player extends AsyncDisposable {
  pod(name: string): PlayedPod | undefined;
  /** The directory of a claim, which outlives its pods. */
  claim(name: string): string;
  /** Kills the node of a pod, as a crash does; nothing starts it again before the pod is replaced. */
  kill(name: string): void;
  /** The directory with what the containers printed. */
  readonly logs: string;
}

interface Playing {
  readonly played: PlayedPod;
  /** The node first. */
  readonly containers: readonly Running[];
  readonly front: AsyncDisposable;
  /** Processes of the preStop hooks of containers. */
  readonly preStops: readonly (() => ChildProcess)[];
  /** As the API server was told; undefined before the first time. */
  ready: boolean | undefined;
}

/** A container that runs, or that ended and is started again. */
interface Running {
  readonly name: string;
  readonly begin: () => ChildProcess;
  readonly log: string;
  child: ChildProcess;
  startedAt: number;
}

const main = (program: string): string =>
  fileURLToPath(new URL(`../../../${program}/main.ts`, import.meta.url));
const LOOK_MS = 300;
/** A container that ended is started again this long after its last start, and what it printed last is shown. */
const RESTART_MS = 2_000;
const SHOWN_CHARACTERS = 2_000;
/** Port of the metrics in a pod. */
const METRICS_PORT = 61_001;

/** A part of the loopback network: pods listen on ports of their own images, so each player has one to itself. */
function loopbackNet(): string {
  return `127.${100 + randomInt(150)}.${randomInt(256)}`;
}

/**
 * Makes the cluster's only machine and begins to play the pods of `namespace` on it. Their addresses begin with `net`,
 * three numbers. Those of the loopback network are in no EndpointSlice, which may not have them.
 */
export async function openPlayer(cluster: Cluster, namespace: string, net = loopbackNet()): Promise<Player> {
  const directory = mkdtempSync(join(tmpdir(), "kp-"));
  const pods = new Map<string, Playing>();
  const closing = new AbortController();
  let next = 11;
  await makeMachine(cluster);
  const look = async (): Promise<void> => {
    const { items } = await cluster.get<{ items: Pod[] }>("-n", namespace, "pod");
    for (const pod of items.filter(({ spec, metadata }) => spec.nodeName && !pods.has(metadata.uid))) {
      if (pod.metadata.deletionTimestamp === undefined) {
        pods.set(pod.metadata.uid, await start(cluster, pod, join(directory, `${next}`), `${net}.${next++}`));
      } else await forceDelete(cluster, pod);
    }
    for (const [uid, playing] of pods) {
      const pod = items.find(({ metadata }) => metadata.uid === uid);
      if (pod === undefined || pod.metadata.deletionTimestamp !== undefined) {
        await end(playing);
        pods.delete(uid);
        if (pod !== undefined) await forceDelete(cluster, pod);
      } else {
        for (const container of playing.containers) restartIfEnded(playing.played.name, container);
        await judge(cluster, namespace, playing);
      }
    }
  };
  const playing = (async () => {
    while (!closing.signal.aborted) {
      await look().catch((error: unknown) => process.stderr.write(`player: ${String(error)}\n`));
      await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
    }
  })();
  const playingOf = (name: string) => [...pods.values()].find(({ played }) => played.name === name);
  return {
    pod: (name) => playingOf(name)?.played,
    claim: (name) => join(directory, name),
    kill: (name) => void playingOf(name)?.containers[0]?.child.kill("SIGKILL"),
    logs: directory,
    async [Symbol.asyncDispose]() {
      closing.abort();
      await playing;
      for (const { played, ready, containers } of pods.values())
        if (ready !== true) for (const { name, log } of containers) show(`${played.name}: ${name}`, log);
      await Promise.all([...pods.values()].map(end));
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

/** Creates a machine without a kubelet, which the scheduler accepts for pods. */
export async function makeMachine(cluster: Cluster): Promise<void> {
  const machine = {
    apiVersion: "v1",
    kind: "Node",
    metadata: { name: "node-1", labels: { "kubernetes.io/hostname": "node-1" } },
  };
  await cluster.kubectl(["apply", "-f", "-"], JSON.stringify(machine));
  const amounts = { cpu: "8", memory: "16Gi", pods: "100" };
  const status = {
    capacity: amounts,
    allocatable: amounts,
    conditions: [{ type: "Ready", status: "True", reason: "Played" }],
  };
  const patch = JSON.stringify({ status });
  await cluster.kubectl(["patch", "node", "node-1", "--subresource=status", "--type=merge", "-p", patch]);
  // the node controller removes the taint too, where it runs, and whoever else changes the machine can make this fail
  await eventually("a machine that pods may be placed on", async () => {
    await cluster.tryKubectl(["taint", "node", "node-1", "node.kubernetes.io/not-ready-"]);
    const { spec } = await cluster.get<{ spec: { taints?: unknown[] } }>("node", "node-1");
    return spec.taints === undefined ? true : undefined;
  });
}

/** Replaces the hosts of every interface, which an operator chooses by its machine, with a pod's address. */
function listeningOn(text: string, address: string): string {
  return text
    .replaceAll("0.0.0.0", address)
    .replaceAll('"::"', JSON.stringify(address))
    .replaceAll("[::]", address);
}

async function start(cluster: Cluster, pod: Pod, directory: string, address: string): Promise<Playing> {
  const metricsPort = await freePort();
  const volumes = await placeVolumes(cluster, pod, directory, (text) =>
    listeningOn(text, address).replace(
      `"prometheusport": ${METRICS_PORT}`,
      `"prometheusport": ${metricsPort}`,
    ),
  );
  const front = await openFront(address, metricsPort);
  const logOf = (container: Container): string => join(directory, `${container.name}.log`);
  const begin = (container: Container, given = container.args ?? []): ChildProcess => {
    const program = container.name === "gateway" ? "operator" : "node";
    const args = given.map((text) => listeningOn(volumes.moved(container, text), address));
    const log = openSync(logOf(container), "a");
    return spawn(process.execPath, [main(program), ...args], {
      stdio: ["ignore", log, log],
      env: { ...process.env, HOME: directory },
    });
  };
  const run = (container: Container): Running => ({
    name: container.name,
    begin: () => begin(container),
    log: logOf(container),
    child: begin(container),
    startedAt: performance.now(),
  });
  const sidecars: Running[] = [];
  for (const container of pod.spec.initContainers ?? []) {
    if (container.restartPolicy === "Always") sidecars.push(run(container));
    else await endOf(begin(container), `${pod.metadata.name}: ${container.name}`);
  }
  const containers = [...pod.spec.containers.map(run), ...sidecars];
  const preStops = pod.spec.containers.flatMap((container) => {
    const [, , ...args] = container.lifecycle?.preStop?.exec?.command ?? [];
    return args.length > 0 ? [() => begin(container, args)] : [];
  });
  return {
    played: {
      name: pod.metadata.name,
      uid: pod.metadata.uid,
      address,
      metricsPort,
      socket: join(volumes.directory("socket"), "knit.ipc"),
      certificates: volumes.directory("certificates"),
      data: volumes.directory("data"),
    },
    containers,
    front,
    preStops,
    ready: undefined,
  };
}

/** Listens on the pod's own port of the metrics and passes everything on. */
async function openFront(host: string, port: number): Promise<AsyncDisposable> {
  const server = createServer((client) => {
    const target = connect({ host: "127.0.0.1", port });
    client.on("error", () => target.destroy()).pipe(target);
    target.on("error", () => client.destroy()).pipe(client);
  });
  server.listen(METRICS_PORT, host);
  await once(server, "listening");
  return {
    async [Symbol.asyncDispose]() {
      const closed = once(server, "close");
      server.close();
      await closed;
    },
  };
}

async function endOf(child: ChildProcess, name: string): Promise<void> {
  const [code] = (await once(child, "exit")) as [number | null];
  if (code !== 0) throw new Error(`${name} ended with ${code}`);
}

/** As a kubelet does; a container that a test killed stays dead. */
function restartIfEnded(pod: string, container: Running): void {
  if (container.child.exitCode === null || performance.now() < container.startedAt + RESTART_MS) return;
  show(
    `${pod}: ${container.name} ended with ${container.child.exitCode} and is started again`,
    container.log,
  );
  container.child = container.begin();
  container.startedAt = performance.now();
}

/** Prints the end of a log. */
function show(title: string, log: string): void {
  process.stderr.write(`player: ${title}\n${readFileSync(log, "utf8").slice(-SHOWN_CHARACTERS)}\n`);
}

/** Tells the API server what a kubelet would: the address, and whether the containers are ready. */
async function judge(cluster: Cluster, namespace: string, playing: Playing): Promise<void> {
  const { played } = playing;
  const probes = [answers(`http://127.0.0.1:${played.metricsPort}/readyz`), listens(played.address, 7443)];
  const ready = (await Promise.all(probes)).every(Boolean) && isRunning(playing);
  if (ready === playing.ready) return;
  const holds = ready ? "True" : "False";
  const status = {
    phase: "Running",
    podIP: played.address,
    podIPs: [{ ip: played.address }],
    conditions: ["PodScheduled", "Initialized", "ContainersReady", "Ready"].map((type) => ({
      type,
      status: holds,
    })),
  };
  const patch = JSON.stringify({ status });
  await cluster.kubectl([
    "-n",
    namespace,
    "patch",
    "pod",
    played.name,
    "--subresource=status",
    "--type=merge",
    "-p",
    patch,
  ]);
  playing.ready = ready;
}

function isRunning({ containers }: Playing): boolean {
  return containers.every(({ child }) => child.exitCode === null);
}

async function answers(url: string): Promise<boolean> {
  return fetch(url).then(
    ({ ok }) => ok,
    () => false,
  );
}

function listens(host: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host, port });
    const settle = (open: boolean): void => {
      socket.destroy();
      resolve(open);
    };
    socket.on("connect", () => settle(true)).on("error", () => settle(false));
  });
}

/** As a kubelet does it: what runs before the end, then the containers, then the sidecars. */
async function end({ containers, preStops, front }: Playing): Promise<void> {
  await Promise.all(preStops.map((run) => once(run(), "exit")));
  for (const { child } of containers) {
    if (child.exitCode !== null || child.signalCode !== null) continue;
    const exited = once(child, "exit");
    child.kill("SIGTERM");
    await exited;
  }
  await front[Symbol.asyncDispose]();
}

async function forceDelete(cluster: Cluster, { metadata }: Pod): Promise<void> {
  await cluster.tryKubectl([
    "-n",
    metadata.namespace,
    "delete",
    "pod",
    metadata.name,
    "--grace-period=0",
    "--force",
  ]);
}
