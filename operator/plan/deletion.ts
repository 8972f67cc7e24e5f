/** Deletion of a Node: the conditions that it waits for, and the timeout. Pure. */

/** Observed state of a Node that is being deleted. */
export interface DeletionView {
  /** End of the wait, milliseconds of the clock that `now` is read from. */
  readonly until: number;
  /** True for a deletion with `--cascade=orphan`, which keeps dependents. */
  readonly orphans: boolean;
  /** Members with pods. */
  readonly pods: readonly string[];
  /** Members of other Nodes that respond and still have it as a peer. */
  readonly keepers: readonly string[];
}

/** Decision about the deletion. */
export interface DeletionPlan {
  /** True when the finalizer may be removed. */
  readonly isOver: boolean;
  /** The unmet conditions as text; undefined when there are none. */
  readonly left: string | undefined;
}

/** Maximum number of names in a message. */
const MAX_NAMED = 5;

/** Decides whether the finalizer may be removed. */
export function planDeletion({ until, orphans, pods, keepers }: DeletionView, now: number): DeletionPlan {
  if (orphans) return { isOver: true, left: undefined };
  const parts = [
    ...(pods.length === 0 ? [] : [`pods that have not terminated: ${formatNames(pods)}`]),
    ...(keepers.length === 0 ? [] : [`nodes that still have it as a peer: ${formatNames(keepers)}`]),
  ];
  const left = parts.length === 0 ? undefined : parts.join("; ");
  return { isOver: left === undefined || now >= until, left };
}

function formatNames(names: readonly string[]): string {
  const more = names.length - MAX_NAMED;
  return names.slice(0, MAX_NAMED).join(", ") + (more > 0 ? ` and ${more} others` : "");
}
