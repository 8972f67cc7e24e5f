/** Console versions of node methods that prompt for passphrases or wait (`console/bridge.go@v2.2.2`). */
import { methodFunction } from "./members.ts";
import type { Requests } from "./requests.ts";

/** Requests of the script thread to the terminal; the thread waits for the response. */
export interface Terminal {
  /** Reads a line without echo. Throws when the input ends. */
  password(prompt: string): string;
  print(line: string): void;
  /** Deletes the history. Returns a message about the history file. */
  clearHistory(): string;
}

/** Parts of the replacements. */
export interface BridgeDeps {
  readonly terminal: Terminal;
  readonly requests: Requests;
  /** The module of the chain: klay or kaia. */
  readonly chain: string;
}

type Method = (...args: unknown[]) => unknown;
type Members = Record<string, unknown>;

const isNothing = (value: unknown): boolean => value === undefined || value === null;
const isText = (value: unknown): value is string => typeof value === "string";

/** Replaces methods of `personal`; returns the node's own methods, which scripts know as `jeth`. */
export function bridgePersonal(personal: Members, { terminal }: BridgeDeps): Members {
  const names = ["newAccount", "unlockAccount", "openWallet", "sign"];
  const own = Object.fromEntries(names.map((name) => [name, personal[name] as Method]));
  const call = (name: string, ...args: unknown[]): unknown => own[name]?.(...args);
  Object.assign(personal, {
    newAccount: function (...args: unknown[]): unknown {
      if (args.length === 1 && isText(args[0])) return call("newAccount", args[0]);
      if (args.length > 0) throw new Error("expected 0 or 1 string argument");
      const password = terminal.password("Passphrase: ");
      if (password !== terminal.password("Repeat passphrase: ")) throw new Error("passwords don't match!");
      return call("newAccount", password);
    },
    unlockAccount: function (...args: unknown[]): unknown {
      const [account, given, duration] = args;
      if (args.length === 0) throw new Error("usage: unlockAccount(account, [ password, duration ])");
      if (!isText(account)) throw new Error("first argument must be the account to unlock");
      if (!isNothing(given) && !isText(given)) throw new Error("password must be a string");
      if (!isNothing(duration) && typeof duration !== "number")
        throw new Error("unlock duration must be a number");
      return call(
        "unlockAccount",
        account,
        given ?? askPassword(terminal, `Unlock account ${account}`),
        duration ?? null,
      );
    },
    sign: function (...args: unknown[]): unknown {
      const [message, account, given] = args;
      if (args.length < 2) throw new Error("usage: sign(message, account, [ password ])");
      if (!isText(message)) throw new Error("first argument must be the message to sign");
      if (!isText(account)) throw new Error("second argument must be the account to sign with");
      if (!isNothing(given) && !isText(given))
        throw new Error("third argument must be the password to unlock the account");
      const password = given ?? askPassword(terminal, `Give password for account ${account}`, "Password: ");
      return call("sign", message, account, password);
    },
    openWallet: function (url: unknown, password: unknown): unknown {
      if (!isText(url)) throw new Error("first argument must be the wallet URL to open");
      try {
        return call("openWallet", url, password ?? "");
      } catch {
        for (const line of PIN_MATRIX) terminal.print(line);
        return call("openWallet", url, terminal.password("Please enter current PIN: "));
      }
    },
  });
  return own;
}

/** Layout of the digits on a hardware wallet. */
const PIN_MATRIX = [
  "Look at the device for number positions",
  "",
  "7 | 8 | 9",
  "--+---+--",
  "4 | 5 | 6",
  "--+---+--",
  "1 | 2 | 3",
  "",
];

function askPassword(terminal: Terminal, line: string, prompt = "Passphrase: "): string {
  terminal.print(line);
  return terminal.password(prompt);
}

const MAX_SLEEP_S = Number.MAX_SAFE_INTEGER / 1000;

/** Adds methods that wait and the history to `admin`. */
export function bridgeAdmin(admin: Members, { terminal, requests, chain }: BridgeDeps): void {
  const blockNumber = methodFunction(requests, {
    name: "blockNumber",
    call: `${chain}_blockNumber`,
    output: Number,
  });
  Object.assign(admin, {
    sleep: function (...args: unknown[]): boolean {
      const [seconds] = args;
      if (typeof seconds !== "number") throw new Error("usage: sleep(<number of seconds>)");
      pause(seconds * 1000);
      return true;
    },
    sleepBlocks: function (...args: unknown[]): boolean {
      const [blocks, most = MAX_SLEEP_S] = args;
      if (args.length === 0) throw new Error("usage: sleepBlocks(<n blocks>[, max sleep in seconds])");
      if (typeof blocks !== "number") throw new Error("expected number as first argument");
      if (typeof most !== "number") throw new Error("expected number as second argument");
      const wanted = Number(blockNumber()) + blocks;
      const until = performance.now() + most * 1000;
      while (performance.now() < until) {
        if (Number(blockNumber()) >= wanted) return true;
        pause(Math.min(1000, until - performance.now()));
      }
      return false;
    },
    clearHistory: function (): void {
      terminal.print(terminal.clearHistory());
    },
  });
}

/** Blocks this thread; the terminal's thread continues. */
function pause(ms: number): void {
  if (ms > 0) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}
