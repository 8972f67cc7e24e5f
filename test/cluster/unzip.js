/** `node unzip.js ARCHIVE MEMBER OUT`: one member of a zip archive, for machines that have Node.js and no unzip. */
import { readFileSync, writeFileSync } from "node:fs";
import { inflateRawSync } from "node:zlib";

const CENTRAL = 0x02014b50;
const END = 0x06054b50;
const [archive = "", member = "", out = ""] = process.argv.slice(2);
const zip = readFileSync(archive);

let end = zip.length - 22;
while (end > 0 && zip.readUInt32LE(end) !== END) end -= 1;
const count = zip.readUInt16LE(end + 10);
let at = zip.readUInt32LE(end + 16);
for (let i = 0; i < count && zip.readUInt32LE(at) === CENTRAL; i++) {
  const [nameLength, extra, comment] = [28, 30, 32].map((offset) => zip.readUInt16LE(at + offset));
  const name = zip.toString("utf8", at + 46, at + 46 + nameLength);
  if (name === member) {
    const size = zip.readUInt32LE(at + 20);
    const local = zip.readUInt32LE(at + 42);
    const start = local + 30 + zip.readUInt16LE(local + 26) + zip.readUInt16LE(local + 28);
    const bytes = zip.subarray(start, start + size);
    writeFileSync(out, zip.readUInt16LE(at + 10) === 0 ? bytes : inflateRawSync(bytes));
    process.exit(0);
  }
  at += 46 + nameLength + extra + comment;
}
process.stderr.write(`${archive} has no ${member}\n`);
process.exit(1);
