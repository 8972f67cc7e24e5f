/** Whether an object has everything that a draft of it says. */

/**
 * True when every member of `wanted` is in `live`, and lists are as long. What the server or others add to objects is
 * no difference, and neither is something empty that it leaves out. A value that the server writes in another way,
 * such as 1024Mi, does not hold.
 */
export function containsDraft(live: unknown, wanted: unknown): boolean {
  if (typeof wanted !== "object" || wanted === null) return live === wanted;
  if (live === undefined) return Object.values(wanted).every((each) => each === undefined);
  if (typeof live !== "object" || live === null || Array.isArray(live) !== Array.isArray(wanted))
    return false;
  if (Array.isArray(live) && live.length !== Object.keys(wanted).length) return false;
  return Object.entries(wanted).every(
    ([name, value]) => value === undefined || containsDraft((live as Record<string, unknown>)[name], value),
  );
}
