/**
 * Balances and allowances of tokens on a development chain, as Anvil sets them: no layout is assumed. The slots that
 * `balanceOf` or `allowance` reads are tried one after the other with the wanted value and another one in a state override,
 * and the one that becomes the answer is written.
 */
import type { Address } from "../bytes/brands.ts";
import { bareHex, toHex } from "../bytes/hex.ts";
import { address } from "../jsonrpc/codecs/hex.ts";
import { nothing } from "../jsonrpc/codecs/plain.ts";
import { RpcError, rpcCode } from "../jsonrpc/errors.ts";
import { type Method, method } from "../jsonrpc/method.ts";
import type { Ask } from "./own-calls.ts";
import { wholeAmount } from "./whole-number.ts";

/** Parts of a development chain that these methods use. */
export interface DevTokenDeps {
  /** Calls the node's own methods, on a fork with what they read. */
  readonly ask: Ask;
}

/** Selectors of ERC-20. */
const BALANCE_OF = "0x70a08231";
const ALLOWANCE = "0xdd62ed3e";
/** Slots of one call that are tried: a token reads a handful. */
const MAX_SLOTS = 256;

/** The methods of tokens. */
export function devTokenMethods(deps: DevTokenDeps): Method[] {
  return [
    method({
      name: "dev_dealERC20",
      aliases: ["anvil_dealERC20", "hardhat_dealERC20", "anvil_setERC20Balance"],
      summary: "Sets the balance of an account in a token (ERC-20).",
      params: { account: address, token: address, balance: wholeAmount },
      result: nothing,
      handle: ({ account, token, balance }) =>
        setAnswer(deps, { token, data: `${BALANCE_OF}${word(account)}`, value: balance }, "balance"),
    }),
    method({
      name: "dev_setERC20Allowance",
      aliases: ["anvil_setERC20Allowance"],
      summary: "Sets the amount of a token (ERC-20) that a spender may take from its owner.",
      params: { owner: address, spender: address, token: address, amount: wholeAmount },
      result: nothing,
      handle: ({ owner, spender, token, amount }) =>
        setAnswer(
          deps,
          { token, data: `${ALLOWANCE}${word(owner)}${word(spender)}`, value: amount },
          "allowance",
        ),
    }),
  ];
}

/** A call of a token, and the word that it is to return. */
interface WantedAnswer {
  readonly token: Address;
  readonly data: string;
  readonly value: bigint;
}

async function setAnswer({ ask }: DevTokenDeps, wanted: WantedAnswer, what: string): Promise<undefined> {
  const slot = await findSlot(ask, wanted);
  if (slot === undefined) throw new RpcError(rpcCode.internal, `Unable to set ERC20 ${what}, no slot found`);
  await ask("dev_setStorageAt", toHex(wanted.token), slot, valueText(wanted.value));
}

/** Returns the slot whose value is the answer of a call; undefined for none. */
async function findSlot(ask: Ask, { token, data, value }: WantedAnswer): Promise<string | undefined> {
  const to = toHex(token);
  const call = { to, data };
  const touched = (await ask("debug_traceCall", call, "latest", PRESTATE)) as Prestate;
  const slots = Object.keys(touched[to]?.storage ?? {});
  const text = valueText(value);
  const other = valueText(value ^ 1n);
  const isAnswer = async (slot: string, wanted: string): Promise<boolean> => {
    const override = { [to]: { stateDiff: { [slot]: wanted } } };
    return (await ask("eth_call", call, "latest", override).catch(() => undefined)) === wanted;
  };
  for (const slot of slots.slice(0, MAX_SLOTS))
    if ((await isAnswer(slot, text)) && (await isAnswer(slot, other))) return slot;
  return undefined;
}

const PRESTATE = { tracer: "prestateTracer" };

/** Answer of `prestateTracer`. */
type Prestate = Readonly<Record<string, { readonly storage?: Readonly<Record<string, string>> }>>;

function word(account: Address): string {
  return bareHex(account).padStart(64, "0");
}

function valueText(value: bigint): string {
  return `0x${value.toString(16).padStart(64, "0")}`;
}
