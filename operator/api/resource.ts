/** Objects as they are read from the API server, and the Node among them. */
import { conform } from "./conform.ts";
import { ApiError } from "./error.ts";
import { type NetworkSpec, networkSpec } from "./network-spec.ts";
import { type NetworkStatus, networkStatus } from "./network-status.ts";
import { type NodeSpec, nodeSpec } from "./node-spec.ts";
import { type NodeStatus, nodeStatus } from "./node-status.ts";
import type { Field } from "./schema.ts";

/** What all objects have. */
export interface ObjectMeta {
  readonly name: string;
  readonly namespace: string;
  readonly uid: string;
  readonly resourceVersion: string;
  readonly generation: number;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  /** When it was made, milliseconds since the epoch; 0 when that is not known. */
  readonly createdAt: number;
  readonly deleted: boolean;
  /** When its deletion was asked for, milliseconds since the epoch; undefined when it was not. */
  readonly deletedAt: number | undefined;
  /** Who has to let go of it before it goes. */
  readonly finalizers: readonly string[];
}

/** Metadata of an object that is written. */
export interface DraftMeta {
  readonly name: string;
  readonly namespace: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly ownerReferences?: readonly Part[];
  /** Where a write must not go over another's. */
  readonly resourceVersion?: string;
}

/** An object to write: its kind and place, and the fields that its writer wants to own. */
export interface Draft {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: DraftMeta;
  readonly [member: string]: unknown;
}

/** A part of an object; the API server knows its fields and refuses strange ones. */
export type Part = Readonly<Record<string, unknown>>;

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

/** Reads a Node; what of its status does not fit counts as absent, it will be written anew. Throws `ApiError`. */
export function readNode(value: unknown): NodeResource {
  const { spec, status } = members(value);
  return {
    kind: "Node",
    meta: readMeta(value),
    spec: conform(nodeSpec, spec, "spec"),
    status: readStatus(nodeStatus, status),
  };
}

/** Reads a Network, likewise. Throws `ApiError`. */
export function readNetwork(value: unknown): NetworkResource {
  const { spec, status } = members(value);
  return {
    kind: "Network",
    meta: readMeta(value),
    spec: conform(networkSpec, spec, "spec"),
    status: readStatus(networkStatus, status),
  };
}

/** What all objects have. Throws `ApiError` when it is no object of Kubernetes. */
export function readMeta(value: unknown): ObjectMeta {
  const meta = members(members(value)["metadata"]);
  const word = (key: string): string => {
    const found = meta[key];
    if (typeof found !== "string") throw new ApiError(`metadata.${key} must be a text`);
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
}: Part): Pick<ObjectMeta, "deleted" | "deletedAt" | "finalizers"> {
  const deleted = typeof time === "string";
  const names: readonly unknown[] = Array.isArray(finalizers) ? finalizers : [];
  return {
    deleted,
    deletedAt: deleted ? Date.parse(time) : undefined,
    finalizers: names.filter((each) => typeof each === "string"),
  };
}

/** `namespace/name`, by which objects are known here. */
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

/** The members that fit by themselves: the noted addresses outlive a condition that another release wrote. */
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
  if (typeof value !== "object" || value === null) throw new ApiError("not an object of Kubernetes");
  return value as Readonly<Record<string, unknown>>; // any object may be looked at by its keys
}

function textMap(value: unknown): Readonly<Record<string, string>> {
  if (typeof value !== "object" || value === null) return {};
  return Object.fromEntries(Object.entries(value).filter(([, each]) => typeof each === "string"));
}
