/** Tests of the rules of single transaction types against the state (`blockchain/types`). */
import { beforeEach, expect, test } from "@jest/globals";
import { fromHex } from "../../../node/bytes/hex.ts";
import { BASE_RULES } from "../../../node/config/rules.ts";
import { validateForKind } from "../../../node/execution/validate.ts";
import { emptyAccount } from "../../../node/model/account.ts";
import { encodeAccountKey, FAIL_KEY, LEGACY_KEY, NIL_KEY } from "../../../node/model/account-key.ts";
import type { World } from "../../../node/state/world/world.ts";
import { aMultiSig, aPublic } from "../../support/account-keys.ts";
import { addressOf, aSent, aWorld, putContract, type Sending } from "../../support/execution.ts";

const RESERVED = "the address is reserved for pre-compiled contracts";
const reserved = fromHex(`0x${"00".repeat(18)}03ff`);
const free = fromHex(`0x${"00".repeat(18)}0400`);
const contract = addressOf(20);
const delegating = addressOf(21);
const codeless = addressOf(22);
let world: World;

beforeEach(async () => {
  world = await aWorld();
  putContract(world, contract, Uint8Array.of(0));
  world.setAccount(delegating, { ...emptyAccount(), nonce: 1n, codeInfo: 0x10 });
  world.setCode(delegating, Uint8Array.of(0xef, 0x01, 0x00, ...contract));
  world.setAccount(codeless, { ...emptyAccount(), kind: "contract", key: FAIL_KEY, nonce: 1n });
});

const update = (key: Uint8Array): Sending => ({ code: 0x20, fields: { key } });
const deploy = { code: 0x28, to: undefined };

test.each<[string, Sending, string | undefined]>([
  ["a legacy transaction to a reserved address", { to: reserved }, RESERVED],
  ["a legacy transaction to the first address that is not reserved", { to: free }, undefined],
  ["a legacy transaction to nobody's zero address", { to: new Uint8Array(20) }, undefined],
  ["a legacy creation", { to: undefined }, undefined],
  ["a dynamic fee transaction to a reserved address", { code: 0x7802, to: reserved }, RESERVED],
  ["a value transfer to a reserved address", { code: 0x08, to: reserved }, RESERVED],
  ["a value transfer to a stranger", { code: 0x08 }, undefined],
  ["a value transfer to a contract", { code: 0x08, to: contract }, "recipient must be an EOA without code"],
  [
    "a memo to an account that delegates",
    { code: 0x10, to: delegating },
    "recipient must be an EOA without code",
  ],
  [
    "a memo to a contract without code",
    { code: 0x10, to: codeless },
    "recipient must be an EOA without code",
  ],
  ["a contract execution of a contract", { code: 0x30, to: contract }, undefined],
  ["a contract execution of an account that delegates", { code: 0x30, to: delegating }, undefined],
  ["a contract execution of a stranger", { code: 0x30 }, "recipient must be an EOA with code or an SCA"],
  [
    "a contract execution of a contract without code",
    { code: 0x30, to: codeless },
    "not a program account (e.g., an account having code and storage)",
  ],
  ["a deployment", deploy, undefined],
  [
    "a deployment to a recipient",
    { code: 0x28, to: contract },
    "contract deploy transaction can't have a recipient address",
  ],
  [
    "a deployment with a readable address",
    { ...deploy, fields: { humanReadable: true } },
    "Human-readable address is not supported now",
  ],
  [
    "a deployment of code that is not the EVM's",
    { ...deploy, fields: { codeFormat: 1 } },
    "smart contract code format is invalid",
  ],
  ["an update to a public key", update(encodeAccountKey(aPublic(5))), undefined],
  ["an update to the same type", update(encodeAccountKey(LEGACY_KEY)), undefined],
  [
    "an update to no key",
    update(encodeAccountKey(NIL_KEY)),
    "AccountKeyNil cannot be initialized to an account",
  ],
  [
    "an update to keys that never reach the threshold",
    update(encodeAccountKey(aMultiSig(3n, [[1, 1n]]))),
    "unsatisfiable threshold. Weighted sum of keys is less than the threshold.",
  ],
  ["a cancel", { code: 0x38 }, undefined],
  ["an anchoring", { code: 0x48 }, undefined],
])("%s", (_what, sending, message) => {
  const validate = (): void => validateForKind(world, aSent(sending), BASE_RULES);
  if (message === undefined) expect(validate).not.toThrow();
  else expect(validate).toThrow(expect.objectContaining({ name: "ExecutionError", message }));
});

test("an account with code cannot be given another key", () => {
  world.setCode(addressOf(1), Uint8Array.of(0xef, 0x01, 0x00, ...contract));
  expect(() => validateForKind(world, aSent(update(encodeAccountKey(aPublic(5)))), BASE_RULES)).toThrow(
    "sender must be an EOA without code",
  );
});
