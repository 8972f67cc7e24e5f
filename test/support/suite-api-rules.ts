/**
 * Rules by which answers to Ethereum's published API cases may differ in shape on this chain. A rule looks at the
 * method and at one difference of the answer.
 */
import type { DifferenceRule } from "./difference-rules.ts";

interface ApiRule extends DifferenceRule {
  /** Methods of the rule; all when absent. */
  readonly methods?: RegExp;
  /** Text of a difference that falls under the rule. */
  readonly difference: RegExp;
}

/** The rules, in the order in which a difference is put to them. */
export const API_RULES: readonly ApiRule[] = [
  {
    name: "api-method",
    reason: "the Go node has no such method",
    source: "node/cn/backend.go",
    difference: /^error -32601: /,
  },
  {
    name: "api-other-chain",
    reason: "the case needs accounts, contracts, prices, times or signatures of Ethereum's chain",
    source: "params/config.go",
    difference:
      /invalid chain id|insufficient balance|max fee per gas less than block base fee|block timestamps must be in order|no account corresponding to the given address|^no error, expected execution reverted|\.(root is missing|status is more)$/,
  },
  {
    name: "api-other-forks",
    reason: "the case asks for a block before a fork that the recorded chain begins with",
    source: "params/config.go",
    difference: /\.(baseFeePerGas|blobGasUsed|excessBlobGas) is more$/,
  },
  {
    name: "api-block-members",
    reason: "headers have no withdrawals, requests and beacon root, and have the proposer's random reveal",
    source: "api/api_kaia_blockchain.go",
    difference:
      /\.((parentBeaconBlockRoot|requestsHash|withdrawals|withdrawalsRoot) is missing|randomReveal is more)$/,
  },
  {
    name: "api-transaction-members",
    reason: "transactions and logs do not name the time of their block, and have V alone, without yParity",
    source: "api/api_kaia_blockchain.go",
    difference: /\.(blockTimestamp|yParity) is missing$/,
  },
  {
    name: "api-default-block",
    reason: "the block is a required parameter",
    source: "networks/rpc/json.go",
    difference: /^error -32602: missing value for required argument [12]$/,
  },
  {
    name: "api-absent-block",
    reason: "an absent block is an error, where Ethereum answers null",
    source: "node/cn/api_backend.go",
    difference: /^error -32000: the block does not exist /,
  },
  {
    name: "api-storage-key",
    reason: "a storage key is cut or filled up to 32 bytes, whatever its text is",
    source: "api/api_kaia_blockchain.go",
    methods: /^eth_getStorageAt$/,
    difference: /^no error, expected (storage key too long|invalid hex in storage key)/,
  },
  {
    name: "api-log-range",
    reason: "a search that ends before it begins finds nothing",
    source: "node/cn/filters/filter.go",
    methods: /^eth_getLogs$/,
    difference: /^no error, expected invalid block range params$/,
  },
  {
    name: "api-fee-history",
    reason: "blob fees of a fee history are named blobBaseFeePerGas and come without ratios",
    source: "api/api_kaia.go",
    methods: /^eth_feeHistory$/,
    difference: /\.(baseFeePerBlobGas is missing|blobGasUsedRatio is missing|blobBaseFeePerGas is more)$/,
  },
  {
    name: "api-config",
    reason: "forks of eth_config are named by blocks, and contracts are those of this chain",
    source: "api/api_eth.go",
    methods: /^eth_config$/,
    difference: /^result\.(current|next|last)\./,
  },
  {
    name: "api-trace-text",
    reason: "struct logs have computation costs, memory and storage, and bytes without 0x",
    source: "node/cn/tracers/api.go",
    methods: /^debug_trace/,
    difference:
      /returnValue: expected "0x|structLogs\[\]\.(memory|storage|computation|computationCost)(\[\]: expected "0x| is more$)/,
  },
  {
    name: "api-simulation",
    reason:
      "precompiled contracts do not move, and addresses up to 0x3ff are reserved (the Go node has no such method)",
    source: "blockchain/vm/evm.go",
    methods: /^eth_simulateV1$/,
    difference:
      /movePrecompileToAddress is not supported|calls\[\]\.(error is more|error\.data is missing)$|nonce has max value/,
  },
];

/** The rule under which a difference of a method's answer falls. */
export function apiRuleFor(method: string, difference: string): DifferenceRule | undefined {
  return API_RULES.find(
    (rule) => rule.difference.test(difference) && (rule.methods === undefined || rule.methods.test(method)),
  );
}
