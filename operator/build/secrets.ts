/** Secrets of a Node: its key, and what its gateway proves itself with. */
import type { Draft, DraftMeta, NodeResource } from "../api/resource.ts";
import { objectNames, ownedMeta, retainedMeta } from "./names.ts";

/** The member of a made Secret that holds the key. */
export const NODE_KEY = "nodekey";

/** Files by name. */
export type Files = Readonly<Record<string, string>>;

/** The Secret with the node's private key. */
export function nodeKeySecret(node: NodeResource, key: string): Draft {
  return secret(retainedMeta(node, objectNames(node.meta.name).nodeKey), { [NODE_KEY]: key });
}

/** The Secret with the gateway's certificate, its key and the authority that it believes. */
export function gatewaySecret(node: NodeResource, files: Files): Draft {
  return secret(ownedMeta(node, objectNames(node.meta.name).gateway), files);
}

/** A Secret whose members are given as text. */
export function secret(metadata: DraftMeta, files: Files): Draft {
  const data = Object.entries(files).map(([name, text]) => [name, Buffer.from(text).toString("base64")]);
  return { apiVersion: "v1", kind: "Secret", metadata, type: "Opaque", data: Object.fromEntries(data) };
}
