/** The orderly end of a Node: what is still waited for before it may go, and until when. Pure. */

/** A Node that is being deleted. */
export interface DeletionView {
  /** When it goes whatever is left, milliseconds since the epoch. */
  readonly until: number;
  /** Whoever deletes it asked to leave alone what belongs to it (`--cascade=orphan`). */
  readonly orphans: boolean;
  /** Its members whose pods are there. */
  readonly pods: readonly string[];
  /** Members of other Nodes that answer and still keep it as a peer. */
  readonly keepers: readonly string[];
}

/** What is decided. */
export interface DeletionPlan {
  /** True when it may go. */
  readonly isOver: boolean;
  /** What was waited for and has not come; undefined when nothing is. */
  readonly left: string | undefined;
}

/** As many names as a sentence holds. */
const MAX_NAMED = 5;

/** Decides whether the Node may go. A time that cannot be read is over. */
export function planDeletion({ until, orphans, pods, keepers }: DeletionView, now: number): DeletionPlan {
  if (orphans) return { isOver: true, left: undefined };
  const parts = [
    ...(pods.length === 0 ? [] : [`pods that have not ended: ${formatNames(pods)}`]),
    ...(keepers.length === 0 ? [] : [`nodes that keep it as a peer: ${formatNames(keepers)}`]),
  ];
  const left = parts.length === 0 ? undefined : parts.join("; ");
  return { isOver: left === undefined || !(now < until), left };
}

function formatNames(names: readonly string[]): string {
  const more = names.length - MAX_NAMED;
  return names.slice(0, MAX_NAMED).join(", ") + (more > 0 ? ` and ${more} others` : "");
}
