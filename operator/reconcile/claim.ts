/** A member's volume: claimed, and grown, before anything else and whatever state its pod is in. */
import type { MemberStatus } from "../api/node-status.ts";
import { keyOf, type NodeResource } from "../api/resource.ts";
import { volumeClaim } from "../build/claim.ts";
import { isKubeError } from "../kube/error.ts";
import { instant } from "../observe/clock.ts";
import { formatBytes, parseBytes } from "../plan/quantity.ts";
import { type AutoGrow, planVolume, type VolumePlan, type VolumeView } from "../plan/storage.ts";
import { readClaim } from "./claim-view.ts";
import type { MemberContext } from "./context.ts";
import { failWith, goOn, type Outcome, refuseWith } from "./outcome.ts";

/** Decides how large the volume is to be and applies the claim. */
export async function claimStep(context: MemberContext): Promise<Outcome> {
  const { member, node, around, facts, status } = context;
  if (facts.claims === false) return goOn;
  const { size } = node.spec.storage;
  const place = keyOf(volumeClaim(member, size).metadata);
  const view = volumeView(context, around.find("claim", place)?.object);
  const plan = planVolume(view, around.clock.now());
  facts.volume = plan.verdict;
  const draft = volumeClaim(member, plan.bytes === view.sizeBytes ? size : formatBytes(plan.bytes));
  try {
    const written = await around.applier.apply(draft, around.find("claim", place));
    if (written) around.log.info({ node: node.meta.name, kind: draft.kind, object: place }, "applied");
  } catch (error) {
    if (isKubeError(error, "invalid")) return refuseWith("ObjectRefused", error.message);
    if (isKubeError(error, "conflict") || isKubeError(error, "forbidden"))
      return failWith("ObjectRefused", error.message);
    throw error;
  }
  if (plan.grows) grew(context, plan);
  else context.status = { ...status, disk: diskStatus(view, status.disk) };
  return goOn;
}

/** That it grew is noted when it is asked for: a crash in between loses but the time of it. */
function grew(context: MemberContext, { bytes }: VolumePlan): void {
  const { member, node, around, status } = context;
  const size = formatBytes(bytes);
  around.events.tell(node, "VolumeGrown", `the volume of ${member.name} grows to ${size}`);
  const disk = { usedBytes: undefined, capacityBytes: undefined, ...status.disk };
  const grown = { requestedBytes: bytes, grownAt: instant(around.clock.now()) };
  context.status = { ...status, disk: { ...disk, ...grown } };
}

function volumeView(context: MemberContext, claim: unknown): VolumeView {
  const { node, key, around, status } = context;
  const observation = around.observed(key);
  const told = observation?.ok === true ? observation.disk : undefined;
  const { grownAt, requestedBytes } = status.disk ?? {};
  return {
    sizeBytes: parseBytes(node.spec.storage.size) ?? 0,
    autoGrow: autoGrowOf(node),
    claim: claim === undefined ? undefined : readClaim(claim),
    grownBytes: requestedBytes,
    grownAt: grownAt === undefined ? undefined : Date.parse(grownAt),
    disk: told && { usedBytes: told.sizeBytes - told.freeBytes, capacityBytes: told.sizeBytes },
  };
}

function autoGrowOf({ spec }: NodeResource): AutoGrow | undefined {
  const { autoGrow } = spec.storage;
  if (autoGrow === undefined) return undefined;
  const { atPercent, step, limit } = autoGrow;
  return { atPercent, stepBytes: parseBytes(step) ?? 0, limitBytes: parseBytes(limit) ?? 0 };
}

function diskStatus({ disk, claim }: VolumeView, before: MemberStatus["disk"]): MemberStatus["disk"] {
  const capacity = disk?.capacityBytes ?? (claim?.capacityBytes || undefined);
  return {
    usedBytes: disk?.usedBytes ?? before?.usedBytes,
    capacityBytes: capacity ?? before?.capacityBytes,
    requestedBytes: before?.requestedBytes,
    grownAt: before?.grownAt,
  };
}
