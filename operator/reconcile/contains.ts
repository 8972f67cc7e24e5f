/** Comparison of a live object with a draft. */

/**
 * True when `live` has every member of `wanted`, and lists of the same length. Additional members of `live`,
 * and omitted empty ones, are ignored. A value that the server formats differently, such as 1024Mi, counts as
 * a difference.
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
