/** Writes node/console/names.ts, the console's names of methods, from the registry: `node scripts/console-names.ts`. */
import { writeFileSync } from "node:fs";
import { documented } from "./rpc-docs.ts";

/** Path of the generated file. */
export const CONSOLE_NAMES = "node/console/names.ts";

function split(name: string): [module: string, own: string] {
  const at = name.indexOf("_");
  return [name.slice(0, at), name.slice(at + 1)];
}

/** The source of that file. */
export function consoleNamesSource(): string {
  const rows = documented.methods.flatMap(({ name, aliases, params }) => {
    const counts = [params.filter(({ isOptional }) => !isOptional).length, params.length];
    return [name, ...aliases].map((each) => ({ each, counts }));
  });
  const modules = Map.groupBy(rows, ({ each }) => split(each)[0]);
  const lines = [...modules]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([module, members]) => {
      const sorted = members
        .map(({ each, counts }) => `    ${split(each)[1]}: [${counts.join(", ")}],`)
        .sort();
      return `  ${module}: {\n${sorted.join("\n")}\n  },`;
    });
  return `/** Written by scripts/console-names.ts from the registry. Do not edit. */

/** Methods by module: how many parameters must be given, and how many may. */
export const consoleNames: Readonly<Record<string, Readonly<Record<string, readonly [number, number]>>>> = {
${lines.join("\n")}
};
`;
}

if (import.meta.main) writeFileSync(CONSOLE_NAMES, consoleNamesSource());
