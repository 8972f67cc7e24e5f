/** Options of the console. */
import { list, path, textKind } from "../options/kinds.ts";
import { optionGroup } from "../options/rows.ts";

const scripts = optionGroup("Console", ["attach", "console"]);

/** Rows of the console. */
export const consoleOptions = {
  exec: scripts({
    flag: "exec",
    kind: textKind,
    summary: "execute a JavaScript statement and print its result",
    aliases: ["console.exec"],
  }),
  preload: scripts({
    flag: "preload",
    kind: list,
    default: [],
    summary: "comma-separated list of JavaScript files to load into the console",
    aliases: ["console.preload"],
  }),
  scripts: scripts({
    flag: "jspath",
    kind: path,
    default: ".",
    summary: "root directory of JavaScript files",
    aliases: ["console.js-path"],
  }),
};
