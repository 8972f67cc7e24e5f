/** Tests of the meters of messages and bytes. */
import { expect, test } from "@jest/globals";
import { createMetrics } from "../../../node/observe/metrics.ts";
import { messages, PROTOCOL_NAME as protocol } from "../../../node/protocol/messages.ts";
import { declareTrafficMetrics } from "../../../node/protocol/traffic-metrics.ts";

/** Names of meters that a message moves, and by how much. */
function totalsAfter(event: { type: string; protocol: string; code: number; size: number }): object {
  const sums: Record<string, number> = {};
  const meter = ({ name }: { name: string }) => ({
    add: (amount: number) => {
      sums[name] = (sums[name] ?? 0) + amount;
    },
  });
  declareTrafficMetrics({ ...createMetrics(), meter })(event);
  return sums;
}

test("a message is counted by kind and direction, as in the Go node", () => {
  const size = 700;
  expect(totalsAfter({ type: "msgrecv", protocol, code: messages.newBlock.code, size })).toEqual({
    "klay/prop/blocks/in/packets": 1,
    "klay/prop/blocks/in/traffic": size,
  });
  expect(totalsAfter({ type: "msgsend", protocol, code: messages.transactions.code, size })).toEqual({
    "klay/prop/txns/out/packets": 1,
    "klay/prop/txns/out/traffic": size,
  });
  expect(totalsAfter({ type: "msgsend", protocol, code: messages.headersRequest.code, size })).toEqual({
    "klay/misc/out/packets": 1,
    "klay/misc/out/traffic": size,
  });
  expect(totalsAfter({ type: "msgrecv", protocol: "another", code: messages.newBlock.code, size })).toEqual(
    {},
  );
});
