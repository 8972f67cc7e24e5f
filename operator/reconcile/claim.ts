/** The claim of a member's volume: created and expanded before all other objects, in any state of the pod. */
import type { MemberStatus } from "../api/node-status.ts";
import { keyOf, type NodeResource } from "../api/resource.ts";
import { volumeClaim } from "../build/claim.ts";
import type { CachedObject } from "../kube/cached-object.ts";
import { isKubeError, type KubeError } from "../kube/error.ts";
import { formatInstant } from "../observe/clock.ts";
import { formatBytes, parseBytes } from "../plan/quantity.ts";
import {
  type AutoGrow,
  type ClaimView,
  claimBytes,
  growthAdvice,
  growthProspect,
  planVolume,
  type VolumePlan,
  type VolumeView,
} from "../plan/storage.ts";
import { readClaim, snapshotOf } from "./claim-view.ts";
import type { MemberContext } from "./context.ts";
import type { RefusedGrowth } from "./memory.ts";
import { failWith, goOn, type Outcome, refuseWith } from "./outcome.ts";
import { isDeletingClaim, withoutCopies } from "./replaced-volume.ts";

/** Delay of a repeated expansion, because a changed StorageClass or quota causes no event. */
const ASK_AGAIN_MS = 60_000;

/** Decides on the size of the volume and applies the claim. */
export async function claimStep(context: MemberContext): Promise<Outcome> {
  const { member, node, deps, facts, status } = context;
  if (facts.claims === false) return goOn;
  const { size } = node.spec.storage;
  const place = keyOf(volumeClaim(member, size).metadata);
  const view = volumeView(context, deps.cache.find("claim", place));
  const plan = planVolume(view, deps.clock.now());
  if (isDeletingClaim(context)) {
    facts.volume = { reason: "Replacing", message: "the volume is being deleted and recreated" };
    return goOn;
  }
  facts.volume = plan.verdict;
  facts.growth = growthProspect(view, plan);
  const refused = await applyClaim(context, view, plan);
  const { claim } = view;
  const has = refused === undefined && claim?.trouble === undefined ? plan.bytes : claimBytes(claim);
  context.status = { ...status, disk: { ...diskStatus(view, status.disk), claimBytes: has } };
  if (refused === undefined) {
    if (plan.grows) grew(context, plan);
    return goOn;
  }
  if (claim === undefined) {
    const refuse = refused.isFinal ? refuseWith : failWith;
    return refuse("ObjectRefused", refused.message);
  }
  const [from, to] = [formatBytes(claim.requestedBytes), formatBytes(plan.bytes)];
  const message =
    from === to
      ? `the claim ${place} cannot be changed: ${refused.message}`
      : `the claim ${place} cannot be changed from ${from} to ${to}: ${refused.message}; ${growthAdvice(view)}`;
  facts.volume = { reason: claim.isBound ? "GrowthFailed" : "Unbound", message };
  facts.growth = message;
  facts.againMs = Math.max(1_000, refused.againAt - deps.clock.now());
  return goOn;
}

/** Applies the claim. Returns a refusal, which is remembered and not repeated at each reconciliation. */
async function applyClaim(
  context: MemberContext,
  { sizeBytes, claim }: VolumeView,
  { bytes }: VolumePlan,
): Promise<(Pick<RefusedGrowth, "message" | "againAt"> & { readonly isFinal: boolean }) | undefined> {
  const { member, node, key, deps } = context;
  const { memory, applier, clock, log } = deps;
  const request = `${bytes} ${claim?.requestedBytes} ${claim?.isBound}`;
  const known = memory.refusedGrowth(key);
  if (claim !== undefined && known?.request === request && clock.now() < known.againAt)
    return { ...known, isFinal: false };
  const size = bytes === sizeBytes ? node.spec.storage.size : formatBytes(bytes);
  const place = keyOf(volumeClaim(member, size).metadata);
  const seen = deps.cache.find("claim", place);
  if (isGoing(seen)) return undefined;
  const draft = volumeClaim(member, size, { snapshot: sourceOf(context, seen) });
  try {
    const written = await applier.apply(draft, seen);
    if (written) log.info({ node: node.meta.name, kind: draft.kind, object: place }, "applied");
    memory.recordRefusedGrowth(key, undefined);
    return undefined;
  } catch (error) {
    if (!isRefusal(error)) throw error;
    const { message } = error;
    const againAt = clock.now() + ASK_AGAIN_MS;
    memory.recordRefusedGrowth(key, { request, message, againAt });
    return { message, againAt, isFinal: error.code === "invalid" };
  }
}

/** Returns the VolumeSnapshot of a claim: its own, and that of the spec for one that is created. */
function sourceOf({ member }: MemberContext, seen: CachedObject | undefined): string | undefined {
  return seen === undefined
    ? withoutCopies(member).node.spec.bootstrap?.volumeSnapshot
    : snapshotOf(seen.object);
}

/** True for a claim that is being deleted: a write after its deletion would create an empty volume. */
function isGoing(claim: CachedObject | undefined): boolean {
  return claim?.meta.deleted === true;
}

/** True for a refusal by the API server, a quota, a StorageClass or an admission webhook. */
function isRefusal(error: unknown): error is KubeError {
  return (["invalid", "conflict", "forbidden", "other"] as const).some((code) => isKubeError(error, code));
}

/** Records an automatic growth when it is requested. */
function grew(context: MemberContext, { bytes }: VolumePlan): void {
  const { member, node, deps, status } = context;
  const size = formatBytes(bytes);
  deps.events.record(node, "VolumeGrown", `the volume of ${member.name} is being expanded to ${size}`);
  const disk = { usedBytes: undefined, capacityBytes: undefined, claimBytes: undefined, ...status.disk };
  const grown = { requestedBytes: bytes, grownAt: formatInstant(deps.clock.now()) };
  context.status = { ...status, disk: { ...disk, ...grown } };
}

function volumeView(context: MemberContext, claim: CachedObject | undefined): VolumeView {
  const { node, key, deps, status } = context;
  const observation = deps.poller.latest(key);
  const usage = observation?.ok === true ? observation.disk : undefined;
  const { grownAt, requestedBytes } = status.disk ?? {};
  return {
    sizeBytes: parseBytes(node.spec.storage.size) ?? 0,
    autoGrow: autoGrowOf(node),
    claim: claim && viewClaim(claim, node.spec.suspend ? undefined : deps.clock.now()),
    neededBytes: neededBytesOf(context),
    grownBytes: requestedBytes,
    grownAt: grownAt === undefined ? undefined : Date.parse(grownAt),
    isLow: observation?.ok === true && observation.reasons?.includes("disk-low") === true,
    disk: usage && { usedBytes: usage.sizeBytes - usage.freeBytes, capacityBytes: usage.sizeBytes },
  };
}

/** Returns the size that a waiting migration of the member needs; undefined for none. */
function neededBytesOf({ node, member }: MemberContext): number | undefined {
  const { maintenance: run } = node.status;
  return run?.member === member.name && run.state === "Requested" ? run.volumeBytes : undefined;
}

/** Observes a claim; `now` is undefined for a suspended Node, whose claim need not be bound. */
function viewClaim({ meta, object }: CachedObject, now: number | undefined): ClaimView {
  const isDated = now !== undefined && meta.createdAt > 0;
  return {
    ...readClaim(object),
    name: meta.name,
    isTerminating: meta.deleted,
    ageMs: isDated ? now - meta.createdAt : undefined,
  };
}

function autoGrowOf({ spec }: NodeResource): AutoGrow | undefined {
  const { autoGrow } = spec.storage;
  if (autoGrow === undefined) return undefined;
  const { atPercent, step, limit } = autoGrow;
  return { atPercent, stepBytes: parseBytes(step) ?? 0, limitBytes: parseBytes(limit) ?? 0 };
}

type Disk = NonNullable<MemberStatus["disk"]>;

/**
 * Returns the figures of the file system, which a silent node has reported before. Its capacity may be larger than that of
 * the claim, so that used bytes are never compared with the claim.
 */
function diskStatus({ disk, claim }: VolumeView, before: MemberStatus["disk"]): Omit<Disk, "claimBytes"> {
  const { usedBytes, capacityBytes } = disk ?? before ?? {};
  const claimed = claim?.capacityBytes || undefined;
  return {
    usedBytes,
    capacityBytes: usedBytes === undefined ? (claimed ?? capacityBytes) : capacityBytes,
    requestedBytes: before?.requestedBytes,
    grownAt: before?.grownAt,
  };
}
