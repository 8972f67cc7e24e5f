/** Tests of the limit of traces that run at once. */
import { expect, test } from "@jest/globals";
import { limitTraces } from "../../../node/calls/traces/trace-admission.ts";
import { failure } from "../../../node/jsonrpc/errors.ts";

test("traces beyond the limit are refused until one ends; other calls are not limited", async () => {
  const ends: (() => void)[] = [];
  const refusing: (boolean | undefined)[] = [];
  const { signal } = new AbortController();
  const pool = limitTraces(
    {
      call: (name, _params, { refusesPrograms }) =>
        new Promise((resolve, reject) => {
          refusing.push(refusesPrograms);
          ends.push(() => (name === "debug_traceCall" ? reject(failure("no")) : resolve(name)));
        }),
    },
    2,
  );
  const ask = (name: string): Promise<string> => pool.call(name, "[]", { signal });
  const running = [ask("debug_traceCall"), ask("debug_traceBlockByNumber"), ask("eth_call")];
  await expect(ask("debug_traceTransaction")).rejects.toMatchObject({
    code: -32000,
    message: "heavy debug api requests exceed the limit: 2",
  });
  expect(refusing).toEqual([true, true, undefined]); // tracers that callers write
  for (const end of ends) end();
  expect((await Promise.allSettled(running)).map(({ status }) => status)).toEqual([
    "rejected",
    "fulfilled",
    "fulfilled",
  ]);
  const next = ask("debug_traceTransaction");
  ends.at(-1)?.();
  expect(await next).toBe("debug_traceTransaction");
});
