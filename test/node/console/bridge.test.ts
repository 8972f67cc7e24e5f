/** Calls that ask at the terminal, and those that wait. */
import { expect, test } from "@jest/globals";
import { bridgeAdmin, bridgePersonal } from "../../../node/console/bridge.ts";
import { Requests } from "../../../node/console/requests.ts";

type Members = Record<string, (...args: unknown[]) => unknown>;

function openBridge(passwords: readonly string[], answers: Readonly<Record<string, unknown>> = {}) {
  const left = [...passwords];
  const asked: string[] = [];
  const printed: string[] = [];
  const terminal = {
    password: (prompt: string): string => {
      asked.push(prompt);
      return left.shift() ?? "";
    },
    print: (line: string) => void printed.push(line),
    clearHistory: () => "history file deleted",
  };
  const requests = new Requests((message) => {
    const { id, method } = JSON.parse(message) as { id: number; method: string };
    return JSON.stringify({ jsonrpc: "2.0", id, result: answers[method] });
  }, JSON);
  const calls: unknown[][] = [];
  const record =
    (name: string) =>
    (...args: unknown[]): string => {
      calls.push([name, ...args]);
      if (name === "openWallet" && args[1] === "") throw new Error("trezor: pin needed");
      return name;
    };
  const names = ["newAccount", "unlockAccount", "openWallet", "sign"];
  const personal: Members = Object.fromEntries(names.map((name) => [name, record(name)]));
  const admin: Members = {};
  const parts = { terminal, requests, chain: "klay" };
  bridgePersonal(personal, parts);
  bridgeAdmin(admin, parts);
  return { personal, admin, asked, printed, calls };
}

test("a passphrase left out is asked for", () => {
  const { personal, asked, printed, calls } = openBridge(["a", "a", "b", "c"]);
  personal["newAccount"]?.();
  personal["unlockAccount"]?.("0x1", undefined, 30);
  personal["sign"]?.("0x2", "0x1");
  personal["newAccount"]?.("d");
  expect(calls).toEqual([
    ["newAccount", "a"],
    ["unlockAccount", "0x1", "b", 30],
    ["sign", "0x2", "0x1", "c"],
    ["newAccount", "d"],
  ]);
  expect(asked).toEqual(["Passphrase: ", "Repeat passphrase: ", "Passphrase: ", "Password: "]);
  expect(printed).toEqual(["Unlock account 0x1", "Give password for account 0x1"]);
});

test("a wallet that does not open asks for a PIN by its matrix", () => {
  const { personal, printed, asked, calls } = openBridge(["123"]);
  personal["openWallet"]?.("trezor://1");
  expect(printed).toContain("7 | 8 | 9");
  expect(asked).toEqual(["Please enter current PIN: "]);
  expect(calls.at(-1)).toEqual(["openWallet", "trezor://1", "123"]);
});

test.each<[name: string, args: readonly unknown[], message: string]>([
  ["newAccount", [1], "expected 0 or 1 string argument"],
  ["newAccount", [], "passwords don't match!"],
  ["unlockAccount", [1], "first argument must be the account to unlock"],
  ["unlockAccount", ["a", 1], "password must be a string"],
  ["unlockAccount", ["a", "b", "c"], "unlock duration must be a number"],
  ["sign", ["a"], "usage: sign(message, account, [ password ])"],
  ["sign", [1, "a"], "first argument must be the message to sign"],
  ["sign", ["a", 1], "second argument must be the account to sign with"],
  ["sign", ["a", "b", 1], "third argument must be the password to unlock the account"],
  ["openWallet", [1], "first argument must be the wallet URL to open"],
])("personal.%s%j is refused", (name, args, message) => {
  const { personal } = openBridge(["one", "other"]);
  expect(() => personal[name]?.(...args)).toThrow(message);
});

test("admin waits for time and blocks", () => {
  const { admin, printed } = openBridge([], { klay_blockNumber: "0x5" });
  expect(admin["sleep"]?.(0.001)).toBe(true);
  expect(admin["sleepBlocks"]?.(0)).toBe(true);
  expect(admin["sleepBlocks"]?.(1, 0.001)).toBe(false);
  expect(() => admin["sleepBlocks"]?.()).toThrow("usage: sleepBlocks(<n blocks>[, max sleep in seconds])");
  expect(() => admin["sleepBlocks"]?.("a")).toThrow("expected number as first argument");
  expect(() => admin["sleepBlocks"]?.(1, "a")).toThrow("expected number as second argument");
  admin["clearHistory"]?.();
  expect(printed).toEqual(["history file deleted"]);
});
