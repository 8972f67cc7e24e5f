/** What the pool and a reader thread tell each other. */
import type { FailureReason } from "./errors.ts";

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
  | { readonly id: number; readonly error: string; readonly reason: FailureReason | undefined };

/** What a thread says: that it has loaded its code and takes requests, then its answers. */
export type ReaderReply = "up" | ReaderAnswer;
