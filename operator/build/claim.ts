/** The PersistentVolumeClaim of a member. It is separate from the StatefulSet, so that it can grow and be retained. */
import type { V1PersistentVolumeClaim } from "@kubernetes/client-node";
import { classOf } from "../api/node-storage.ts";
import type { DraftMeta, DraftOf } from "../api/resource.ts";
import { type Member, objectNames, retainedMeta } from "./names.ts";

/** Parts of a claim that do not follow from the Node. */
export interface ClaimOptions {
  /** VolumeSnapshot from which a claim is created; it cannot be changed afterwards. */
  readonly snapshot?: string | undefined;
  /** Access modes and class of a claim that exists; the API server refuses any others. */
  readonly fixed?:
    | { readonly accessModes: string[] | undefined; readonly storageClassName: string | undefined }
    | undefined;
  /** UID of the claim, which goes with a StatefulSet: its only owner, also in place of the Node. */
  readonly goesWith?:
    | { readonly claim: string; readonly set: { readonly name: string; readonly uid: string } }
    | undefined;
}

/** Builds the claim with a storage request of `size`, a quantity not below the Node's `storage.size`. */
export function volumeClaim(
  member: Member,
  size: string,
  { snapshot, fixed, goesWith }: ClaimOptions = {},
): DraftOf<V1PersistentVolumeClaim> {
  const accessModes = fixed?.accessModes ?? ["ReadWriteOnce"];
  const storageClassName = fixed === undefined ? classOf(member.node.spec.storage) : fixed.storageClassName;
  return {
    apiVersion: "v1",
    kind: "PersistentVolumeClaim",
    metadata: { ...retainedMeta(member, objectNames(member.name).claim), ...ownerOf(goesWith) },
    spec: {
      accessModes,
      resources: { requests: { storage: size } },
      ...(storageClassName === undefined ? {} : { storageClassName }),
      ...(snapshot === undefined
        ? {}
        : { dataSource: { apiGroup: "snapshot.storage.k8s.io", kind: "VolumeSnapshot", name: snapshot } }),
    },
  };
}

/** Returns the owner, and the UID as a precondition: a claim that was restored under the same name stays. */
function ownerOf(goes: ClaimOptions["goesWith"]): Partial<DraftMeta> {
  if (goes === undefined) return {};
  return {
    uid: goes.claim,
    ownerReferences: [{ apiVersion: "apps/v1", kind: "StatefulSet", ...goes.set }],
  };
}
