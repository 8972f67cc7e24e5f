/** Objects of the API server: metadata, Nodes and Networks as they are read, and drafts of objects to write. */
import type { V1OwnerReference } from "@kubernetes/client-node";
import { conform } from "./conform.ts";
import { ApiError } from "./error.ts";
import { type NetworkSpec, networkSpec } from "./network-spec.ts";
import { type NetworkStatus, networkStatus } from "./network-status.ts";
import { type NodeSpec, nodeSpec } from "./node-spec.ts";
import { type NodeStatus, nodeStatus } from "./node-status.ts";
import type { Field } from "./schema.ts";

/** Metadata that every object has. */
export interface ObjectMeta {
  readonly name: string;
  readonly namespace: string;
  readonly uid: string;
  readonly resourceVersion: string;
  readonly generation: number;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  /** Creation time in milliseconds since the epoch; 0 when it is unknown. */
  readonly createdAt: number;
  readonly deleted: boolean;
  /** Time of the deletion request in milliseconds since the epoch; undefined when there is none. */
  readonly deletedAt: number | undefined;
  /** Finalizers that hold back its deletion. */
  readonly finalizers: readonly string[];
}

/** Metadata of an object to write. */
export interface DraftMeta {
  readonly name: string;
  readonly namespace: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly ownerReferences?: V1OwnerReference[];
  /** Precondition of a replace: the version that the write is based on. */
  readonly resourceVersion?: string;
  /** Precondition of an apply: the object that the write is for. */
  readonly uid?: string;
}

/** An object to write: its kind, its metadata and, in the types that extend it, the fields that its writer owns. */
export interface Draft {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: DraftMeta;
}

/** A status to write. */
export interface StatusDraft extends Draft {
  readonly status: object;
}

/** A draft of one of the client's types, such as `V1Service`, with kind and metadata present. */
export type DraftOf<T> = T & Draft;

/** A Node. */
export interface NodeResource {
  readonly kind: "Node";
  readonly meta: ObjectMeta;
  readonly spec: NodeSpec;
  readonly status: NodeStatus;
}

/** A Network. */
export interface NetworkResource {
  readonly kind: "Network";
  readonly meta: ObjectMeta;
  readonly spec: NetworkSpec;
  readonly status: NetworkStatus;
}

/** Reads a Node. A member of the status that does not fit its schema counts as absent. Throws `ApiError`. */
export function readNode(value: unknown): NodeResource {
  const { spec, status } = members(value);
  return {
    kind: "Node",
    meta: readMeta(value),
    spec: conform(nodeSpec, spec, "spec"),
    status: readStatus(nodeStatus, status),
  };
}

/** Reads a Network in the same way. Throws `ApiError`. */
export function readNetwork(value: unknown): NetworkResource {
  const { spec, status } = members(value);
  return {
    kind: "Network",
    meta: readMeta(value),
    spec: conform(networkSpec, spec, "spec"),
    status: readStatus(networkStatus, status),
  };
}

/** Reads the metadata of an object. Throws `ApiError` when the value is not a Kubernetes object. */
export function readMeta(value: unknown): ObjectMeta {
  const meta = members(members(value)["metadata"]);
  const word = (key: string): string => {
    const found = meta[key];
    if (typeof found !== "string") throw new ApiError(`metadata.${key} must be a string`);
    return found;
  };
  return {
    name: word("name"),
    namespace: typeof meta["namespace"] === "string" ? meta["namespace"] : "",
    uid: word("uid"),
    resourceVersion: word("resourceVersion"),
    generation: typeof meta["generation"] === "number" ? meta["generation"] : 0,
    labels: textMap(meta["labels"]),
    annotations: textMap(meta["annotations"]),
    createdAt: timeOf(meta["creationTimestamp"]),
    ...deletionOf(meta),
  };
}

function timeOf(text: unknown): number {
  return (typeof text === "string" && Date.parse(text)) || 0;
}

function deletionOf({
  deletionTimestamp: time,
  finalizers,
}: Readonly<Record<string, unknown>>): Pick<ObjectMeta, "deleted" | "deletedAt" | "finalizers"> {
  const deleted = typeof time === "string";
  const names: readonly unknown[] = Array.isArray(finalizers) ? finalizers : [];
  return {
    deleted,
    deletedAt: deleted ? Date.parse(time) : undefined,
    finalizers: names.filter((each) => typeof each === "string"),
  };
}

/** Key of an object: `namespace/name`. */
export function keyOf({ namespace, name }: Pick<ObjectMeta, "namespace" | "name">): string {
  return `${namespace}/${name}`;
}

function readStatus<T>(field: Field<T>, value: unknown): T {
  try {
    return conform(field, value ?? {}, "status");
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return conform(field, fittingPart(field, value), "status");
  }
}

/** Keeps the members that fit by themselves, so that recorded addresses survive a condition of another release. */
function fittingPart<T>(field: Field<T>, value: unknown): unknown {
  const fits = (entry: [string, unknown]): boolean => {
    try {
      conform(field, Object.fromEntries([entry]), "status");
      return true;
    } catch (error) {
      if (error instanceof ApiError) return false;
      throw error;
    }
  };
  return typeof value === "object" && value !== null
    ? Object.fromEntries(Object.entries(value).filter(fits))
    : {};
}

function members(value: unknown): Readonly<Record<string, unknown>> {
  if (typeof value !== "object" || value === null) throw new ApiError("not a Kubernetes object");
  return value as Readonly<Record<string, unknown>>; // any object may be looked at by its keys
}

function textMap(value: unknown): Readonly<Record<string, string>> {
  if (typeof value !== "object" || value === null) return {};
  return Object.fromEntries(Object.entries(value).filter(([, each]) => typeof each === "string"));
}
