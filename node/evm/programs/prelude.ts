/**
 * The environment of tracer programs, as in the Go node's `node/cn/tracers`: `log`, `db`, frames, `ctx`, and
 * helpers for bytes. A script that takes the host's functions and returns those that the host calls; bytes
 * come in as buffers and go out as hex digits.
 */
import { BIG_INTEGERS } from "./big-integers.ts";

/** The script for `SandboxOptions.script`. */
export const PRELUDE = `(function (host) {
  "use strict";
  const indirectEval = eval;
  const Bytes = Uint8Array;
  const bigInt = ${BIG_INTEGERS};
  const digits = Array.from({ length: 256 }, (_, i) => (i < 16 ? "0" : "") + i.toString(16));
  const names = host.names("", 0, 0).split(",");
  const NOTHING = 1;
  let tracer;

  function bytes(buffer) {
    return buffer === undefined ? new Bytes(0) : new Bytes(buffer);
  }

  function bare(given) {
    const text = [];
    for (let i = 0; i < given.length; i++) text[i] = digits[given[i]];
    return text.join("");
  }

  /* As Go reads digits: an odd one is led by 0, and what follows a bad pair is left out. */
  function fromHex(text) {
    if (typeof text !== "string") return new Bytes(0);
    const plain = /^0x/i.test(text) ? text.slice(2) : text;
    const even = plain.length % 2 === 1 ? "0" + plain : plain;
    const good = /^(?:[0-9a-f]{2})*/i.exec(even)[0];
    const read = new Bytes(good.length / 2);
    for (let i = 0; i < read.length; i++) read[i] = parseInt(good.slice(2 * i, 2 * i + 2), 16);
    return read;
  }

  function fixed(given, length) {
    const cut = given.length > length ? given.subarray(given.length - length) : given;
    const made = new Bytes(length);
    made.set(cut, length - cut.length);
    return made;
  }

  function read(given) {
    return given instanceof Bytes ? given : fromHex(given);
  }

  function only(given) {
    return given instanceof Bytes ? given : new Bytes(0);
  }

  function address(given) {
    return bare(fixed(only(given), 20));
  }

  /* As the Go node's engine makes a number an int: nothing else than numbers, no fraction, within 32 bits. */
  function whole(value) {
    if (typeof value !== "number" || value !== value) return 0;
    return value > 2147483647 ? 2147483647 : value < -2147483648 ? -2147483648 : value | 0;
  }

  const now = { pc: 0, op: 0, gas: 0, cost: 0, depth: 0, refund: 0, length: 0, error: undefined };
  const log = {
    op: {
      toNumber: () => now.op,
      toString: () => names[now.op],
      isPush: () => now.op >= 0x60 && now.op <= 0x7f,
    },
    stack: {
      length: () => now.length,
      peek: (index) => bigInt(host.peek("", whole(index), 0)),
    },
    memory: {
      slice: (begin, end) => bytes(host.memory("", whole(begin), whole(end))),
      getUint: (at) => bigInt(host.memoryWord("", whole(at), 0)),
    },
    contract: {
      getCaller: () => bytes(host.caller("", 0, 0)),
      getAddress: () => bytes(host.address("", 0, 0)),
      getValue: () => bigInt(host.value("", 0, 0)),
      getInput: () => bytes(host.input("", 0, 0)),
    },
    getPC: () => now.pc,
    getGas: () => now.gas,
    getCost: () => now.cost,
    getDepth: () => now.depth,
    getRefund: () => now.refund,
    getError: () => now.error,
  };
  const db = {
    getBalance: (of) => bigInt(host.balance(address(of), 0, 0)),
    getNonce: (of) => host.nonce(address(of), 0, 0),
    getCode: (of) => bytes(host.code(address(of), 0, 0)),
    getState: (of, key) => bytes(host.slot(address(of) + bare(fixed(only(key), 32)), 0, 0)),
    exists: (of) => host.exists(address(of), 0, 0),
  };
  let entered = {};
  const frame = {
    getType: () => entered.type,
    getFrom: () => fixed(fromHex(entered.from), 20),
    getTo: () => fixed(fromHex(entered.to), 20),
    getInput: () => bytes(entered.input),
    getGas: () => entered.gas,
    getValue: () => (entered.value === undefined ? undefined : bigInt(entered.value)),
  };
  let left = {};
  const frameResult = {
    getGasUsed: () => left.gasUsed,
    getOutput: () => bytes(left.output),
    getError: () => left.error,
  };

  Object.assign(globalThis, {
    bigInt,
    toHex: (given) => "0x" + bare(only(given)),
    toWord: (given) => fixed(read(given), 32),
    toAddress: (given) => fixed(read(given), 20),
    toContract: (from, nonce) => bytes(host.contract(bare(fixed(read(from), 20)), whole(nonce), 0)),
    toContract2: (from, salt, code) => {
      const text = bare(fixed(read(from), 20)) + bare(fixed(fromHex(salt), 32)) + bare(read(code));
      return bytes(host.contract2(text, 0, 0));
    },
    isPrecompiled: (given) => /^0{38}(?:0[1-9a-b])$/.test(address(given)),
    slice: (given, start, end) => {
      const [from, to, all] = [whole(start), whole(end), only(given)];
      return from < 0 || from > to || to > all.length ? new Bytes(0) : new Bytes(all.subarray(from, to));
    },
  });
  Bytes.prototype.toString = Object.prototype.toString;

  function words(error) {
    try {
      const text = String(error);
      const line = error instanceof SyntaxError && /:([0-9]+):[0-9]+/.exec(error.stack);
      return line ? text + " (line " + line[1] + ")" : text;
    } catch {
      return "Error";
    }
  }

  function guard(run) {
    return (...given) => {
      try {
        const value = run(...given);
        return value === undefined ? NOTHING : "=" + value;
      } catch (error) {
        return "!" + words(error);
      }
    };
  }

  function has(name) {
    return tracer !== null && tracer !== undefined && name in Object(tracer);
  }

  function called(name, ...given) {
    const run = tracer[name];
    if (typeof run === "function") return run.apply(tracer, given);
    throw new TypeError(String(run) + " not callable (property '" + name + "' of " + String(tracer) + ")");
  }

  function compile(code) {
    if (code.trim() === "") throw "SyntaxError: empty expression not allowed (line " + code.split("\\n").length + ")";
    tracer = indirectEval("(" + code + ")");
    for (const name of ["fault", "result"]) {
      if (!has(name)) throw "Trace object must expose a function " + name + "()";
    }
    const [step, enter, exit] = ["step", "enter", "exit"].map(has);
    if (enter !== exit) throw "trace object must expose either both or none of enter() and exit()";
    if (!step && !enter) throw "trace object must expose either step() or both enter() and exit()";
    return (step ? "step" : "") + (enter ? "enter" : "");
  }

  function context({ from, to, value, gasPrice, ...plain }, input, output) {
    return {
      ...plain,
      ...(from === undefined ? {} : { from: fromHex(from), to: fromHex(to) }),
      ...(input === undefined ? {} : { input: bytes(input), output: bytes(output) }),
      ...(value === undefined ? {} : { value: bigInt(value), gasPrice: bigInt(gasPrice) }),
    };
  }

  function written(value) {
    try {
      return String(JSON.stringify(value));
    } catch (error) {
      throw words(error) === "InternalError: stack overflow" ? new RangeError("json encode recursion limit") : error;
    }
  }

  return {
    compile: guard(compile),
    step: guard((pc, op, gas, cost, depth, refund, length, error) => {
      now.pc = pc;
      now.op = op;
      now.gas = gas;
      now.cost = cost;
      now.depth = depth;
      now.refund = refund;
      now.length = length;
      now.error = error;
      called("step", log, db);
    }),
    fault: guard((length, error) => {
      now.length = length;
      now.error = error;
      called("fault", log, db);
    }),
    enter: guard((type, from, to, input, gas, value) => {
      entered = { type, from, to, input, gas, value };
      called("enter", frame);
    }),
    exit: guard((gasUsed, output, error) => {
      left = { gasUsed, output, error };
      called("exit", frameResult);
    }),
    result: guard((json, input, output) => written(called("result", context(JSON.parse(json), input, output), db))),
  };
})`;
