/** Ownership of objects. */

/** True for an object with this owner `uid`. */
export function isOwned(object: unknown, uid: string): boolean {
  const { metadata } = object as { metadata?: { ownerReferences?: unknown } };
  const owners = Array.isArray(metadata?.ownerReferences) ? (metadata.ownerReferences as unknown[]) : [];
  return owners.some((owner) => (owner as { uid?: unknown } | null)?.uid === uid);
}
