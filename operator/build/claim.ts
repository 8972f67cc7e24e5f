/** The volume with the chain. It is claimed apart from the StatefulSet, so that it can grow and stay. */
import type { Draft } from "../api/resource.ts";
import { type Member, objectNames, retainedMeta } from "./names.ts";

/** The claim of a member's volume; `size` is at least the one that the Node asks for. */
export function volumeClaim(member: Member, size: string): Draft {
  const { className } = member.node.spec.storage;
  return {
    apiVersion: "v1",
    kind: "PersistentVolumeClaim",
    metadata: retainedMeta(member, objectNames(member.name).claim),
    spec: {
      accessModes: ["ReadWriteOnce"],
      resources: { requests: { storage: size } },
      ...(className === undefined ? {} : { storageClassName: className }),
    },
  };
}
