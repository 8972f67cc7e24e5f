/**
 * How large a member's volume is to be, and whether it is well. It only ever grows: by the spec, or by itself. What was
 * asked for in vain is taken back as far as Kubernetes allows it.
 */
import type { verdictReasons } from "../api/reasons.ts";
import { formatBytes } from "./quantity.ts";

/** Lets a volume grow by itself. */
export interface AutoGrow {
  readonly atPercent: number;
  readonly stepBytes: number;
  readonly limitBytes: number;
}

/** A claim as it was last seen. */
export interface ClaimView {
  readonly isBound: boolean;
  /** What was asked for last. */
  readonly requestedBytes: number;
  /** What there is; 0 before it is bound. */
  readonly capacityBytes: number;
  /** Why it cannot become as large as was asked for; undefined when nothing is known against it. */
  readonly trouble: string | undefined;
}

/** What a volume is judged by. */
export interface VolumeView {
  /** What the spec asks for. */
  readonly sizeBytes: number;
  readonly autoGrow: AutoGrow | undefined;
  readonly claim: ClaimView | undefined;
  /** What the operator made it grow to, and when, as the status says. */
  readonly grownBytes: number | undefined;
  readonly grownAt: number | undefined;
  /** How full its file system is; undefined while nobody has told. */
  readonly disk: DiskUse | undefined;
}

/** How full a file system is. */
export interface DiskUse {
  readonly usedBytes: number;
  readonly capacityBytes: number;
}

/** What is decided. */
export interface VolumePlan {
  /** The size to ask for. */
  readonly bytes: number;
  /** True when it grows by itself now. */
  readonly grows: boolean;
  readonly verdict: VolumeVerdict;
}

/** Whether a volume is well, and why. */
export interface VolumeVerdict {
  readonly reason: StorageReason;
  readonly message: string;
}

/** Why a volume is well or not. */
export type StorageReason = keyof (typeof verdictReasons)["StorageHealthy"];

/** The worst first. */
const WORST_FIRST: readonly StorageReason[] = [
  "GrowthFailed",
  "Full",
  "LimitReached",
  "Unbound",
  "Growing",
  "Healthy",
];

/** Between two growths of a volume: what was added must show before more is judged. */
export const GROW_MS = 10 * 60_000;

/** A volume this full is in danger, whatever it may grow to. */
const FULL_PERCENT = 95;

/** Plans for one volume. */
export function planVolume(view: VolumeView, now: number): VolumePlan {
  const { sizeBytes, claim, grownBytes = 0, autoGrow } = view;
  const before = Math.max(sizeBytes, grownBytes, claimBytes(claim));
  const wanted = isDue(view, before, now) && autoGrow ? grownSize(before, autoGrow) : before;
  return { bytes: requestOf(claim, wanted), grows: wanted > before, verdict: judge(view, wanted) };
}

/** The bytes that a volume has or is to get by its claim; those that it has once its growth is in trouble. */
export function claimBytes(claim: ClaimView | undefined): number {
  if (claim === undefined) return 0;
  const { requestedBytes, capacityBytes, trouble } = claim;
  return trouble !== undefined && capacityBytes > 0
    ? Math.min(capacityBytes, requestedBytes)
    : requestedBytes;
}

/** A request may be lowered while its growth is in trouble, but never to the size of the volume or below (KEP-1790). */
function requestOf(claim: ClaimView | undefined, wanted: number): number {
  return claim !== undefined && wanted <= claim.capacityBytes
    ? Math.max(wanted, claim.requestedBytes)
    : wanted;
}

/** What a person does about a volume that cannot grow to what is asked for. */
export function growthAdvice({ sizeBytes, claim }: Pick<VolumeView, "sizeBytes" | "claim">): string {
  const has = claimBytes(claim);
  const back = sizeBytes > has ? `, or set spec.storage.size back to ${formatBytes(has)}` : "";
  return `let its StorageClass and quota allow it${back}`;
}

/** A volume that does not have yet what was asked for is not asked for more. */
function isDue({ autoGrow, claim, disk, grownAt }: VolumeView, before: number, now: number): boolean {
  if (autoGrow === undefined || disk === undefined || claim === undefined) return false;
  if (claim.capacityBytes < before || now - (grownAt ?? 0) < GROW_MS) return false;
  return percentOf(disk) >= autoGrow.atPercent;
}

function grownSize(bytes: number, { stepBytes, limitBytes }: AutoGrow): number {
  return Math.max(bytes, Math.min(bytes + stepBytes, limitBytes));
}

/** How full it is, in percent. */
export function percentOf({ usedBytes, capacityBytes }: DiskUse): number {
  return capacityBytes > 0 ? (100 * usedBytes) / capacityBytes : 0;
}

function judge(view: VolumeView, bytes: number): VolumeVerdict {
  const { claim, disk, autoGrow } = view;
  if (claim === undefined || !claim.isBound) return verdict("Unbound", "the volume is not there yet");
  if (claim.trouble !== undefined && claim.capacityBytes < bytes)
    return verdict("GrowthFailed", `${claim.trouble}; ${growthAdvice(view)}`);
  return judgeUse(claim, { disk, autoGrow }, bytes);
}

function judgeUse(
  claim: ClaimView,
  { disk, autoGrow }: Pick<VolumeView, "disk" | "autoGrow">,
  bytes: number,
): VolumeVerdict {
  const percent = disk === undefined ? 0 : Math.floor(percentOf(disk));
  const used = `${percent} percent of ${disk?.capacityBytes} bytes are used`;
  if (percent >= FULL_PERCENT) return verdict("Full", used);
  if (claim.capacityBytes < bytes)
    return verdict("Growing", `grows from ${claim.capacityBytes} to ${bytes} bytes`);
  if (autoGrow && bytes >= autoGrow.limitBytes && percent >= autoGrow.atPercent)
    return verdict("LimitReached", `${used}, and it may not grow above ${autoGrow.limitBytes}`);
  return verdict("Healthy", disk === undefined ? "how much is used is not known" : used);
}

function verdict(reason: StorageReason, message: string): VolumeVerdict {
  return { reason, message };
}

/** The worst of the verdicts on a Node's volumes. */
export function worstVolume(
  volumes: readonly { readonly name: string; readonly verdict: VolumeVerdict }[],
): VolumeVerdict | undefined {
  const rank = ({ verdict: { reason } }: (typeof volumes)[number]): number => WORST_FIRST.indexOf(reason);
  const [worst] = [...volumes].sort((a, b) => rank(a) - rank(b));
  return worst && { ...worst.verdict, message: `${worst.name}: ${worst.verdict.message}` };
}
