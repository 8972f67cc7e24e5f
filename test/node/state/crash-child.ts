/** Makes random blocks in a directory until it is killed, and prints the number of each durable one. */
import { makeBlock, openOnDisk } from "./fixture.ts";
import { aRandom } from "./random.ts";
import { randomChange } from "./random-block.ts";

const [directory = ""] = process.argv.slice(2);
const node = await openOnDisk(directory, { flushInterval: 3, retention: 6 });
await node.state.ready;
for (;;) {
  const number = node.state.number + 1;
  await makeBlock(node, randomChange(aRandom(number)));
  process.stdout.write(`${number}\n`);
}
