/** Tests of the console's names: one for every method. */
import { readFileSync } from "node:fs";
import { expect, test } from "@jest/globals";
import { CONSOLE_NAMES, consoleNamesSource } from "../../../scripts/console-names.ts";

test("the console has a name for every method; node scripts/console-names.ts writes them anew", () => {
  expect(readFileSync(CONSOLE_NAMES, "utf8")).toBe(consoleNamesSource());
});
