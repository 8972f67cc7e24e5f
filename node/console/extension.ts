/** `web3._extend`, which adds methods and properties of scripts to the console's objects. */
import { fromDecimal, toBigNumber, toDecimal } from "./big-number.ts";
import { type ConsoleContext, type InputName, inputs, type Members, outputs } from "./formats.ts";
import { addMethod, addProperty, type Format, type MethodSpec, type PropertySpec } from "./members.ts";
import {
  fromAscii,
  fromUtf8,
  isAddress,
  padLeft,
  padRight,
  sha3,
  toAscii,
  toUtf8,
  web3ToHex,
} from "./texts.ts";

interface ScriptMethod {
  readonly name: string;
  readonly call: MethodSpec["call"];
  readonly params?: number;
  readonly inputFormatter?: readonly (Format | null)[];
  readonly outputFormatter?: Format;
}

interface ScriptProperty {
  readonly name: string;
  readonly getter: string;
  readonly outputFormatter?: Format;
}

/** An extension of a script. */
interface Extension {
  readonly property?: string;
  readonly methods?: readonly MethodSpec[];
  readonly properties?: readonly PropertySpec[];
}

/** Creates `web3._extend`. */
export function extender({ requests, defaults }: ConsoleContext, web3: Members) {
  const extend = function ({ property, methods = [], properties = [] }: Extension): void {
    const target = property === undefined ? web3 : ((web3[property] ??= {}) as Members);
    for (const spec of methods) addMethod(requests, target, spec);
    for (const spec of properties) addProperty(requests, target, spec);
  };
  const formats = inputs(defaults);
  const formatter = (name: InputName): Format => formats[name];
  return Object.assign(extend, {
    Method: function (given: ScriptMethod): MethodSpec {
      const { name, call, params, inputFormatter, outputFormatter } = given;
      return { name, call: callByArguments(call), params, inputs: inputFormatter, output: outputFormatter };
    },
    Property: function ({ name, getter, outputFormatter }: ScriptProperty): PropertySpec {
      return { name, getter, output: outputFormatter };
    },
    formatters: {
      inputAddressFormatter: formatter("address"),
      inputBlockNumberFormatter: formatter("block"),
      inputCallFormatter: formatter("call"),
      inputDefaultBlockNumberFormatter: formatter("defaultBlock"),
      inputTransactionFormatter: formatter("transaction"),
      outputBigNumberFormatter: outputs.bigNumber,
      outputBlockFormatter: outputs.block,
      outputLogFormatter: outputs.log,
      outputSyncingFormatter: outputs.syncing,
      outputTransactionFormatter: outputs.transaction,
      outputTransactionReceiptFormatter: outputs.receipt,
    },
    utils: {
      fromAscii,
      fromDecimal,
      fromUtf8,
      isAddress,
      padLeft,
      padRight,
      sha3,
      toAscii,
      toBigNumber,
      toDecimal,
      toHex: web3ToHex,
      toUtf8,
      isString,
      isArray: Array.isArray,
    },
  });
}

const callByArguments = (call: MethodSpec["call"]): MethodSpec["call"] =>
  typeof call === "function" ? (args) => call(args) : call;

const isString = (value: unknown): boolean => typeof value === "string";
