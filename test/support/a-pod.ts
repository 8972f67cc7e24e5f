/** The pod of a member, as the cluster would have it. */
import { annotations } from "../../operator/api/names.ts";
import type { AnyDraft } from "./a-draft.ts";

/** State of a pod; absent members are those of a healthy pod. */
export interface PodOptions {
  readonly uid?: string;
  /** Of the template that it was made from. */
  readonly digest?: string;
  /** Address of the key that it was made for. */
  readonly address?: string;
  readonly ready?: boolean;
  readonly started?: boolean;
  /** True for one that ends. */
  readonly deleted?: boolean;
}

/** The object. */
export function aPod(
  name: string,
  { uid = "first", digest = "none", ready = true, started = true, deleted = false, address }: PodOptions,
): AnyDraft {
  const noted = { [annotations.settings]: digest, ...(address && { [annotations.address]: address }) };
  const ending = deleted ? { deletionTimestamp: "2026-01-01T00:00:00Z" } : {};
  const metadata = { name: `${name}-0`, namespace: "demo", annotations: noted, uid, ...ending };
  const status = {
    podIP: "10.0.0.1",
    conditions: [{ type: "Ready", status: ready ? "True" : "False" }],
    containerStatuses: [{ name: "node", started, restartCount: 0 }],
  };
  return { apiVersion: "v1", kind: "Pod", metadata, status };
}
