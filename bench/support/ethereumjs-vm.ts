/** @ethereumjs/vm on transfers of money and of tokens: one transaction after the other, in memory. */
import { Common, Hardfork, Mainnet } from "@ethereumjs/common";
import { createLegacyTx, createLegacyTxFromRLP } from "@ethereumjs/tx";
import { Account, createAddressFromPrivateKey, createAddressFromString } from "@ethereumjs/util";
import { createVM, runTx, type VM } from "@ethereumjs/vm";
import { toHex } from "../../node/bytes/hex.ts";
import { TOKEN_ADDRESS, TOKEN_CODE, tokenSlot, tokenTransfer } from "../../test/support/token.ts";
import { senderKey } from "../../test/support/transfer-chain.ts";

const SENDERS = 100;
const EACH = 20;
const PRICE = 1_000_000_000n;

/** Transactions a second of both kinds, signatures recovered on the way as a block's would be. */
export async function measureVm(): Promise<{ transfersPerSecond: number; tokensPerSecond: number }> {
  const vm = await createVM({ common: new Common({ chain: Mainnet, hardfork: Hardfork.Shanghai }) });
  await fund(vm);
  const transfersPerSecond = await rate(vm, 0n, (to) => ({ to, data: new Uint8Array(0), value: 1n }));
  const tokensPerSecond = await rate(vm, BigInt(EACH), (to) => ({
    to: createAddressFromString(toHex(TOKEN_ADDRESS)),
    data: tokenTransfer(to.bytes, 1),
    value: 0n,
  }));
  return { transfersPerSecond, tokensPerSecond };
}

type To = ReturnType<typeof createAddressFromPrivateKey>;

async function fund({ stateManager }: VM): Promise<void> {
  const token = createAddressFromString(toHex(TOKEN_ADDRESS));
  await stateManager.putAccount(token, new Account());
  await stateManager.putCode(token, TOKEN_CODE);
  for (let i = 0; i < SENDERS; i++) {
    const address = createAddressFromPrivateKey(senderKey(i));
    await stateManager.putAccount(address, new Account(0n, 10n ** 24n));
    await stateManager.putStorage(token, tokenSlot(address.bytes), Uint8Array.of(1, 0, 0));
  }
}

async function rate(
  vm: VM,
  firstNonce: bigint,
  what: (to: To) => { to: To; data: Uint8Array; value: bigint },
): Promise<number> {
  const { common } = vm;
  const raws = Array.from({ length: SENDERS * EACH }, (_, i) => {
    const to = createAddressFromPrivateKey(senderKey((i * 7) % SENDERS));
    const nonce = firstNonce + BigInt(Math.floor(i / SENDERS));
    const content = { ...what(to), nonce, gasPrice: PRICE, gasLimit: 100_000n };
    return createLegacyTx(content, { common })
      .sign(senderKey(i % SENDERS))
      .serialize();
  });
  const started = performance.now();
  for (const raw of raws) {
    const tx = createLegacyTxFromRLP(raw, { common });
    await runTx(vm, { tx, skipHardForkValidation: true, skipBlockGasLimitValidation: true });
  }
  return Math.round((raws.length / (performance.now() - started)) * 1000);
}
