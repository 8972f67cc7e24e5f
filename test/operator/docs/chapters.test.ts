/** The chapters of test/cluster/pages: every command in the pages of the operator is in one, or has a reason not to be run. */
import { globSync, readFileSync } from "node:fs";
import { expect, test } from "@jest/globals";
import { chapters, commandsOf, notRun, whyNotRun, withWords } from "../../cluster/support/page-chapters.ts";
import { pageCommands } from "../../support/page.ts";

const pages = globSync(["docs/operator.md", "docs/operator/*.md", "docs/alerts.md", "charts/*/README.md"]);
const textOf = (page: string): string => readFileSync(page, "utf8");
const textsIn = (page: string): readonly string[] => pageCommands(textOf(page)).map(({ text }) => text);

test.each(pages)("%s: all commands are in a chapter, once", (page) => {
  const read = Object.values(chapters)
    .filter((chapter) => chapter.page === page)
    .flatMap((chapter) => commandsOf(chapter, textOf(page)).map(({ text }) => text));
  expect([...read].sort()).toEqual([...textsIn(page)].sort());
});

test("each reason belongs to a command", () => {
  const rows = Object.entries(notRun).flatMap(([page, reasons]) =>
    Object.keys(reasons).map((start) => [page, start] as const),
  );
  expect(rows.length).toBeGreaterThan(5);
  const unused = rows.filter(
    ([page, start]) => !textsIn(page).some((text) => whyNotRun(page, text)?.[0] === start),
  );
  expect(unused).toEqual([]);
});

test("no word in capitals that stands for another one is left in a command that is run", () => {
  const run = pages.flatMap((page) => textsIn(page).filter((text) => whyNotRun(page, text) === undefined));
  expect(run.length).toBeGreaterThan(50);
  expect(run.map(withWords).filter((text) => /(?<![-$\w"])[A-Z]{3,}\b(?!=)/.test(text))).toEqual([]);
});
