/** Decoder of the parameter of `eth_simulateV1`: blocks with their calls, and what differs in them from the chain. */
import { CodecError, type Decoded, type Decoder, object } from "../../jsonrpc/codec.ts";
import { address, hash, quantity, quantity64 } from "../../jsonrpc/codecs/hex.ts";
import { boolean } from "../../jsonrpc/codecs/plain.ts";
import { arraySchema } from "../../jsonrpc/schemas.ts";
import { stateOverrides } from "./state-overrides.ts";
import { ethArgs } from "./transaction-args.ts";

const blockOverrides = object("block overrides", "override.BlockOverrides", {
  number: quantity,
  time: quantity64,
  gasLimit: quantity64,
  feeRecipient: address,
  prevRandao: hash,
  baseFeePerGas: quantity,
  blobBaseFee: quantity,
});

const calls: Decoder<readonly Decoded<{ each: typeof ethArgs }>["each"][]> = {
  label: "calls",
  schema: arraySchema(ethArgs.schema),
  decode(json) {
    if (!Array.isArray(json)) throw new CodecError("want a list of calls");
    return json.map((call) => ethArgs.decode(call));
  },
};

/** State overrides without moved contracts: precompiled contracts keep their addresses. */
const overrides: typeof stateOverrides = {
  ...stateOverrides,
  decode(json) {
    for (const each of Object.values(Object(json) as object))
      if (typeof each === "object" && each !== null && "movePrecompileToAddress" in each)
        throw new CodecError("movePrecompileToAddress is not supported");
    return stateOverrides.decode(json);
  },
};

const simulatedBlock = object("block", "simBlock", { blockOverrides, stateOverrides: overrides, calls });

const blockStateCalls: Decoder<readonly Decoded<{ each: typeof simulatedBlock }>["each"][]> = {
  label: "blocks",
  schema: arraySchema(simulatedBlock.schema),
  decode(json) {
    if (!Array.isArray(json)) throw new CodecError("want a list of blocks");
    return json.map((block) => simulatedBlock.decode(block));
  },
};

/** Decoder of the parameter. */
export const simulationArgs = object("simulation", "simOpts", {
  blockStateCalls,
  traceTransfers: boolean,
  validation: boolean,
  returnFullTransactions: boolean,
});

/** A decoded simulation, all members optional. */
export type SimulationArgs = Partial<Decoded<{ each: typeof simulationArgs }>["each"]>;
/** One of its blocks. */
export type BlockArgs = NonNullable<SimulationArgs["blockStateCalls"]>[number];
