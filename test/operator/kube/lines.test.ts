/** Lines of a watch, however they are cut. */
import { expect, test } from "@jest/globals";
import { jsonLines } from "../../../operator/kube/lines.ts";

async function* pieces(bytes: Buffer, length: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += length) yield bytes.subarray(at, at + length);
}

async function all(bytes: Buffer, length: number, most = 1_000): Promise<unknown[]> {
  const found: unknown[] = [];
  for await (const each of jsonLines(pieces(bytes, length), most)) found.push(each);
  return found;
}

const EVENTS = [{ a: 1 }, { name: "é漢🙂" }, [1, 2], "x"];
const TEXT = Buffer.from(`${EVENTS.map((each) => JSON.stringify(each)).join("\n\r\n")}\n`);

test("lines are whole wherever their chunks are cut, within a character too", async () => {
  for (let length = 1; length <= TEXT.length; length++) expect(await all(TEXT, length)).toEqual(EVENTS);
});

test.each([
  ["a stream that ends within a line", Buffer.from('{"a":1}\n{"b":'), "unreachable"],
  ["a line that is not JSON", Buffer.from('{"a":1}\n{"b":\n'), "bad-answer"],
  ["a line without end", Buffer.from(`{"a":1}\n"${"x".repeat(2_000)}`), "too-large"],
])("%s fails behind the good lines", async (_name, bytes, code) => {
  const found: unknown[] = [];
  const reading = (async () => {
    for await (const each of jsonLines(pieces(bytes, 5), 1_000)) found.push(each);
  })();
  await expect(reading).rejects.toMatchObject({ code });
  expect(found).toEqual([{ a: 1 }]);
});
