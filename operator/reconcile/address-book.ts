/**
 * Members by the addresses of their keys, and those that this operator let start: two that come at one moment are not
 * both in a status yet.
 */

/** The book. */
export class AddressBook {
  readonly #members = new Map<string, Set<string>>();
  readonly #started = new Map<string, string>();

  /** Notes that the member has named the address. */
  note(address: string, member: string): void {
    const members = this.#members.get(address) ?? new Set();
    this.#members.set(address, members.add(member));
  }

  /** Members that ever named the address; some may be gone or have another one since. */
  membersAt(address: string): Iterable<string> {
    return this.#members.get(address) ?? [];
  }

  /** Notes that the member may start with the address. */
  start(member: string, address: string): void {
    this.#started.set(member, address);
  }

  /** Notes that it may not, or no longer. */
  stop(member: string): void {
    this.#started.delete(member);
  }

  /** True for a member that was let start with the address. */
  mayStart(member: string, address: string): boolean {
    return this.#started.get(member) === address;
  }

  /** Forgets members that are gone. */
  forget(isGone: (member: string) => boolean): void {
    for (const member of this.#started.keys()) if (isGone(member)) this.#started.delete(member);
    for (const [address, members] of this.#members) {
      for (const member of members) if (isGone(member)) members.delete(member);
      if (members.size === 0) this.#members.delete(address);
    }
  }
}
