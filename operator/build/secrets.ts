/** Secrets of a member: its node key, and the credentials of its gateway. */
import type { V1Secret } from "@kubernetes/client-node";
import type { DraftMeta, DraftOf } from "../api/resource.ts";
import { type Member, objectNames, ownedMeta, retainedMeta } from "./names.ts";

/** Key of the node key in a created Secret, and its file name in the pod. */
export const NODE_KEY = "nodekey";
/** File name of the BLS key in the pod. */
export const BLS_KEY = "bls-nodekey";

/** File contents by file name. */
export type Files = Readonly<Record<string, string>>;

/** Builds the Secret with the node's private key. */
export function nodeKeySecret(member: Member, key: string): DraftOf<V1Secret> {
  return secret(retainedMeta(member, objectNames(member.name).nodeKey), { [NODE_KEY]: key });
}

/** Builds the Secret with the gateway's certificate, its key and the authority that it trusts. */
export function gatewaySecret(member: Member, files: Files): DraftOf<V1Secret> {
  return secret(ownedMeta(member, objectNames(member.name).gateway), files);
}

/** Builds an opaque Secret from texts. */
export function secret(metadata: DraftMeta, files: Files): DraftOf<V1Secret> {
  const data = Object.entries(files).map(([name, text]) => [name, Buffer.from(text).toString("base64")]);
  return { apiVersion: "v1", kind: "Secret", metadata, type: "Opaque", data: Object.fromEntries(data) };
}
