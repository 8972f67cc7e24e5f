/** Several pieces of work at a time: over the items of a list, over all lists that share slots, behind and ahead of a reader. */

/**
 * Links or looks at files at a time, beside the blocks of a running node: one after another each waits for a turn of the
 * event loop.
 */
export const FILES_AT_ONCE = 64;

/** Runs the work for each item, `parallel` at a time; results are in order. The first failure ends it. */
export async function inParallel<T, R>(
  items: readonly T[],
  parallel: number,
  work: (item: T) => Promise<R>,
): Promise<R[]> {
  const results: R[] = [];
  let next = 0;
  let isFailed = false;
  const run = async (): Promise<void> => {
    while (next < items.length && !isFailed) {
      const at = next++;
      try {
        results[at] = await work(items[at] as T); // in range: tested by the loop
      } catch (error) {
        isFailed = true;
        throw error;
      }
    }
  };
  const ends = await Promise.allSettled(Array.from({ length: parallel }, run));
  const failed = ends.find((end) => end.status === "rejected");
  if (failed !== undefined) throw failed.reason;
  return results;
}

/** Runs work when one of its slots is free; work that waits is in order. */
export type Slots = <T>(work: () => Promise<T>) => Promise<T>;

/** Creates so many slots. */
export function createSlots(count: number): Slots {
  const waiting: (() => void)[] = [];
  let free = count;
  return async (work) => {
    if (free > 0) free--;
    else await new Promise<void>((resolve) => waiting.push(resolve));
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      if (next === undefined) free++;
      else next(); // it takes this slot
    }
  };
}

/** Asks for each item while the one before is used, so that two are in use at a time. */
export async function* readAhead<T>(items: AsyncIterable<T>): AsyncGenerator<T> {
  const source = items[Symbol.asyncIterator]();
  const ask = (): Promise<IteratorResult<T>> => {
    const asked = source.next();
    asked.catch(() => undefined); // it is thrown where it is waited for
    return asked;
  };
  let next = ask();
  try {
    for (let item = await next; item.done !== true; item = await next) {
      next = ask();
      yield item.value;
    }
  } finally {
    source.return?.().catch(() => undefined); // not waited for: the item that was asked for may never come
  }
}

/** Work that goes on behind its caller, a few pieces at a time. Disposing waits for all of it. */
export class WorkBehind implements AsyncDisposable {
  readonly #limit: number;
  readonly #running = new Set<Promise<void>>();
  #failure: { readonly error: unknown } | undefined;

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Starts work as soon as there is room. Throws the failure of an earlier one. */
  async start(work: () => Promise<void>): Promise<void> {
    while (this.#running.size >= this.#limit) await Promise.race(this.#running);
    this.#check();
    const run: Promise<void> = work()
      .catch((error: unknown) => {
        this.#failure ??= { error };
      })
      .finally(() => this.#running.delete(run));
    this.#running.add(run);
  }

  /** Waits for all work. Throws the first failure. */
  async settle(): Promise<void> {
    await Promise.all(this.#running);
    this.#check();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#running);
  }

  #check(): void {
    if (this.#failure !== undefined) throw this.#failure.error;
  }
}
