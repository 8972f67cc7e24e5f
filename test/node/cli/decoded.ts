/** `knit decode`, run in a played shell. */
import { expect } from "@jest/globals";
import { runCli } from "../../../node/cli/cli.ts";
import { fakeShell } from "../../support/shell.ts";
import { type TransactionSample, transactionSamples } from "../model/samples.ts";

/** Output of the command for an argument, and its exit code. */
export async function decode(...given: string[]) {
  const { shell, out, err } = fakeShell();
  const code = await runCli(["decode", ...given], shell);
  const json: Record<string, unknown> = code === 0 ? JSON.parse(out()) : {};
  return { code, json, err: err(), out: out() };
}

/** Refusal of the command; nothing may be on stdout then. */
export async function complaint(...given: string[]): Promise<string> {
  const { code, err, out } = await decode(...given);
  expect({ code, out }).toEqual({ code: 1, out: "" });
  return err;
}

/** A recorded transaction. */
export function sample(name: string): TransactionSample {
  const found = transactionSamples().find((each) => each.name === name);
  if (found === undefined) throw new Error(`no sample ${name}`);
  return found;
}

/** A serialised account key. */
export const PUBLIC_KEY = "02a1033a514176466fa815ed481ffad09110a2d344f6c9b78c1d14afc351c3a51be33d";
