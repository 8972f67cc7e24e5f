/** Whose an object is. */

/** True when the object with this `uid` is one of its owners. */
export function isOwned(object: unknown, uid: string): boolean {
  const { metadata } = object as { metadata?: { ownerReferences?: unknown } };
  const owners = Array.isArray(metadata?.ownerReferences) ? (metadata.ownerReferences as unknown[]) : [];
  return owners.some((owner) => (owner as { uid?: unknown } | null)?.uid === uid);
}
