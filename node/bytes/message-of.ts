/** What an error says; those of the system need not be instances of this realm's `Error`. */
export function messageOf(thrown: unknown): string {
  return String((thrown as { message?: unknown } | undefined | null)?.message ?? thrown);
}
