/** A council of the core nodes among some members. */
import type { Council } from "../../operator/plan/council.ts";
import { isSteady, type MemberView } from "../../operator/plan/group.ts";

/** All core nodes are its validators. */
export function councilOfCores(members: readonly MemberView[]): Council {
  return members
    .filter(({ type }) => type === "core")
    .map((member) => ({
      address: member.address,
      member: member.key,
      isMissing: !isSteady(member, members),
      isWanted: !member.suspended,
    }));
}
