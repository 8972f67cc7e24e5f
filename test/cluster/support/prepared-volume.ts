/** Volumes that have their files before a claim is bound to them: directories of the one machine. */
import { chownSync, cpSync, readdirSync } from "node:fs";
import { join } from "node:path";
import type { Cluster } from "./cluster.ts";

/** The user of the nodes' pods. */
const USER = 1_000;

/** A claim, which need not exist yet. */
export interface ClaimPlace {
  readonly namespace: string;
  readonly claim: string;
}

/** Copies a directory into a new volume for one claim of a StorageClass; every claim up to its size takes it. */
export async function prepareVolume(
  cluster: Cluster,
  { namespace, claim }: ClaimPlace,
  { from, className }: { readonly from: string; readonly className: string },
): Promise<void> {
  const name = `prepared-${namespace}-${claim}`;
  const path = join(cluster.directory, "pv", name);
  cpSync(from, path, { recursive: true });
  for (const each of ["", ...readdirSync(path, { recursive: true, encoding: "utf8" })])
    chownSync(join(path, each), USER, USER);
  const hostname = { key: "kubernetes.io/hostname", operator: "Exists" };
  const volume = {
    apiVersion: "v1",
    kind: "PersistentVolume",
    metadata: { name },
    spec: {
      capacity: { storage: "100Gi" },
      accessModes: ["ReadWriteOnce"],
      storageClassName: className,
      persistentVolumeReclaimPolicy: "Retain",
      local: { path },
      claimRef: { apiVersion: "v1", kind: "PersistentVolumeClaim", namespace, name: claim },
      nodeAffinity: { required: { nodeSelectorTerms: [{ matchExpressions: [hostname] }] } },
    },
  };
  await cluster.kubectl(["create", "-f", "-"], JSON.stringify(volume));
}

/** The directory of the volume to which a claim is bound. */
export async function directoryOf(cluster: Cluster, { namespace, claim }: ClaimPlace): Promise<string> {
  const volume = await cluster.kubectl([
    "-n",
    namespace,
    "get",
    "pvc",
    claim,
    "-o",
    "jsonpath={.spec.volumeName}",
  ]);
  return cluster.kubectl(["get", "pv", volume, "-o", "jsonpath={.spec.local.path}"]);
}
