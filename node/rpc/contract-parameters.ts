/** The parameters that a governance contract sets. A contract that a caller names runs in a reader thread. */
import type { Address } from "../bytes/brands.ts";
import { type BlockNumber, blockNumber, resolveNumber } from "../calls/arguments/block-number.ts";
import type { ChainReading, OpenReading } from "../calls/chain-reading.ts";
import { type Rules, rulesAt } from "../config/rules.ts";
import { authorOf } from "../consensus/sealers.ts";
import { contractsAt } from "../execution/contract-calls.ts";
import { valuesJson } from "../governance/governance-data.ts";
import type { ParameterValues } from "../governance/parameter-rows.ts";
import { contractParameters } from "../governance/system-contracts.ts";
import { optional } from "../jsonrpc/codec.ts";
import { address } from "../jsonrpc/codecs/hex.ts";
import { failure } from "../jsonrpc/errors.ts";
import { type Method, method } from "../jsonrpc/method.ts";
import { blockHash } from "../model/header.ts";
import { callsInReader } from "./calls.ts";
import { parametersOrNull } from "./governance.ts";

/** Dependencies of the parameters of contracts. */
export interface ContractParameterDeps {
  readonly open: OpenReading;
  /** Deadline of a call, in milliseconds. */
  readonly timeoutMs: number;
  /** Returns the values that the chain's own contract sets for a block; absent in reader threads. */
  readonly ownValues?: (number: number) => ParameterValues;
}

/** The method; the node registers it and its reader threads serve it. */
export function contractParameterMethods(deps: ContractParameterDeps): Method[] {
  return [
    method({
      name: "governance_getContractParams",
      summary: "Returns the parameters that the governance contract, or another contract, sets for a block.",
      params: { number: blockNumber, contract: optional(address) },
      result: parametersOrNull,
      ...callsInReader(deps),
      inline: ({ number, contract }) => (contract === undefined ? ownJson(deps, number) : undefined),
      handle: ({ number, contract }) =>
        contract === undefined ? ownJson(deps, number) : contractJson(deps, number, contract),
    }),
  ];
}

/** Formats the values of the chain's own contract; null without any. */
function ownJson({ open, ownValues }: ContractParameterDeps, number: BlockNumber): object | null {
  using reading = open();
  const wanted = numberOf(reading, number);
  requireContracts(rulesAt(reading.config, wanted));
  return formatValues(ownValues?.(wanted) ?? new Map());
}

/** Formats the values of a contract at the newest state before the block; null without any. */
function contractJson(
  { open }: ContractParameterDeps,
  number: BlockNumber,
  contract: Address,
): object | null {
  using reading = open();
  const { config, head } = reading;
  const wanted = numberOf(reading, number);
  requireContracts(rulesAt(config, wanted));
  const contracts = contractsAt(
    { config, worldAt: (at) => reading.worldAt(at), block: (at) => blockAt(reading, at) },
    Math.min(Math.max(0, wanted - 1), head),
  );
  return formatValues(contractParameters(contracts, contract, wanted));
}

function numberOf({ head }: ChainReading, number: BlockNumber): number {
  return number === "pending" ? head + 1 : resolveNumber(head, number);
}

/** Throws `RpcError` before the fork that reads contracts. */
function requireContracts({ governanceContract }: Rules): void {
  if (!governanceContract) throw failure("ContractEngine is not ready");
}

function blockAt(reading: ChainReading, number: number) {
  const header = reading.header(number);
  return header && { header, hash: blockHash(header), author: () => authorOf(header) };
}

function formatValues(values: ParameterValues): object | null {
  return values.size === 0 ? null : valuesJson(values);
}
