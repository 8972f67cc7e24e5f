/**
 * Permissions by annotation. A value that has taken effect, or was set when nothing needed permission, is
 * used up.
 */
import { annotations } from "../api/names.ts";
import { truncatePermission } from "../plan/stop.ts";
import type { Context } from "./context.ts";
import { goOn, type Outcome } from "./outcome.ts";

/** Records the values of permissions after all members were checked with them. */
export function permissionStep(context: Context): Outcome {
  const { node, members, status } = context;
  const followed = (which: "key" | "chain", name: string, before: string | undefined): string | undefined => {
    const value = node.meta.annotations[name];
    const isJudged = members.every(({ facts }) => facts.judged?.[which] === true);
    if (value === undefined || !isJudged) return value === undefined ? undefined : before;
    return truncatePermission(value);
  };
  const newKey = followed("key", annotations.allowNewKey, status.allowed?.newKey);
  const newChain = followed("chain", annotations.allowNewChain, status.allowed?.newChain);
  const stop = node.meta.annotations[annotations.allowChainStop];
  const chainStop = context.isStopPending ? status.allowed?.chainStop : stop && truncatePermission(stop);
  const isAny = [newKey, newChain, chainStop].some((each) => each !== undefined);
  context.status = { ...status, allowed: isAny ? { newKey, newChain, chainStop } : undefined };
  return goOn;
}
