/** Pods that run an old template, with the reason, for the status. */
import { annotations, RESTART } from "../api/names.ts";
import type { Outdated } from "../api/node-runs.ts";
import { templateDigest } from "../build/template.ts";
import { changedParts, partsText } from "../build/template-changes.ts";
import type { Context, MemberContext } from "./context.ts";

const MAX_CHARACTERS = 1_000;

/** Returns the outdated pods of a Node; undefined when there are none. A Node without a key yet has none. */
export function outdatedPods(context: Context): readonly Outdated[] | undefined {
  const found = context.members.flatMap((member) => {
    const { reason, message } = outdatedPod(member, context) ?? {};
    if (reason === undefined || message === undefined) return [];
    return [{ member: member.member.name, reason, message: message.slice(0, MAX_CHARACTERS) }];
  });
  return found.length === 0 ? undefined : found;
}

function outdatedPod(
  context: MemberContext,
  { rollout }: Pick<Context, "rollout">,
): Omit<Outdated, "member"> | undefined {
  const { node, facts } = context;
  const { inputs, fresh, pod, podDigest } = facts;
  if (inputs === undefined || fresh === undefined || pod === undefined) return undefined;
  const applied = templateDigest(inputs.template);
  const parts = changedParts(inputs, fresh);
  if (applied !== templateDigest(fresh.template)) {
    const why = rollout?.waits ?? "it waits for its turn";
    return { reason: "SpecChanged", message: `${partsText(parts)}; ${why}` };
  }
  if (podDigest !== applied)
    return { reason: "BeingRecreated", message: "the pod is older than the template of its StatefulSet" };
  if (parts.length === 0) return undefined;
  const command = `kubectl -n ${node.meta.namespace} annotate kn ${node.meta.name} ${annotations.run}=${RESTART}`;
  const when = "takes effect when the pod is next recreated";
  return { reason: "ReleaseChanged", message: `${partsText(parts)}; ${when}, such as by ${command}` };
}
