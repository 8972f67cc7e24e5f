/** Whose fault it is that a block from a peer was not taken. */
import { BytesError } from "../bytes/error.ts";
import { ChainError } from "../chain/error.ts";
import { ConsensusError } from "../consensus/error.ts";
import { ExecutionError } from "../execution/error.ts";
import { ModelError, TransactionError } from "../model/error.ts";
import { ProtocolError } from "./error.ts";

/**
 * `peer`: it sent what no honest node sends. `early`: the block is of the near future. `unsupported`: this
 * release cannot judge it. `ours`: disk, state or a defect of this program.
 */
export type Fault = "peer" | "early" | "unsupported" | "ours";

/** Judges an error of decoding, verifying, executing or asking for a block. */
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
