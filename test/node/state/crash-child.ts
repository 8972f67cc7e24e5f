/**
 * Makes random blocks in a directory until it is killed, and prints the number of each durable one. A second
 * argument `archive` keeps all states.
 */
import { makeBlock, openOnDisk } from "./fixture.ts";
import { randomBlock } from "./random-contracts.ts";

const [directory = "", mode] = process.argv.slice(2);
const archive = mode === "archive" ? true : undefined;
const node = await openOnDisk(directory, { flushInterval: 3, retention: 6, archive });
await node.state.ready;
for (;;) {
  const number = node.state.number + 1;
  await makeBlock(node, randomBlock(number));
  process.stdout.write(`${number}\n`);
}
