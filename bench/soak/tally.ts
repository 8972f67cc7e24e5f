/** Results of the clients: calls by kind of work, and faults. */

/** The node was not there, or was ended meanwhile: nothing to learn from that. */
export class Down extends Error {}

/** Counts of one kind of work. */
export interface WorkCount {
  done: number;
  /** Refused, to be tried again. */
  refused: number;
}

/** See the file's header. */
export class Tally {
  readonly works = new Map<string, WorkCount>();
  /** By text, how often. */
  readonly refusals = new Map<string, number>();
  readonly failures = new Map<string, number>();

  done(work: string): void {
    this.#of(work).done++;
  }

  refuse(work: string, message: string): void {
    this.#of(work).refused++;
    countText(this.refusals, `${work}: ${message}`);
  }

  fail(work: string, message: string): void {
    countText(this.failures, `${work}: ${message}`);
  }

  #of(work: string): WorkCount {
    const count = this.works.get(work) ?? { done: 0, refused: 0 };
    this.works.set(work, count);
    return count;
  }
}

function countText(counts: Map<string, number>, text: string): void {
  counts.set(text, (counts.get(text) ?? 0) + 1);
}
