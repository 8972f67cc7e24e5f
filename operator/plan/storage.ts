/**
 * Size and health of a member's volume. A volume only grows, by the spec or automatically. A refused
 * expansion is reverted as far as Kubernetes allows.
 */
import { MIN_VOLUME } from "../api/node-storage.ts";
import type { verdictReasons } from "../api/reasons.ts";
import { formatBytes, parseBytes } from "./quantity.ts";

/** Parameters of automatic growth. */
export interface AutoGrow {
  readonly atPercent: number;
  readonly stepBytes: number;
  readonly limitBytes: number;
}

/** Observed state of a claim. */
export interface ClaimView {
  /** Name, and PersistentVolume once it is bound. */
  readonly name?: string;
  readonly volume?: string | undefined;
  /** True when its PersistentVolume is missing. */
  readonly isLost?: boolean;
  /** True while it is being deleted. */
  readonly isTerminating?: boolean;
  /** Time since its creation while a pod needs it; undefined for a suspended Node. */
  readonly ageMs?: number | undefined;
  readonly isBound: boolean;
  /** Requested size. */
  readonly requestedBytes: number;
  /** Capacity of the volume; 0 until it is bound. */
  readonly capacityBytes: number;
  /** Error of the expansion; undefined when there is none. */
  readonly trouble: string | undefined;
}

/** Inputs of the plan. */
export interface VolumeView {
  /** Size in the spec. */
  readonly sizeBytes: number;
  readonly autoGrow: AutoGrow | undefined;
  readonly claim: ClaimView | undefined;
  /** Size and time of the last automatic growth, from the status. */
  readonly grownBytes: number | undefined;
  readonly grownAt: number | undefined;
  /** Usage of the file system; undefined until it is reported. */
  readonly disk: DiskUse | undefined;
  /** Size that a waiting migration needs. */
  readonly neededBytes?: number | undefined;
  /** True when the node reports that it writes no blocks for lack of space. */
  readonly isLow?: boolean;
}

/** Usage of a file system. */
export interface DiskUse {
  readonly usedBytes: number;
  readonly capacityBytes: number;
}

/** Decision on a volume. */
export interface VolumePlan {
  /** Size to request. */
  readonly bytes: number;
  /** True for an automatic growth now. */
  readonly grows: boolean;
  readonly verdict: VolumeVerdict;
}

/** Health of a volume with its reason. */
export interface VolumeVerdict {
  readonly reason: StorageReason;
  readonly message: string;
}

/** Reason of a verdict. */
export type StorageReason = keyof (typeof verdictReasons)["StorageHealthy"];

/** Reasons, worst first. */
const WORST_FIRST: readonly StorageReason[] = [
  "Lost",
  "Terminating",
  "Unbindable",
  "TooSmall",
  "GrowthFailed",
  "Full",
  "LimitReached",
  "Unbound",
  "Growing",
  "Replacing",
  "Healthy",
];

/** Minimum interval of growths, until an expansion has taken effect. */
export const GROW_MS = 10 * 60_000;

/** Age at which an unbound claim is reported. */
export const UNBINDABLE_MS = 5 * 60_000;
/** Smallest useful volume in bytes. */
const MIN_BYTES = parseBytes(MIN_VOLUME) ?? 0;

/** Usage at which a volume is reported as full. */
const FULL_PERCENT = 95;

/** Decides on one volume. */
export function planVolume(view: VolumeView, now: number): VolumePlan {
  const { sizeBytes, claim, grownBytes = 0, autoGrow } = view;
  const before = Math.max(sizeBytes, grownBytes, claimBytes(claim));
  const wanted = autoGrow === undefined ? before : grownSize(view, { before, now, autoGrow });
  return { bytes: requestOf(claim, wanted), grows: wanted > before, verdict: judge(view, wanted) };
}

/** Returns the size of a claim including an accepted expansion, or its capacity after a failed one. */
export function claimBytes(claim: ClaimView | undefined): number {
  if (claim === undefined) return 0;
  const { requestedBytes, capacityBytes, trouble } = claim;
  return trouble !== undefined && capacityBytes > 0
    ? Math.min(capacityBytes, requestedBytes)
    : requestedBytes;
}

/**
 * Returns the size to request. A failed expansion may be lowered, but not to the capacity or below
 * (KEP-1790).
 */
function requestOf(claim: ClaimView | undefined, wanted: number): number {
  return claim !== undefined && wanted <= claim.capacityBytes
    ? Math.max(wanted, claim.requestedBytes)
    : wanted;
}

/** Describes the remedy for a volume that cannot be expanded. */
export function growthAdvice({ sizeBytes, claim }: Pick<VolumeView, "sizeBytes" | "claim">): string {
  const has = claimBytes(claim);
  const back = sizeBytes > has ? `, or set spec.storage.size back to ${formatBytes(has)}` : "";
  return `allow the expansion in the StorageClass and the quota${back}`;
}

/**
 * Returns the size after automatic growth, in whole steps: as many as a waiting migration needs, else one for a volume
 * that fills up. It stays while an expansion is pending.
 */
function grownSize(
  { claim, disk, grownAt = 0, neededBytes = 0 }: VolumeView,
  { before, now, autoGrow }: { readonly before: number; readonly now: number; readonly autoGrow: AutoGrow },
): number {
  if (claim === undefined || claim.capacityBytes < before || now - grownAt < GROW_MS) return before;
  const { stepBytes, limitBytes, atPercent } = autoGrow;
  const needed = Math.ceil((neededBytes - before) / Math.max(1, stepBytes));
  const full = disk !== undefined && percentOf(disk) >= atPercent ? 1 : 0;
  return Math.max(before, Math.min(before + Math.max(0, needed, full) * stepBytes, limitBytes));
}

/** Describes the prospect of more space on a volume, for what waits for it. */
export function growthProspect({ autoGrow, claim }: VolumeView, plan: VolumePlan): string {
  const { bytes } = plan;
  if (plan.verdict.reason === "GrowthFailed") return plan.verdict.message;
  if (claim !== undefined && claim.capacityBytes < bytes)
    return `the volume is being expanded to ${formatBytes(bytes)} first`;
  if (autoGrow === undefined) return "increase spec.storage.size, or set spec.storage.autoGrow";
  const { stepBytes, limitBytes } = autoGrow;
  if (bytes >= limitBytes)
    return `the volume has its maximum size: increase spec.storage.autoGrow.limit (${formatBytes(limitBytes)})`;
  return `the volume grows first, in steps of ${formatBytes(stepBytes)} up to ${formatBytes(limitBytes)}`;
}

/** Returns the usage in percent. */
export function percentOf({ usedBytes, capacityBytes }: DiskUse): number {
  return capacityBytes > 0 ? (100 * usedBytes) / capacityBytes : 0;
}

function judge(view: VolumeView, bytes: number): VolumeVerdict {
  const { claim } = view;
  if (claim === undefined) return verdict("Unbound", "the volume is not bound yet");
  const trouble = claimTrouble(claim);
  if (trouble !== undefined) return trouble;
  if (!claim.isBound) return verdict("Unbound", "the volume is not bound yet");
  if (claim.capacityBytes > 0 && claim.capacityBytes < MIN_BYTES)
    return verdict(
      "TooSmall",
      `${formatBytes(claim.capacityBytes)} is below ${formatBytes(MIN_BYTES)}: the node stops writing blocks with little free space (db.min-free); increase spec.storage.size`,
    );
  if (claim.trouble !== undefined && claim.capacityBytes < bytes)
    return verdict("GrowthFailed", `${claim.trouble}; ${growthAdvice(view)}`);
  return judgeUse(claim, view, bytes);
}

/** Describes a claim that is lost, being deleted or never bound. */
function claimTrouble({ name, volume, isBound, ...claim }: ClaimView): VolumeVerdict | undefined {
  if (claim.isLost)
    return verdict(
      "Lost",
      `the claim ${name} has lost its PersistentVolume ${volume}: restore that, or a copy of it`,
    );
  if (claim.isTerminating)
    return verdict(
      "Terminating",
      `the claim ${name} is being deleted and goes when its pod ends, so the pod is not recreated. To keep the chain, before the pod ends: kubectl patch pv ${volume} -p '{"spec":{"persistentVolumeReclaimPolicy":"Retain"}}'`,
    );
  if (isBound || (claim.ageMs ?? 0) < UNBINDABLE_MS) return undefined;
  return verdict(
    "Unbindable",
    `the claim ${name} is not bound after ${UNBINDABLE_MS / 60_000} minutes: kubectl describe pvc ${name} has the reason, such as a StorageClass that does not exist, a quota, or a pod that fits on no machine`,
  );
}

function judgeUse(
  claim: ClaimView,
  { disk, autoGrow, isLow }: Pick<VolumeView, "disk" | "autoGrow" | "isLow">,
  bytes: number,
): VolumeVerdict {
  const percent = disk === undefined ? 0 : Math.floor(percentOf(disk));
  const used = `${percent} percent of ${disk?.capacityBytes} bytes are used`;
  if (isLow)
    return verdict(
      "Full",
      `${used}, and the node writes no blocks before space is free (disk-low): increase spec.storage.size`,
    );
  if (percent >= FULL_PERCENT) return verdict("Full", used);
  if (claim.capacityBytes < bytes)
    return verdict("Growing", `the volume is being expanded from ${claim.capacityBytes} to ${bytes} bytes`);
  if (autoGrow && bytes >= autoGrow.limitBytes && percent >= autoGrow.atPercent)
    return verdict("LimitReached", `${used}; the maximum size is ${autoGrow.limitBytes} bytes`);
  return verdict("Healthy", disk === undefined ? "the used space is unknown" : used);
}

function verdict(reason: StorageReason, message: string): VolumeVerdict {
  return { reason, message };
}

/** Returns the worst verdict on a Node's volumes. */
export function worstVolume(
  volumes: readonly { readonly name: string; readonly verdict: VolumeVerdict }[],
): VolumeVerdict | undefined {
  const rank = ({ verdict: { reason } }: (typeof volumes)[number]): number => WORST_FIRST.indexOf(reason);
  const [worst] = [...volumes].sort((a, b) => rank(a) - rank(b));
  return worst && { ...worst.verdict, message: `${worst.name}: ${worst.verdict.message}` };
}
