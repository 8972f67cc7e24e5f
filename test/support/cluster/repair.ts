/** The help that ends a random history: what is missing is there again, and everything is to run. */
import { annotations } from "../../../operator/api/names.ts";
import type { ClusterApi, Stored } from "./api.ts";
import type { History } from "./history.ts";
import { PEOPLE } from "./scene.ts";

/** Name of a second Node with the key of another one. */
export const TWIN = "twin";

/** People help: machines come back, what was lost is restored, and everything is to run. */
export function heal({ api, chain, people, scene }: History): void {
  for (const machine of chain.machines.keys()) chain.machines.set(machine, "up");
  for (const [key, copy] of people.copies) if (restoreOne(api, copy)) people.copies.delete(key);
  for (const node of api.list("Node").filter(({ metadata }) => metadata.name === TWIN)) {
    annotate(api, node, { [annotations.allowChainStop]: "heal" });
    api.remove(api.find("Node", keyOf(node)) ?? node);
  }
  for (const draft of scene.networks) {
    const { namespace, name } = draft.metadata;
    if (api.find(draft.kind, `${namespace}/${name}`) === undefined) api.create(draft, PEOPLE);
  }
}

/** Creates what is missing, and lets Nodes run with an image that serves. */
export function keepWhole({ api, scene, people }: Pick<History, "api" | "scene" | "people">): void {
  for (const [key, copy] of people.copies) if (restoreOne(api, copy)) people.copies.delete(key);
  for (const claim of api.list("PersistentVolumeClaim")) {
    const pod = api.find("Pod", keyOf(claim).replace(/-data$/, "-0"));
    if (claim.metadata.deletionTimestamp !== undefined && pod !== undefined) api.remove(pod); // it holds the claim
  }
  for (const draft of scene.nodes) {
    const { namespace, name } = draft.metadata;
    const node = api.find("Node", `${namespace}/${name}`);
    if (node === undefined) api.create(draft, PEOPLE);
    else if (node.metadata.deletionTimestamp !== undefined)
      annotate(api, node, { [annotations.allowChainStop]: "heal" });
    else {
      const { nodeKeySecret, ...spec } = node["spec"] as KeyedSpec;
      const { nodeKeySecret: own } = (draft as unknown as Stored)["spec"] as KeyedSpec;
      const whole = { ...spec, ...(own && { nodeKeySecret }), suspend: false, image: "knit:2" };
      if (nodeKeySecret === undefined || own !== undefined) api.patch(node, { spec: whole });
      else giveBackKey(api, node, whole);
    }
  }
}

interface KeyedSpec {
  readonly nodeKeySecret?: object;
}

/** A Node gets its own key again, also where the chain stops for that moment. */
function giveBackKey(api: ClusterApi, node: Stored, spec: object): void {
  annotate(api, node, { [annotations.allowChainStop]: "heal" });
  allowKey(api, api.find("Node", keyOf(node)) ?? node, spec, "heal");
}

/** Returns `namespace/name` of an object. */
export function keyOf({ metadata: { namespace, name } }: Stored): string {
  return `${namespace}/${name}`;
}

/** Writes the spec of a Node with the permission for another key. */
export function allowKey(api: ClusterApi, node: Stored, spec: object, value: string): void {
  const given = { ...node.metadata.annotations, [annotations.allowNewKey]: value };
  api.patch(node, { spec, metadata: { annotations: given } });
}

/** Adds annotations to an object. */
export function annotate(api: ClusterApi, object: Stored, given: Readonly<Record<string, string>>): void {
  api.patch(object, { metadata: { annotations: { ...object.metadata.annotations, ...given } } });
}

/**
 * Restores an object from a copy: a claim with its volume, the others with their content. False for a claim that exists.
 * A key that the operator made since, for a Node without a record of its address, stays.
 */
export function restoreOne(api: ClusterApi, copy: Stored): boolean {
  const { kind, metadata } = copy;
  const present = api.find(kind, `${metadata.namespace}/${metadata.name}`);
  const { name, namespace, labels, annotations: noted } = metadata;
  const fields = { spec: copy["spec"], data: copy["data"] };
  if (present !== undefined && kind === "PersistentVolumeClaim") return false;
  if (present !== undefined && kind === "Secret" && present.metadata.uid !== metadata.uid) return true;
  if (present !== undefined) api.patch(present, { data: copy["data"] });
  else
    api.create(
      {
        apiVersion: copy.apiVersion,
        kind,
        metadata: { name, namespace, labels, annotations: noted },
        ...fields,
      } as never,
      "knit-operator",
    );
  return true;
}
