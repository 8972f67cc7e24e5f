/** The volume with the chain. It is claimed apart from the StatefulSet, so that it can grow and stay. */
import type { Draft, NodeResource } from "../api/resource.ts";
import { objectNames, retainedMeta } from "./names.ts";

/** The claim. */
export function volumeClaim(node: NodeResource): Draft {
  const { size, className } = node.spec.storage;
  return {
    apiVersion: "v1",
    kind: "PersistentVolumeClaim",
    metadata: retainedMeta(node, objectNames(node.meta.name).claim),
    spec: {
      accessModes: ["ReadWriteOnce"],
      resources: { requests: { storage: size } },
      ...(className === undefined ? {} : { storageClassName: className }),
    },
  };
}
