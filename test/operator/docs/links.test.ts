/** The pages: no link leads nowhere, and the map of the operator names every page of it. */
import { existsSync, globSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { expect, test } from "@jest/globals";

const PAGES = globSync(["*.md", "docs/**/*.md", "charts/*/*.md", "wasm/*.md", "test/cluster/*.md"]).sort();
const textOf = (page: string): string => readFileSync(page, "utf8");

/** The anchors of a page's headings, as GitHub makes them. */
function anchorsOf(page: string): ReadonlySet<string> {
  const headings = [...textOf(page).matchAll(/^#+ (.*)$/gm)].map(([, heading = ""]) => heading);
  return new Set(
    headings.map((heading) =>
      heading
        .toLowerCase()
        .replaceAll(/[^\p{L}\p{N} _-]/gu, "")
        .replaceAll(" ", "-"),
    ),
  );
}

/** The links of a page within the repository: file and anchor. */
function linksOf(page: string): readonly (readonly [file: string, anchor: string])[] {
  return [...textOf(page).matchAll(/\]\((?!https?:)([^)#\s]*)(?:#([^)\s]*))?\)/g)].map(
    ([, path = "", anchor = ""]) => [path === "" ? page : normalize(join(dirname(page), path)), anchor],
  );
}

test.each(PAGES)("%s has no dead link", (page) => {
  const dead = linksOf(page).filter(
    ([file, anchor]) =>
      !existsSync(file) || (anchor !== "" && file.endsWith(".md") && !anchorsOf(file).has(anchor)),
  );
  expect(dead).toEqual([]);
});

test("the first page of the operator leads to every other one", () => {
  const targets = new Set(linksOf("docs/operator.md").map(([file]) => file));
  const pages = PAGES.filter((page) => page.startsWith("docs/operator/"));
  expect(pages.length).toBeGreaterThan(15);
  expect(pages.filter((page) => !targets.has(page))).toEqual([]);
});
