/** A member's volume: claimed, and grown, before anything else and whatever state its pod is in. */
import { keyOf } from "../api/resource.ts";
import { volumeClaim } from "../build/claim.ts";
import { isKubeError } from "../kube/error.ts";
import type { MemberContext } from "./context.ts";
import { failWith, goOn, type Outcome } from "./outcome.ts";

/** Applies the claim. */
export async function claimStep({ member, node, around }: MemberContext): Promise<Outcome> {
  const draft = volumeClaim(member, node.spec.storage.size);
  const key = keyOf(draft.metadata);
  try {
    const written = await around.applier.apply(draft, around.find("claim", key));
    if (written) around.log.info({ node: node.meta.name, kind: draft.kind, object: key }, "applied");
    return goOn;
  } catch (error) {
    if (isKubeError(error, "conflict") || isKubeError(error, "invalid") || isKubeError(error, "forbidden"))
      return failWith("ObjectRefused", error.message);
    throw error;
  }
}
