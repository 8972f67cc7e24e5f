/** Attribution of a failed block import: to the peer, to its clock, or to this node. */
import { BytesError } from "../bytes/error.ts";
import { ChainError } from "../chain/error.ts";
import { ConsensusError } from "../consensus/error.ts";
import { ExecutionError } from "../execution/error.ts";
import { ModelError, TransactionError } from "../model/error.ts";
import { ProtocolError } from "./error.ts";

/**
 * `peer`: no honest node sends such a block. `early`: its time lies in the near future. `unsupported`: this
 * release cannot verify it. `ours`: disk, state or a defect of this program.
 */
export type Fault = "peer" | "early" | "unsupported" | "ours";

/** Attributes an error of decoding, verifying, executing or requesting a block. */
export function faultOf(error: unknown): Fault {
  if (error instanceof ProtocolError) return "peer";
  if (error instanceof ChainError) return chainFault(error);
  if (error instanceof ConsensusError) {
    if (error.code === "future-block") return "early";
    return error.code === "unsupported" ? "unsupported" : "peer";
  }
  if (error instanceof ExecutionError) return "peer";
  if (error instanceof TransactionError) return error.code === "unsupported-type" ? "unsupported" : "peer";
  return error instanceof ModelError || error instanceof BytesError ? "peer" : "ours";
}

function chainFault({ code, cause }: ChainError): Fault {
  if (code === "unsupported") return "unsupported";
  if (code !== "bad-block") return "ours";
  return cause === undefined ? "peer" : faultOf(cause);
}
