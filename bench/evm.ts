/**
 * The interpreter against @ethereumjs/evm, in turns in one run: `node bench/evm.ts`. One JSON line each; `mgas` is
 * millions of gas a second of CPU time of the thread (median of the rounds), `ratio` how many times ours is faster.
 */
import { Common, Hardfork, Mainnet } from "@ethereumjs/common";
import { createEVM, type EVM } from "@ethereumjs/evm";
import { Account, createAddressFromBigInt } from "@ethereumjs/util";
import { concatBytes } from "../node/bytes/compare.ts";
import { bytesToBigint, fixedBytes } from "../node/bytes/integer.ts";
import { createEvm } from "../node/evm/evm.ts";
import {
  assemble,
  aWorld,
  CALLER,
  CONTRACT,
  evmOptions,
  OTHER,
  putContract,
  rulesOf,
} from "../test/support/evm.ts";
import { median, report, roundTo } from "./support/figures.ts";

const ROUNDS = 7;
const GAS = 1n << 40n;

/** A program that does something `turns` times; the stack is value, count at `loop`. */
const loop = (turns: number, body: string, start = "12345"): Uint8Array =>
  assemble(
    `${start} ${turns} loop: SWAP1 ${body} SWAP1 1 SWAP1 SUB DUP1 0 LT @loop JUMPI POP 0 MSTORE 32 0 RETURN`,
  );

const WORD = "0xdeadbeefcafebabe0123456789abcdef0fedcba9876543210011223344556677";
const PRIME = "0xffffffff00000001000000000000000000000000fffffffffffffffffffffffe";

/** `balanceOf` at keccak(address, 0); moves an amount of call data's second word to its first, logs, returns true. */
const TOKEN = assemble(`
  0 CALLDATALOAD 224 SHR 0xa9059cbb EQ @transfer JUMPI 0 0 REVERT
  transfer: CALLVALUE @fail JUMPI 4 CALLDATALOAD DUP1 160 SHR @fail JUMPI 36 CALLDATALOAD
  CALLER 0 MSTORE 0 32 MSTORE 64 0 SHA3 DUP1 SLOAD DUP1 DUP4 GT @fail JUMPI
  DUP3 SWAP1 SUB SWAP1 SSTORE
  DUP2 0 MSTORE 64 0 SHA3 DUP1 SLOAD DUP3 ADD SWAP1 SSTORE
  0 MSTORE CALLER 0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef 32 0 LOG3
  1 0 MSTORE 32 0 RETURN
  fail: 0 0 REVERT`);

interface Load {
  readonly name: string;
  readonly code: Uint8Array;
  readonly input?: Uint8Array;
  /** Number of calls of the contract in a round. */
  readonly calls?: number;
  /** Unit to count instead of gas. */
  readonly unit?: string;
}

const transferInput = concatBytes(
  Uint8Array.of(0xa9, 0x05, 0x9c, 0xbb),
  fixedBytes(0xbeefn, 32),
  fixedBytes(1n, 32),
);

const loads: readonly Load[] = [
  { name: "arithmetic on short words", code: loop(100_000, "3 MUL 7 ADD DUP2 ADD 0xffffff AND") },
  {
    name: "arithmetic on 256 bits",
    code: loop(
      10_000,
      `${PRIME} SWAP1 ${WORD} MULMOD ${PRIME} SWAP1 DUP1 ADDMOD DUP1 0x123456789abcdef0123456789 SWAP1 DIV XOR
       DUP1 7 SAR ADD DUP1 ${PRIME} SWAP1 SMOD ADD DUP1 0 SLT ADD`,
      WORD,
    ),
  },
  { name: "hashes of map keys", code: loop(30_000, "0 MSTORE DUP1 32 MSTORE 64 0 SHA3", "0") },
  { name: "storage, warm", code: loop(20_000, "DUP1 1 SSTORE 1 SLOAD ADD", "1") },
  { name: "calls", code: loop(10_000, "0 MSTORE 32 0 32 0 0 0x07e4 GAS CALL POP 0 MLOAD", "0") },
  { name: "token transfers", code: TOKEN, input: transferInput, calls: 2000, unit: "transfers" },
];

const CALLEE = assemble("0 CALLDATALOAD 1 ADD 0 MSTORE 32 0 RETURN");

function ours({ code, input = new Uint8Array(0) }: Load): () => bigint {
  const world = aWorld();
  putContract(world, CONTRACT, code);
  putContract(world, OTHER, CALLEE);
  world.addBalance(CALLER, 10n ** 20n);
  world.setSlot(CONTRACT, callerSlot(), 10n ** 20n);
  world.endTransaction();
  const options = evmOptions({ world, rules: rulesOf("cancun"), computationLimit: Infinity });
  return () => {
    const { gasLeft, failure } = createEvm(options).call({
      caller: CALLER,
      to: CONTRACT,
      input,
      value: 0n,
      gas: GAS,
    });
    if (failure !== undefined) throw new Error(failure.message);
    world.endTransaction();
    return GAS - gasLeft;
  };
}

/** Storage slot of the caller's balance in the token. */
function callerSlot(): bigint {
  const world = aWorld();
  putContract(world, CONTRACT, assemble("CALLER 0 MSTORE 0 32 MSTORE 64 0 SHA3 0 MSTORE 32 0 RETURN"));
  const call = { caller: CALLER, to: CONTRACT, input: new Uint8Array(0), value: 0n, gas: 100_000n };
  return bytesToBigint(createEvm(evmOptions({ world })).call(call).output);
}

async function theirs({ code, input = new Uint8Array(0) }: Load): Promise<() => Promise<bigint>> {
  const evm: EVM = await createEVM({ common: new Common({ chain: Mainnet, hardfork: Hardfork.Cancun }) });
  const [caller, to, other] = [CALLER, CONTRACT, OTHER].map((address) =>
    createAddressFromBigInt(bytesToBigint(address)),
  );
  if (caller === undefined || to === undefined || other === undefined) throw new Error("three addresses");
  for (const address of [caller, to, other])
    await evm.stateManager.putAccount(address, new Account(1n, 10n ** 20n));
  await evm.stateManager.putCode(to, code);
  await evm.stateManager.putCode(other, CALLEE);
  await evm.stateManager.putStorage(to, fixedBytes(callerSlot(), 32), fixedBytes(10n ** 20n, 32));
  return async () => {
    const { execResult } = await evm.runCall({ caller, to, data: input, gasLimit: GAS });
    if (execResult.exceptionError !== undefined) throw new Error(execResult.exceptionError.error);
    await evm.journal.cleanup();
    evm.stateManager.originalStorageCache.clear();
    return execResult.executionGasUsed;
  };
}

interface Figure {
  readonly gas: number;
  readonly seconds: number;
}

async function timeRun(run: () => bigint | Promise<bigint>, calls: number): Promise<Figure> {
  const before = process.threadCpuUsage();
  let gas = 0n;
  for (let i = 0; i < calls; i++) {
    const used = run();
    gas += typeof used === "bigint" ? used : await used;
  }
  const { user, system } = process.threadCpuUsage(before);
  return { gas: Number(gas), seconds: (user + system) / 1e6 };
}

async function measure(load: Load): Promise<void> {
  const runs = { ours: ours(load), theirs: await theirs(load) };
  const calls = load.calls ?? 1;
  const rates: { ours: number[]; theirs: number[] } = { ours: [], theirs: [] };
  const amount = (gas: number): number => (load.unit === undefined ? gas / 1e6 : calls);
  for (let round = 0; round <= ROUNDS; round++) {
    for (const side of ["ours", "theirs"] as const) {
      const repeats = side === "ours" && round > 0 ? 5 : 1;
      let [gas, seconds] = [0, 0];
      for (let i = 0; i < repeats; i++) {
        const figure = await timeRun(runs[side], calls);
        gas += amount(figure.gas);
        seconds += figure.seconds;
      }
      if (round > 0) rates[side].push(gas / seconds);
    }
  }
  const [rate, oracleRate] = [median(rates.ours), median(rates.theirs)];
  const unit = load.unit === undefined ? "mgas" : `${load.unit}PerSecond`;
  report({
    name: load.name,
    [unit]: roundTo(rate),
    oracle: "@ethereumjs/evm",
    [`oracle_${unit}`]: roundTo(oracleRate),
    ratio: roundTo(rate / oracleRate),
  });
}

for (const load of loads) await measure(load);
