/** Exponentially weighted rate over a minute, as the meters of the Go node. */

/** Interval at which new amounts enter the average. */
const STEP_MS = 5_000;
/** Weight of one step: after a minute its influence has fallen to 1/e. */
const SHARE = 1 - Math.exp(-STEP_MS / 60_000);

/** An amount per second, averaged over the last minute; newer seconds weigh more. */
export class MinuteRate {
  readonly #now: () => number;
  #stepAt: number;
  #waiting = 0;
  /** Undefined before the first step. */
  #rate: number | undefined;

  /** `now` gives milliseconds that only rise. */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
    this.#stepAt = now() + STEP_MS;
  }

  add(amount: number): void {
    this.#catchUp();
    this.#waiting += amount;
  }

  get perSecond(): number {
    this.#catchUp();
    return this.#rate ?? 0;
  }

  #catchUp(): void {
    const steps = Math.floor((this.#now() - this.#stepAt) / STEP_MS) + 1;
    if (steps <= 0) return;
    this.#stepAt += steps * STEP_MS;
    const came = (this.#waiting * 1000) / STEP_MS;
    this.#waiting = 0;
    const before = this.#rate ?? came;
    this.#rate = (before + SHARE * (came - before)) * (1 - SHARE) ** (steps - 1);
  }
}
