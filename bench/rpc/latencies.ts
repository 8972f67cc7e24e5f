/** Times of many answers in little memory: one count for each step of 2 percent, from a microsecond to a minute. */
const STEP = Math.log(1.02);
const STEPS = Math.ceil(Math.log(60_000_000) / STEP) + 1;

/** See the file's header. */
export class Latencies {
  readonly #counts = new Uint32Array(STEPS);
  #total = 0;

  add(ms: number): void {
    const step = Math.max(0, Math.min(STEPS - 1, Math.round(Math.log(ms * 1000) / STEP)));
    this.#counts[step] = (this.#counts[step] ?? 0) + 1;
    this.#total++;
  }

  get total(): number {
    return this.#total;
  }

  /** Milliseconds that `share` of the answers did not pass, within 1 percent; `NaN` without answers. */
  quantile(share: number): number {
    let left = this.#total * share;
    for (let step = 0; step < STEPS; step++) {
      left -= this.#counts[step] ?? 0;
      if (left <= 0 && this.#total > 0) return Math.exp(step * STEP) / 1000;
    }
    return Number.NaN;
  }
}
