/** The site: every page is in its side bar once. `npm run site` builds it, and fails for a dead link. */
import { existsSync, globSync } from "node:fs";
import { expect, test } from "@jest/globals";
import { type SidebarItem, sidebar, sitePages } from "../../scripts/site.ts";

const linksOf = (items: readonly SidebarItem[]): readonly string[] =>
  items.flatMap(({ link, items: inner = [] }) => [...(link === undefined ? [] : [link]), ...linksOf(inner)]);

test("every page of the docs is a page of the site, and has one place in the side bar", () => {
  expect(sitePages).toEqual(expect.arrayContaining(globSync("docs/**/*.md")));
  const links = linksOf(sidebar());
  expect(new Set(links).size).toBe(links.length);
  const files = links.map((link) => (link === "/" ? "README.md" : `${link.slice(1)}.md`));
  expect(files.filter((file) => !existsSync(file))).toEqual([]);
  expect([...files].sort((a, b) => (a < b ? -1 : 1))).toEqual([...sitePages]);
});
