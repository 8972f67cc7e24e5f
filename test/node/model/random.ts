/** Numbers and bytes that are the same in every run (xorshift32). */
export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = seed | 1;
  }

  /** 0 to `below` - 1. */
  number(below: number): number {
    let x = this.#state;
    x ^= x << 13;
    x ^= x >>> 17;
    x ^= x << 5;
    this.#state = x;
    return (x >>> 0) % below;
  }

  bytes(length: number): Uint8Array {
    return Uint8Array.from({ length }, () => this.number(256));
  }

  /** An integer of up to `bits` bits, small ones as likely as large ones. */
  bigint(bits: number): bigint {
    const length = this.number(bits + 1);
    let value = 0n;
    for (let i = 0; i < length; i++) value = (value << 1n) | BigInt(this.number(2));
    return value;
  }

  pick<T>(items: readonly T[]): T {
    return items[this.number(items.length)] as T;
  }
}
