/** Tests of prompts for passphrases. */
import { PassThrough } from "node:stream";
import { expect, test } from "@jest/globals";
import { createPrompter } from "../../../node/cli/prompter.ts";

/** A terminal or a pipe, what was shown on it, and the modes it was put into. */
function terminal(isTTY: boolean) {
  const modes: boolean[] = [];
  const shown: string[] = [];
  const setRawMode = (on: boolean): void => {
    if (on) expect(shown.at(-1) ?? "").not.toMatch(/: $/); // a question that is shown is not echoed to
    modes.push(on);
  };
  const input = Object.assign(new PassThrough(), { isTTY, setRawMode });
  const prompter = createPrompter(input, { write: (text) => shown.push(text) });
  return { input, prompter, modes, shown: () => shown.join("") };
}

test("on a terminal nothing that is typed is shown, and keys that edit do so", async () => {
  const { input, prompter, modes, shown } = terminal(true);
  const asked = prompter.passphrase("Passphrase: ");
  input.write("wrong\u0015pässs\u007fwo\u001brd\r");
  expect(await asked).toBe("pässword");
  expect(shown()).toBe("Passphrase: \n");
  expect(modes).toEqual([true, false]);
  expect(input.isPaused()).toBe(true);
  expect(input.listenerCount("data")).toBe(0);
});

test("what was typed ahead answers the next question", async () => {
  const { input, prompter } = terminal(true);
  input.write("one\rtwo\r");
  expect([await prompter.passphrase("? "), await prompter.passphrase("? ")]).toEqual(["one", "two"]);
});

test.each([
  ["\u0003", "Failed to read passphrase: prompt aborted"],
  ["\u0004", "Failed to read passphrase: EOF"],
  ["x".repeat(4097), "Failed to read passphrase: more than 4096 characters"],
])("gives up for %j and leaves the terminal as it was", async (typed, message) => {
  const { input, prompter, modes } = terminal(true);
  const asked = prompter.passphrase("Passphrase: ");
  input.write(typed);
  await expect(asked).rejects.toThrow(message);
  expect(modes).toEqual([true, false]);
});

test("from a pipe lines are read as they are, with one warning, to the end of the input", async () => {
  const { input, prompter, shown, modes } = terminal(false);
  input.end("first\r\nlast \u0003");
  const answers = [await prompter.passphrase("A: "), await prompter.passphrase("B: ")];
  expect(answers).toEqual(["first", "last \u0003"]);
  expect(shown()).toBe("!! Unsupported terminal, password will be echoed.\nA: \nB: \n");
  expect(modes).toEqual([]);
  await expect(prompter.passphrase("C: ")).rejects.toThrow("Failed to read passphrase: EOF");
});
