/** Transactions that the node signs with an unlocked account, and what gas they take. */

import type { Accounts } from "../../accounts/accounts.ts";
import { toHex } from "../../bytes/hex.ts";
import type { Chain } from "../../chain/chain.ts";
import type { Transaction, TransactionDraft } from "../../model/transaction.ts";
import type { TxPool } from "../../txpool/pool.ts";
import { optional } from "../codec.ts";
import { type BlockReference, blockReference } from "../codecs/block-number.ts";
import { address, listOf, quantity } from "../codecs/hex.ts";
import { type CallArgs, callArgs, ethArgs, sendArgs, transactionHash } from "../codecs/transaction-args.ts";
import { failure } from "../errors.ts";
import { type Method, method } from "../method.ts";
import type { RpcProfile } from "../profiles.ts";
import { stateOf } from "../views/lookup.ts";
import { chainDraft } from "./chain-draft.ts";
import { checkPayerRequest, checkSendable } from "./sending-checks.ts";
import { payerOf, signDraft, signPayer } from "./signing.ts";
import { checkPrices, ethDraft, requiredGas } from "./transaction-draft.ts";

/** What these methods use. */
export interface ChainSendingParts {
  readonly chain: Chain;
  readonly pool: Pick<TxPool, "add" | "nonce">;
  readonly accounts: Pick<Accounts, "list" | "signAs">;
  readonly profile: RpcProfile;
}

const NO_ADDRESS = new Uint8Array(20);
const LEAST_GAS = 21_000n;
/** Addresses up to this one are precompiled contracts. */
const LAST_PRECOMPILED = 0x3ffn;

/** `chain_` and `eth_` methods that sign, and those that say what a transaction takes. */
export function chainSendingMethods(parts: ChainSendingParts): Method[] {
  return [accountsMethod(parts), ...sendMethods(parts), ...estimateMethods(parts)];
}

function accountsMethod({ accounts }: ChainSendingParts): Method {
  return method({
    name: "chain_accounts",
    aliases: ["eth_accounts"],
    summary: "The addresses whose keys this node keeps.",
    params: {},
    result: listOf(address, "[]common.Address"),
    handle: () => accounts.list(),
  });
}

function sendMethods({ chain, pool, accounts }: ChainSendingParts): Method[] {
  /** In one turn of the event loop, so that two calls never get one nonce. */
  const submit = (tx: Transaction) => {
    pool.add(tx, "local");
    return tx.hash;
  };
  const send = (draft: TransactionDraft, from: Uint8Array = NO_ADDRESS) =>
    submit(signDraft(draft, chain.config.chainId, ({ role, digest }) => accounts.signAs(from, role, digest)));
  return [
    method({
      name: "chain_sendTransaction",
      privilege: "keys",
      summary: "Fills in, signs with an unlocked account and submits a transaction; its hash.",
      params: { transaction: sendArgs },
      result: transactionHash,
      handle: ({ transaction }) => {
        checkSendable(transaction);
        return send(chainDraft({ chain, pool }, transaction), transaction.from);
      },
    }),
    method({
      name: "chain_sendTransactionAsFeePayer",
      privilege: "keys",
      summary: "Signs as the fee payer, with an unlocked account, what the sender has signed; submits it.",
      params: { transaction: sendArgs },
      result: transactionHash,
      handle: ({ transaction }) => {
        checkPayerRequest(transaction);
        const { signatures = [] } = transaction;
        const draft = chainDraft({ chain, pool }, transaction);
        const payer = payerOf(draft);
        return submit(
          signPayer({ draft, chainId: chain.config.chainId, signatures }, ({ role, digest }) =>
            accounts.signAs(payer, role, digest),
          ),
        );
      },
    }),
    method({
      name: "eth_sendTransaction",
      privilege: "keys",
      summary: "The same for Ethereum's transaction object.",
      params: { transaction: ethArgs },
      result: transactionHash,
      handle: ({ transaction }) => send(ethDraft({ chain, pool }, transaction), transaction.from),
    }),
  ];
}

function estimateMethods({ chain, profile }: ChainSendingParts): Method[] {
  const latest: BlockReference = { number: "latest" };
  const estimate = (call: CallArgs, block: BlockReference) =>
    estimateGas(chain, call, block, profile.shownGasLimit);
  return [
    method({
      name: "chain_estimateGas",
      summary: "The gas that a transfer takes. Contracts are refused: this release does not run them.",
      params: { call: callArgs, block: optional(blockReference, latest) },
      result: quantity,
      handle: ({ call, block }) => estimate(call, block ?? latest),
    }),
    method({
      name: "eth_estimateGas",
      summary: "The same for Ethereum's transaction object.",
      params: { call: ethArgs, block: optional(blockReference, latest) },
      result: quantity,
      handle: ({ call, block }) => estimate(call, block ?? latest),
    }),
  ];
}

function estimateGas(chain: Chain, call: CallArgs, block: BlockReference, limit: bigint): bigint {
  checkPrices(call);
  const state = stateOf(chain, block);
  if (call.to === undefined) throw failure("contract creation is not supported by this release");
  if (state.code(call.to).length > 0 || BigInt(toHex(call.to)) <= LAST_PRECOMPILED) {
    throw failure("contract calls are not supported by this release");
  }
  const balance = state.account(call.from ?? NO_ADDRESS)?.balance ?? 0n;
  const most = allowance(call, balance, limit);
  const needed = requiredGas(chain, call);
  if (needed > most) throw failure(`gas required exceeds allowance (${most})`);
  return needed;
}

/** How much gas the caller lets it be, or can pay at the price it offers. */
function allowance(call: CallArgs, balance: bigint, limit: bigint): bigint {
  const asked = call.gas === undefined || call.gas < LEAST_GAS ? limit : call.gas;
  const price = call.gasPrice ?? call.maxFeePerGas ?? 0n;
  const value = call.value ?? 0n;
  if (value > balance && (value > 0n || price > 0n)) throw failure("insufficient funds for transfer");
  const payable = price === 0n ? asked : (balance - value) / price;
  return payable < asked ? payable : asked;
}
