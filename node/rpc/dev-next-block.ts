/**
 * The next block of a development chain: base fee, random value, limit of gas and chain id, as Anvil and Hardhat Network
 * name them. What the rules of the chain fix is refused with the reason.
 */
import { MAX_UINT64 } from "../bytes/integer.ts";
import type { Chain } from "../chain/chain.ts";
import type { HeaderOverrides, NextHeader } from "../chain/next-header.ts";
import { hash } from "../jsonrpc/codecs/hex.ts";
import { boolean, nothing, plain, text } from "../jsonrpc/codecs/plain.ts";
import { failure, invalidParams, type RpcError } from "../jsonrpc/errors.ts";
import { type Method, method } from "../jsonrpc/method.ts";
import type { DevNodeDeps } from "./dev-node.ts";
import type { DevStateDeps } from "./dev-state.ts";
import { wholeAmount, wholeNumber } from "./whole-number.ts";

/** Parts of a development chain that these methods read and change. */
export interface DevNextBlockDeps
  extends Pick<DevStateDeps, "amend">,
    Pick<DevNodeDeps, "fork" | "openOrigin"> {
  readonly chain: Pick<Chain, "config" | "head" | "block" | "genesisHash" | "rules">;
  readonly nextHeader: NextHeader;
  /** Returns the time at which the newest block became it, in milliseconds of the machine's own clock. */
  readonly headMs: () => number;
}

/** The methods of the next block and of a fork's endpoint. */
export function devNextBlockMethods(deps: DevNextBlockDeps): Method[] {
  return [...headerMethods(deps), gasLimitMethod(deps), ...fixedMethods(deps), originMethod(deps)];
}

function headerMethods({ chain, nextHeader, amend }: DevNextBlockDeps): Method[] {
  /** The empty edit marks the chain, and the pool reads the base fee again. */
  const set = async (overrides: HeaderOverrides): Promise<void> => {
    const before = nextHeader.at(nextNumber(chain));
    nextHeader.set(nextNumber(chain), overrides);
    try {
      await amend(() => undefined);
    } catch (error) {
      nextHeader.set(nextNumber(chain), before);
      throw error;
    }
  };
  const setBaseFee = async (baseFee: bigint, name: string): Promise<void> => {
    if (!chain.rules(nextNumber(chain)).baseFee)
      throw failure(`${name} is disabled because EIP-1559 is not active`);
    await set({ baseFee });
  };
  return [
    method({
      name: "dev_setNextBlockBaseFeePerGas",
      aliases: ["anvil_setNextBlockBaseFeePerGas"],
      summary:
        "Sets the base fee of the next block, in peb; later blocks go on from there within their bounds.",
      params: { baseFee: wholeAmount },
      result: nothing,
      handle: async ({ baseFee }) => {
        await setBaseFee(baseFee, "anvil_setNextBlockBaseFeePerGas");
        return undefined;
      },
    }),
    method({
      name: "hardhat_setNextBlockBaseFeePerGas",
      summary: "Sets the base fee as `dev_setNextBlockBaseFeePerGas` does. Returns true.",
      params: { baseFee: wholeAmount },
      result: boolean,
      handle: async ({ baseFee }) => {
        await setBaseFee(baseFee, "hardhat_setNextBlockBaseFeePerGas");
        return true;
      },
    }),
    method({
      name: "dev_setPrevRandao",
      aliases: ["hardhat_setPrevRandao", "anvil_setNextBlockPrevRandao"],
      summary: "Sets the random value of the next block, which its header holds as `mixHash`.",
      params: { value: hash },
      result: boolean,
      handle: async ({ value }) => {
        if (chain.rules(nextNumber(chain)).randao)
          throw failure("the random values of this chain are signatures of its validators");
        await set({ mixHash: value });
        return true;
      },
    }),
  ];
}

function nextNumber({ head }: Pick<Chain, "head">): number {
  return head().header.number + 1;
}

function gasLimitMethod({ chain, nextHeader }: DevNextBlockDeps): Method {
  return method({
    name: "evm_setBlockGasLimit",
    aliases: ["anvil_setBlockGasLimit", "dev_setBlockGasLimit"],
    summary:
      "Sets the limit of gas of later blocks and of a transaction in them. Blocks of Kaia have none: contracts read 0 as ever.",
    params: { gasLimit: wholeAmount },
    result: boolean,
    handle: ({ gasLimit }) => {
      if (gasLimit === 0n) throw invalidParams("Block gas limit must be greater than 0");
      if (gasLimit > MAX_UINT64) throw invalidParams("a limit of gas has 64 bits at most");
      nextHeader.setGasLimit(nextNumber(chain), gasLimit);
      return true;
    },
  });
}

/** Methods whose values are fixed: they take the value that is in force and refuse every other one. */
function fixedMethods({ chain, headMs }: DevNextBlockDeps): Method[] {
  const minGasPriceMethod = (
    name: string,
    aliases: readonly string[],
    refusal: (why: string) => RpcError,
  ): Method =>
    method({
      name,
      aliases,
      summary: "Refuses a minimum gas price, as the tools do where blocks have a base fee.",
      params: { price: wholeAmount },
      result: boolean,
      handle: () => {
        if (chain.rules(nextNumber(chain)).baseFee) throw refusal("is not supported when EIP-1559 is active");
        throw failure("the gas price of this chain is a parameter of its governance");
      },
    });
  return [
    method({
      name: "dev_setChainId",
      aliases: ["anvil_setChainId"],
      summary: "Refuses every id but the chain's own, which block 0 fixes.",
      params: { chainId: wholeNumber },
      result: nothing,
      handle: ({ chainId }) => {
        const own = chain.config.chainId;
        if (BigInt(chainId) !== own)
          throw failure(`block 0 fixes the chain id ${own}: start the chain with --chain-id ${chainId}`);
        return undefined;
      },
    }),
    minGasPriceMethod("dev_setMinGasPrice", ["anvil_setMinGasPrice"], (why) =>
      invalidParams(`anvil_setMinGasPrice ${why}`),
    ),
    minGasPriceMethod("hardhat_setMinGasPrice", [], (why) => failure(`hardhat_setMinGasPrice ${why}`)),
    method({
      name: "dev_getGenesisTime",
      aliases: ["anvil_getGenesisTime"],
      summary: "Returns the time of block 0, in seconds since the epoch.",
      params: {},
      result: plain<number>("number", { type: "integer" }),
      handle: () => chain.block(0)?.header.time ?? 0,
    }),
    method({
      name: "dev_getLastBlockWallTime",
      aliases: ["anvil_getLastBlockWallTime"],
      summary:
        "Returns the time at which the newest block was made, in milliseconds of the machine's clock, whatever its header says.",
      params: {},
      result: plain<number>("number", { type: "integer" }),
      handle: headMs,
    }),
  ];
}

function originMethod({ fork, openOrigin }: DevNextBlockDeps): Method {
  return method({
    name: "dev_setRpcUrl",
    aliases: ["anvil_setRpcUrl"],
    summary: "Fetches the state of a fork from another endpoint of the same chain from now on.",
    params: { url: text },
    result: nothing,
    handle: async ({ url }) => {
      const current = fork.origin?.point;
      if (current === undefined) throw failure("this chain is no fork");
      const next = await openOrigin({ url, number: current.number });
      if (next.point.hash !== current.hash)
        throw failure(`block ${current.number} at this endpoint is not the block of the fork`);
      fork.moveTo(next);
      return undefined;
    },
  });
}
