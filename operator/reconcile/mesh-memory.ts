/** What is remembered of a node's peers, for as long as the operator runs. */
import type { Tellings } from "../plan/mesh.ts";

/** What a node's program was told since it started. */
export interface MeshMemory {
  /** Of the pod when it was told; another one has forgotten it. */
  readonly incarnation: string;
  readonly tellings: Tellings;
}
