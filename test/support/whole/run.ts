/**
 * Whole nodes in simulation, seed after seed: `node test/support/whole/run.ts FIRST [COUNT] [--log] [--forgetful]`. Prints
 * a line of JSON for each seed; ends with 1 after the first failure, whose seed is in its message.
 */
import { messageOf } from "../../../node/bytes/message-of.ts";
import { silentLog } from "../../../node/observe/log.ts";
import { seededRandom } from "../random.ts";
import { simulateWhole } from "./simulation.ts";
import { VirtualTime } from "./virtual-time.ts";

const [first = "1", count = "1", ...flags] = process.argv.slice(2);
const isForgetful = flags.includes("--forgetful");
const print = (line: string): void => void process.stdout.write(`${line}\n`);
const logAs = (level: string) => (fields: object, message: string) =>
  print(`${level} ${message} ${JSON.stringify(fields, printable)}`);
const log = flags.includes("--log")
  ? { ...silentLog, debug: logAs("debug"), info: logAs("info"), warn: logAs("warn"), error: logAs("error") }
  : silentLog;
let seed = Number(first);
let random = seededRandom(seed);
const time = new VirtualTime(() => random());
time.install();
process.on("unhandledRejection", fail);
for (const end = seed + Number(count); seed < end; seed++) {
  random = seededRandom(seed);
  try {
    print(JSON.stringify(await simulateWhole(seed, { time, log, isForgetful })));
  } catch (error) {
    fail(error);
  }
}

function fail(error: unknown): never {
  print(`seed ${seed} failed: ${error instanceof Error ? error.stack : messageOf(error)}`);
  process.exit(1);
}

function printable(_: string, value: unknown): unknown {
  if (value instanceof Error) return value.stack;
  return value instanceof Uint8Array ? Buffer.from(value).toString("hex") : value;
}
