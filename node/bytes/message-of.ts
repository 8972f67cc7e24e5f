/** Returns the message of an error. System errors need not be instances of this realm's `Error`. */
export function messageOf(thrown: unknown): string {
  return String((thrown as { message?: unknown } | undefined | null)?.message ?? thrown);
}
