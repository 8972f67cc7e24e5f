/** Calls that begin subscriptions: module, name and parameters as the Go node reads them. */
import { expect, test } from "@jest/globals";
import { createSubscriptionLimit, Subscriptions } from "../../../node/jsonrpc/subscriptions.ts";
import { anEndpoint, aSession, ticker } from "../rpc/fixture.ts";

/** The answer to a call of `<method>` with these parameters as JSON text; absent when empty. */
async function answerTo(method: string, params: string): Promise<string> {
  const endpoint = anEndpoint({ subscriptions: ticker().rows });
  const outlet = { send: () => undefined, hold: () => undefined, cut: () => undefined };
  const all = new Subscriptions(endpoint.view, createSubscriptionLimit(), outlet);
  const given = params === "" ? "" : `,"params":${params}`;
  const call = `{"jsonrpc":"2.0","id":1,"method":"${method}"${given}}`;
  const answer = await endpoint.answer(call, { ...aSession, subscriptions: all.turn() });
  all.close();
  return answer ?? "";
}

test.each([
  ["", -32602, "non-array args"],
  ["null", -32602, "non-array args"],
  ["{}", -32602, "non-array args"],
  ["[]", -32602, "expected subscription name as first argument"],
  ["[null]", -32602, "expected subscription name as first argument"],
  ["[1.0]", -32602, "expected subscription name as first argument"],
  ['["newHeads",null]', -32602, "too many arguments, want at most 1"],
  [
    '["\\u0041\\u0007\\u000b\\n\\u007f\\"\\\\"]',
    -32601,
    'no "A\\a\\v\\n\\x7f\\"\\\\" subscription in eth namespace',
  ],
  [
    '["\u00e9\u00ad\u2028\u{1f600}\u{10ffff}"]',
    -32601,
    'no "\u00e9\\u00ad\\u2028\u{1f600}\\U0010ffff" subscription in eth namespace',
  ],
  ['["\\ud800"]', -32601, 'no "\ufffd" subscription in eth namespace'],
])("the parameters %s begin no subscription", async (params, code, message) => {
  expect(JSON.parse(await answerTo("eth_subscribe", params))).toEqual({
    jsonrpc: "2.0",
    id: 1,
    error: { code, message },
  });
});

test.each([
  ["eth_subscribe", '["newHeads"]'],
  ["eth_subscribe", '["new\\u0048eads"]'],
  ["eth_new_subscribe", '["newHeads"]'],
  ["klay__subscribe", '["newHeads"]'],
])("%s with %s begins one", async (method, params) => {
  expect(await answerTo(method, params)).toMatch(/"result":"0x[0-9a-f]+"/);
});

test.each(["_subscribe", "__subscribe", "_eth_subscribe"])("%s names no module", async (method) => {
  expect(await answerTo(method, '["newHeads"]')).toContain('no \\"newHeads\\" subscription in  namespace');
});
