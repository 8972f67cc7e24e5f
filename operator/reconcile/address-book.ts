/**
 * Members by the addresses of their keys, and members that may start. Two members that are reconciled at once
 * are not both in a status yet.
 */

/** The address book. */
export class AddressBook {
  readonly #members = new Map<string, Set<string>>();
  readonly #started = new Map<string, string>();

  /** Records that a member has the address. */
  note(address: string, member: string): void {
    const members = this.#members.get(address) ?? new Set();
    this.#members.set(address, members.add(member));
  }

  /** Lists members that have or had the address. */
  membersAt(address: string): Iterable<string> {
    return this.#members.get(address) ?? [];
  }

  /** Records that a member may start with the address. */
  start(member: string, address: string): void {
    this.#started.set(member, address);
  }

  /** Records that a member may not start. */
  stop(member: string): void {
    this.#started.delete(member);
  }

  /** True for a member that may start with the address. */
  mayStart(member: string, address: string): boolean {
    return this.#started.get(member) === address;
  }

  /** Forgets deleted members. */
  forget(isGone: (member: string) => boolean): void {
    for (const member of this.#started.keys()) if (isGone(member)) this.#started.delete(member);
    for (const [address, members] of this.#members) {
      for (const member of members) if (isGone(member)) members.delete(member);
      if (members.size === 0) this.#members.delete(address);
    }
  }
}
