import { expect, test } from "@jest/globals";
import { BASE_RULES } from "../../../node/config/rules.ts";
import { executeTransaction } from "../../../node/execution/transaction.ts";
import { transactionTypes } from "../../../node/model/transaction-table.ts";
import type { World } from "../../../node/state/world.ts";
import { admit } from "../../../node/txpool/admission.ts";
import { DEFAULT_POOL_OPTIONS } from "../../../node/txpool/options.ts";
import { termsAtHead } from "../../../node/txpool/terms.ts";
import { aGenesisBlock, aHeader, aValidator } from "../../support/headers.ts";
import { FakeChain } from "../../support/pool-chain.ts";
import { aTransaction, CHAIN_ID } from "../../support/pool-transactions.ts";

const all = new Set(transactionTypes.map(({ code }) => code));
const rules = { ...BASE_RULES, acceptedTypes: all };
const refused = transactionTypes.filter(({ executable }) => !executable);

test.each(refused.map(({ name, code }) => [name, code]))(
  "%s is refused by the pool and by a block, though it can be read",
  (name, code) => {
    const tx = aTransaction({ code: Number(code) });
    const message = `transaction type ${name} is not supported by this release`;
    const terms = termsAtHead(new FakeChain({ rules }), DEFAULT_POOL_OPTIONS);
    expect(() => admit(tx, terms, () => undefined)).toThrow(
      expect.objectContaining({ code: "type-not-supported", message }),
    );
    // Nothing of the world is asked before the kind is refused.
    const nothing = {} as World;
    const header = aHeader(aGenesisBlock([]), []);
    const context = { chainId: CHAIN_ID, header, rules, author: aValidator(1).address, deferredFees: true };
    expect(() => executeTransaction(nothing, tx, context)).toThrow(
      expect.objectContaining({ code: "unsupported", message }),
    );
  },
);

test("a kind before its fork is refused as the Go node refuses it", () => {
  const terms = termsAtHead(new FakeChain({}), DEFAULT_POOL_OPTIONS);
  expect(() => admit(aTransaction({ code: 0x7804 }), terms, () => undefined)).toThrow(
    "transaction type not supported",
  );
});
