/** What the pool and a reader thread tell each other. */

/** What a thread is told. */
export interface ReaderRequest {
  readonly id: number;
  readonly name: string;
  readonly params: string;
  /** See `CallContext`. */
  readonly refusesPrograms?: boolean | undefined;
}

/** What a thread answers: a result, or an error object, both as JSON text. */
export type ReaderAnswer =
  | { readonly id: number; readonly result: string }
  | { readonly id: number; readonly error: string };

/** What a thread says: that it has loaded its code and takes requests, then its answers. */
export type ReaderReply = "up" | ReaderAnswer;
