/** Secrets of a member: its key, and what its gateway proves itself with. */
import type { Draft, DraftMeta } from "../api/resource.ts";
import { type Member, objectNames, ownedMeta, retainedMeta } from "./names.ts";

/** The member of a made Secret that holds the key, and its file in the pod. */
export const NODE_KEY = "nodekey";
/** The file with the BLS key, where one is named. */
export const BLS_KEY = "bls-nodekey";

/** Files by name. */
export type Files = Readonly<Record<string, string>>;

/** The Secret with the node's private key. */
export function nodeKeySecret(member: Member, key: string): Draft {
  return secret(retainedMeta(member, objectNames(member.name).nodeKey), { [NODE_KEY]: key });
}

/** The Secret with the gateway's certificate, its key and the authority that it believes. */
export function gatewaySecret(member: Member, files: Files): Draft {
  return secret(ownedMeta(member, objectNames(member.name).gateway), files);
}

/** A Secret whose members are given as text. */
export function secret(metadata: DraftMeta, files: Files): Draft {
  const data = Object.entries(files).map(([name, text]) => [name, Buffer.from(text).toString("base64")]);
  return { apiVersion: "v1", kind: "Secret", metadata, type: "Opaque", data: Object.fromEntries(data) };
}
