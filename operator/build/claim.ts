/** The PersistentVolumeClaim of a member. It is separate from the StatefulSet, so that it can grow and be retained. */
import type { V1PersistentVolumeClaim } from "@kubernetes/client-node";
import { classOf } from "../api/node-storage.ts";
import type { DraftOf } from "../api/resource.ts";
import { type Member, objectNames, retainedMeta } from "./names.ts";

/**
 * Builds the claim with a storage request of `size`, a quantity not below the Node's `storage.size`. A claim that is
 * created may have a VolumeSnapshot as its source, which cannot be changed afterwards.
 */
export function volumeClaim(
  member: Member,
  size: string,
  snapshot?: string,
): DraftOf<V1PersistentVolumeClaim> {
  const storageClassName = classOf(member.node.spec.storage);
  return {
    apiVersion: "v1",
    kind: "PersistentVolumeClaim",
    metadata: retainedMeta(member, objectNames(member.name).claim),
    spec: {
      accessModes: ["ReadWriteOnce"],
      resources: { requests: { storage: size } },
      ...(storageClassName === undefined ? {} : { storageClassName }),
      ...(snapshot === undefined
        ? {}
        : { dataSource: { apiGroup: "snapshot.storage.k8s.io", kind: "VolumeSnapshot", name: snapshot } }),
    },
  };
}
