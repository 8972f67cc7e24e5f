/** Tests of the lists of S3 stores: pages are read to their end, and hostile ones in bounded time. */
import { expect, test } from "@jest/globals";
import { listAll } from "../../../node/checkpoint/s3-store.ts";

const object = (key: string, size: string): string =>
  `<Contents><Key>${key}</Key><LastModified>2026-01-01T00:00:00.000Z</LastModified><Size>${size}</Size></Contents>`;

/** Lists pages of XML, with two characters cut off the names. */
function list(...pages: readonly string[]): ReturnType<typeof listAll> {
  const left = [...pages];
  return listAll(async () => Buffer.from(left.shift() ?? ""), 2);
}

test("names and sizes of all pages", async () => {
  const writtenAt = Date.parse("2026-01-01T00:00:00Z");
  expect(
    await list(
      `${object("p/a&amp;b", "7")}<NextContinuationToken>t</NextContinuationToken>`,
      object("p/c", "0"),
    ),
  ).toEqual([
    { name: "a&b", size: 7, writtenAt },
    { name: "c", size: 0, writtenAt },
  ]);
});

test.each([
  ["without a size", "<Contents><Key>p/a</Key></Contents>"],
  ["without a key", "<Contents><Size>7</Size></Contents>"],
  ["with a size that is no number", object("p/a", "-7")],
  ["with a size of any number of digits", object("p/a", "9".repeat(400))],
])("a list with an object %s is refused", async (_, page) => {
  await expect(list(page)).rejects.toMatchObject({ code: "failed" });
});

test("a list that is cut off, and does not say where it goes on, is refused", async () => {
  const page = `${object("p/a", "7")}<IsTruncated>true</IsTruncated>`;
  await expect(list(page)).rejects.toMatchObject({ code: "failed" });
});

test.each([
  ["objects that never end", "<Contents>"],
  ["keys that never end in one object", "<Key>"],
])("a page of 8 MB of %s takes no time that grows with its square", async (_, tag) => {
  const page = tag.repeat(2 ** 23 / tag.length);
  const began = process.threadCpuUsage().user;
  expect(await list(page)).toEqual([]);
  await expect(list(`<Contents>${page}</Contents>`)).rejects.toMatchObject({ code: "failed" });
  expect(process.threadCpuUsage().user - began).toBeLessThan(2_000_000);
});
