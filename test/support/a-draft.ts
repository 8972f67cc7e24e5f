/** Drafts whose fields no type of the client checks. */
import type { Draft } from "../../operator/api/resource.ts";

/** A draft with any fields. */
export interface AnyDraft extends Draft {
  readonly [field: string]: unknown;
}
