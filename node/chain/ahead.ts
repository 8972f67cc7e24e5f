/** Work started ahead of its consumer, bounded in number and bytes, handed over in order. */

/** Something that is being made ready. */
export interface Ahead<T> {
  /** Bytes it holds while it waits. */
  readonly size: number;
  readonly ready: Promise<T>;
}

/** Bounds of the waiting items. */
export interface AheadLimits {
  readonly items: number;
  readonly bytes: number;
}

/**
 * The results of `source` in its order, with more of them on the way. An error of the source comes after the
 * results that stand before it; an item's own error comes at its place.
 */
export async function* inOrder<T>(source: AsyncIterable<Ahead<T>>, limits: AheadLimits): AsyncGenerator<T> {
  const waiting: Ahead<T>[] = [];
  let bytes = 0;
  for await (const next of withError(source)) {
    next.ready.catch(() => undefined); // met at its place below
    waiting.push(next);
    bytes += next.size;
    while (waiting.length > limits.items || bytes > limits.bytes) {
      const first = waiting.shift();
      if (first === undefined) break;
      bytes -= first.size;
      yield await first.ready;
    }
  }
  for (const { ready } of waiting) yield await ready;
}

/** The source with its own error as a last item that fails. */
async function* withError<T>(source: AsyncIterable<Ahead<T>>): AsyncGenerator<Ahead<T>> {
  try {
    yield* source;
  } catch (error) {
    yield { size: 0, ready: Promise.reject(error) };
  }
}
