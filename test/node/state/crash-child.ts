/**
 * Makes random blocks in a directory until it is killed, and prints the number of each durable one. Arguments: the
 * directory, and the name of how states are kept.
 */
import { crashModes } from "./crash-modes.ts";
import { makeBlock, openOnDisk } from "./fixture.ts";
import { randomBlock } from "./random-contracts.ts";

const [directory = "", mode = ""] = process.argv.slice(2);
const node = await openOnDisk(directory, crashModes[mode]);
await node.state.ready;
for (;;) {
  if (mode === "migrating") await node.state.migration.start(); // where none runs
  const number = node.state.number + 1;
  await makeBlock(node, randomBlock(number));
  process.stdout.write(`${number}\n`);
}
