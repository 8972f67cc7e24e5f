/**
 * Builds a site of the pages: `npm run site`, into `.cache/site/dist`. VitePress is installed by name into `.cache/site`, because
 * nothing else needs it. A dead link fails the build. `--base /NAME/` is the path of the site, `--out DIRECTORY` another place.
 */
import { spawnSync } from "node:child_process";
import { cpSync, existsSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, normalize, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

const VITEPRESS = "1.6.4";
const root = fileURLToPath(new URL("../", import.meta.url));
const workshop = join(root, ".cache/site");

/** Pages of the site, by their path in the repository. */
export const sitePages = globSync(
  ["*.md", "docs/**/*.md", "charts/*/README.md", "wasm/README.md", "test/**/README.md"],
  {
    cwd: root,
  },
).sort();

/** An entry of the side bar, or a group of entries. */
export interface SidebarItem {
  readonly text: string;
  readonly link?: string;
  readonly items?: readonly SidebarItem[];
  readonly collapsed?: boolean;
}

const read = (page: string): string => readFileSync(join(root, page), "utf8");
const titleOf = (page: string): string => /^# (.*)$/m.exec(read(page))?.[1] ?? page;
const entryOf = (page: string): SidebarItem => ({
  text: titleOf(page),
  link: `/${page.replace(/\.md$/, "")}`,
});

/** Pages that a page links to, in the order of the first link to each. */
function linkedPages(page: string): readonly string[] {
  const targets = [...read(page).matchAll(/\]\((?!https?:)([^)#\s]+\.md)/g)].map(([, path = ""]) =>
    normalize(join(dirname(page), path)),
  );
  return [...new Set(targets)].filter((target) => sitePages.includes(target));
}

/** Returns the side bar: the pages of the operator as its map has them, those of the node as README.md has them, and the rest. */
export function sidebar(): readonly SidebarItem[] {
  const map = "docs/operator.md";
  const ofOperator = [map, ...linkedPages(map).filter((page) => !page.startsWith("docs/hardening"))];
  const ofNode = linkedPages("README.md").filter(
    (page) => page.startsWith("docs/") && !ofOperator.includes(page),
  );
  const known = new Set([...ofOperator, ...ofNode, "README.md"]);
  const others = sitePages.filter((page) => !known.has(page));
  return [
    { text: "Knit", link: "/" },
    { text: "The node", items: ofNode.map(entryOf) },
    { text: "The operator", items: ofOperator.map(entryOf) },
    { text: "Further pages", collapsed: true, items: others.map(entryOf) },
  ];
}

/** Files that the pages link to and that are no pages. */
function linkedFiles(): readonly string[] {
  const paths = sitePages.flatMap((page) =>
    [...read(page).matchAll(/\]\((?!https?:)([^)#\s]+)/g)].map(([, path = ""]) =>
      normalize(join(dirname(page), path)),
    ),
  );
  return [...new Set(paths)].filter((path) => /\.\w+$/.test(path) && !path.endsWith(".md"));
}

function settingsOf(base: string): object {
  return {
    title: "Knit",
    description: "A Klaytn/Kaia-compatible blockchain node and its Kubernetes operator",
    base,
    outDir: "../dist",
    cleanUrls: true,
    rewrites: { "README.md": "index.md" },
    head: [["link", { rel: "icon", type: "image/svg+xml", href: `${base}docs/pictures/icon.svg` }]],
    // Generated tables name types such as `Map<K, V>`: no text of a page is markup.
    markdown: { html: false },
    vite: { logLevel: "warn" },
    themeConfig: {
      search: { provider: "local" },
      sidebar: sidebar(),
      outline: [2, 3],
      docFooter: { prev: false, next: false },
    },
  };
}

function run(command: string, args: readonly string[]): void {
  const { status, error } = spawnSync(command, args, { cwd: workshop, stdio: "inherit" });
  if (error !== undefined) throw error;
  if (status !== 0) throw new Error(`${command} ${args.join(" ")} ended with ${status}`);
}

function install(): void {
  const installed = join(workshop, "node_modules/vitepress/package.json");
  if (existsSync(installed) && readFileSync(installed, "utf8").includes(`"version": "${VITEPRESS}"`)) return;
  mkdirSync(workshop, { recursive: true });
  writeFileSync(join(workshop, "package.json"), JSON.stringify({ private: true, type: "module" }));
  run("npm", ["install", "--ignore-scripts", "--save-exact", `vitepress@${VITEPRESS}`]);
}

/** Copies pages and files, each at its path in the repository, so that links between them stay as they are. */
function copyPages(): void {
  const pages = join(workshop, "pages");
  rmSync(pages, { recursive: true, force: true });
  for (const page of sitePages) cpSync(join(root, page), join(pages, page));
  for (const file of linkedFiles()) {
    cpSync(join(root, file), join(pages, "public", file));
    if (/\.(png|svg)$/.test(file)) cpSync(join(root, file), join(pages, file));
  }
  cpSync(join(root, "docs/pictures/icon.svg"), join(pages, "public/docs/pictures/icon.svg"));
}

if (import.meta.main) {
  const { values } = parseArgs({
    options: { base: { type: "string", default: "/" }, out: { type: "string" } },
  });
  install();
  copyPages();
  const settings = join(workshop, "pages/.vitepress");
  mkdirSync(settings);
  writeFileSync(
    join(settings, "config.js"),
    `export default ${JSON.stringify(settingsOf(values.base), undefined, 2)};\n`,
  );
  run("node_modules/.bin/vitepress", ["build", "pages"]);
  if (values.out !== undefined) cpSync(join(workshop, "dist"), resolve(values.out), { recursive: true });
  console.log(`wrote ${values.out ?? join(workshop, "dist")}`);
}
