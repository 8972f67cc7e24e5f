/**
 * Storage with snapshots: the real definitions of the kinds, and what their controller and a driver do, played. A pod is
 * frozen while its volume is copied, so that a snapshot is of one instant, as real storage makes it.
 */
import { cpSync } from "node:fs";
import { join } from "node:path";
import { type Cluster, eventually } from "./cluster.ts";
import { type ClaimPlace, directoryOf, prepareVolume } from "./prepared-volume.ts";
import { buildTool } from "./tools.ts";

const DRIVER = "knit.dev/snapshots";
const GROUP = "snapshot.storage.k8s.io";
const API = `${GROUP}/v1`;

/** StorageClass, and VolumeSnapshotClass, whose volumes nobody else makes. */
export const SNAPSHOT_CLASS = "snapshots";

const CLASSES = [
  {
    apiVersion: "storage.k8s.io/v1",
    kind: "StorageClass",
    metadata: { name: SNAPSHOT_CLASS },
    provisioner: DRIVER,
    reclaimPolicy: "Retain",
    volumeBindingMode: "Immediate",
  },
  {
    apiVersion: API,
    kind: "VolumeSnapshotClass",
    metadata: { name: SNAPSHOT_CLASS },
    driver: DRIVER,
    deletionPolicy: "Retain",
  },
];

/** Defines the kinds and the classes. */
export async function defineSnapshots(cluster: Cluster): Promise<void> {
  await cluster.kubectl(["apply", "--server-side", "-f", await buildTool("snapshots")]);
  const definitions = ["volumesnapshots", "volumesnapshotcontents", "volumesnapshotclasses"].map(
    (name) => `crd/${name}.${GROUP}`,
  );
  await cluster.kubectl(["wait", "--for=condition=Established", ...definitions, "--timeout=60s"]);
  for (const each of CLASSES) await cluster.kubectl(["apply", "-f", "-"], JSON.stringify(each));
}

/** Creates a VolumeSnapshot of the claim of a running node, and makes it ready as its controller does. */
export async function takeSnapshot(
  cluster: Cluster,
  name: string,
  { pod, ...place }: ClaimPlace & { readonly pod: string },
): Promise<void> {
  const { namespace, claim } = place;
  const snapshot = {
    apiVersion: API,
    kind: "VolumeSnapshot",
    metadata: { name, namespace },
    spec: { volumeSnapshotClassName: SNAPSHOT_CLASS, source: { persistentVolumeClaimName: claim } },
  };
  await cluster.kubectl(["create", "-f", "-"], JSON.stringify(snapshot));
  const source = await directoryOf(cluster, place);
  await whileFrozen(cluster, { namespace, pod }, () =>
    cpSync(source, directoryOfSnapshot(cluster, name), { recursive: true }),
  );
  const get = ["-n", namespace, "get", "volumesnapshot", name, "-o"];
  const uid = await cluster.kubectl([...get, "jsonpath={.metadata.uid}"]);
  const content = {
    apiVersion: API,
    kind: "VolumeSnapshotContent",
    metadata: { name: `snapcontent-${uid}` },
    spec: {
      deletionPolicy: "Retain",
      driver: DRIVER,
      source: { snapshotHandle: name },
      volumeSnapshotClassName: SNAPSHOT_CLASS,
      volumeSnapshotRef: { apiVersion: API, kind: "VolumeSnapshot", namespace, name, uid },
    },
  };
  await cluster.kubectl(["create", "-f", "-"], JSON.stringify(content));
  const status = { boundVolumeSnapshotContentName: content.metadata.name, readyToUse: true };
  const patch = ["patch", "volumesnapshot", name, "--subresource=status", "--type=merge", "-p"];
  await cluster.kubectl(["-n", namespace, ...patch, JSON.stringify({ status })]);
}

/** Waits for a claim, and makes its volume of the ready snapshot that it names, as the driver does. */
export async function provisionFromSnapshot(cluster: Cluster, place: ClaimPlace): Promise<void> {
  const { namespace, claim } = place;
  const source = await eventually("the claim", async () => {
    const { spec } = await cluster.get<{ spec: { dataSource?: Record<string, string> } }>(
      "-n",
      namespace,
      "pvc",
      claim,
    );
    return spec.dataSource;
  });
  const { apiGroup, kind, name = "" } = source;
  if (apiGroup !== GROUP || kind !== "VolumeSnapshot") throw new Error(JSON.stringify(source));
  const isReady = ["-n", namespace, "get", "volumesnapshot", name, "-o", "jsonpath={.status.readyToUse}"];
  if ((await cluster.kubectl(isReady)) !== "true") throw new Error(`${name} is not ready to use`);
  await prepareVolume(cluster, place, {
    from: directoryOfSnapshot(cluster, name),
    className: SNAPSHOT_CLASS,
  });
}

function directoryOfSnapshot(cluster: Cluster, name: string): string {
  return join(cluster.directory, `snapshot-${name}`);
}

async function whileFrozen(
  cluster: Cluster,
  { namespace, pod }: { readonly namespace: string; readonly pod: string },
  work: () => void,
): Promise<void> {
  const path = '{.status.containerStatuses[?(@.name=="node")].containerID}';
  const id = await cluster.kubectl(["-n", namespace, "get", "pod", pod, "-o", `jsonpath=${path}`]);
  const tasks = async (command: string): Promise<void> => {
    const task = id.replace("containerd://", "");
    const { code, stderr } = await cluster.script("exec", "ctr", "-n", "k8s.io", "tasks", command, task);
    if (code !== 0) throw new Error(`${command} of ${pod}: ${stderr}`);
  };
  await tasks("pause");
  try {
    work();
  } finally {
    await tasks("resume");
  }
}
