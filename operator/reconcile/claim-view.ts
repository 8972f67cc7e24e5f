/** Reads PersistentVolumeClaims. */
import type { V1PersistentVolumeClaim } from "@kubernetes/client-node";
import { type ClaimOptions, volumeClaim } from "../build/claim.ts";
import type { Member } from "../build/names.ts";
import { formatBytes, parseBytes } from "../plan/quantity.ts";
import type { ClaimView } from "../plan/storage.ts";

interface Claim {
  readonly spec?: {
    readonly volumeName?: unknown;
    readonly dataSource?: { readonly kind?: unknown; readonly name?: unknown };
    readonly resources?: { readonly requests?: { readonly storage?: unknown } };
  };
  readonly status?: {
    readonly phase?: unknown;
    readonly capacity?: { readonly storage?: unknown };
    readonly conditions?: unknown;
    readonly allocatedResourceStatuses?: { readonly storage?: unknown };
  };
}

const MAX_CHARACTERS = 500;

/** Reads a claim. */
export function readClaim(object: unknown): ClaimView {
  const { spec, status } = object as Claim;
  return {
    volume: volumeOf(object),
    isLost: status?.phase === "Lost",
    isBound: status?.phase === "Bound",
    requestedBytes: bytesOf(spec?.resources?.requests?.storage),
    capacityBytes: bytesOf(status?.capacity?.storage),
    trouble: troubleOf(status),
  };
}

/** Returns the PersistentVolume of a claim; undefined until it is bound. */
export function volumeOf(object: unknown): string | undefined {
  const name = (object as Claim).spec?.volumeName;
  return typeof name === "string" && name !== "" ? name : undefined;
}

/** Returns the VolumeSnapshot from which a claim was created; undefined for none. */
export function snapshotOf(object: unknown): string | undefined {
  const { kind, name } = (object as Claim).spec?.dataSource ?? {};
  return kind === "VolumeSnapshot" && typeof name === "string" ? name : undefined;
}

/** Builds the claim of a member as it is, with the metadata that it is to have: the API server refuses another spec. */
export function existingClaim(
  member: Member,
  object: unknown,
  goesWith?: ClaimOptions["goesWith"],
): ReturnType<typeof volumeClaim> {
  const { spec } = object as Pick<V1PersistentVolumeClaim, "spec">; // as the API server has checked it
  const fixed = { accessModes: spec?.accessModes, storageClassName: spec?.storageClassName };
  const size = formatBytes(readClaim(object).requestedBytes);
  return volumeClaim(member, size, { snapshot: snapshotOf(object), fixed, goesWith });
}

function bytesOf(text: unknown): number {
  return (typeof text === "string" ? parseBytes(text) : undefined) ?? 0;
}

/** Returns the error of an expansion: a condition, or a status that ends in `Infeasible`. */
function troubleOf(status: Claim["status"]): string | undefined {
  const conditions: readonly unknown[] = Array.isArray(status?.conditions) ? status.conditions : [];
  const [resizing] = conditions.flatMap(resizeError);
  if (resizing !== undefined) return resizing;
  const growing = status?.allocatedResourceStatuses?.storage;
  return typeof growing === "string" && growing.endsWith("Infeasible")
    ? `the expansion is ${growing}`
    : undefined;
}

function resizeError(condition: unknown): readonly string[] {
  const { type, status, message } = (condition ?? {}) as Readonly<Record<string, unknown>>;
  if (typeof type !== "string" || !type.endsWith("ResizeError") || status !== "True") return [];
  return [typeof message === "string" ? message.slice(0, MAX_CHARACTERS) : type];
}
